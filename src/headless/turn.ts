import type { Retry } from './event-types.generated.ts';
import type { Stop } from './stop.ts';
import type { StreamMessage } from './stream.ts';

/** What went wrong outside of the agent's work. */
export type Trouble = Retry['why'];

/** How a turn came to its end. */
export type TurnEnd =
  | { kind: 'result' }
  | {
      kind: 'exited';
      code: number | null;
      signal: string | null;
      words: string;
    }
  | { kind: 'not_started'; reason: string }
  /** `--max-cost`, `--max-time` or `--step-time` was used up. */
  | { kind: 'used_up'; limit: 'step_time' | 'time' | 'budget' }
  /** Nothing came from the client for a long time. */
  | { kind: 'silent'; minutes: number }
  /** The run was ended, belongs to somebody else, or its log can no longer be written. */
  | { kind: 'of_no_use' }
  | { kind: 'interrupted' };

/** What is known about a turn: the last message of each kind in the client's stream, and its end. */
export type TurnEvidence = { end: TurnEnd } & {
  [Kind in StreamMessage['kind']]?: Extract<StreamMessage, { kind: Kind }>;
};

/** What a turn means for its step. */
export type Verdict =
  /** The agent moved the run, or ended it. */
  | { kind: 'moved' }
  /** The agent asked for a move that the driver makes, as the step has a gate. */
  | { kind: 'requested' }
  /** A structured report says that the step is done. */
  | { kind: 'reported'; output: string | null }
  /** A structured report says that it cannot be done, or the agent was asked once more: the step has failed. */
  | { kind: 'gave_up' | 'unfinished'; reason: string }
  /** The turn ended with neither: the agent is asked once more. */
  | { kind: 'ask_again' }
  /** Not the agent's fault: the turn is repeated after a while. */
  | { kind: 'try_again'; why: Trouble; words: string; status: number | null }
  /** `resetsAt` is that of a usage limit; null if the client did not say. */
  | { kind: 'stop'; stop: Stop; resetsAt?: number | null };
