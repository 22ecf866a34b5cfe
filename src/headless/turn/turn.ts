import { within, type Client } from '../client/client-process.ts';
import type { StreamMessage } from '../client/stream-message.ts';
import { noEvidence, withMessage, type TurnEnd, type TurnEvidence } from './turn-evidence.ts';

export interface TurnOptions {
  client: Client;
  /** Null to wait for the end of a turn that is already under way. */
  prompt: string | null;
  /** Milliseconds until `--step-time` and `--max-time` are used up; null without a limit. */
  stepTimeLeft: number | null;
  runTimeLeft: number | null;
  /** After this long without a message, the client counts as hanging. */
  silenceMs: number;
  /** Whether the stream of the client can still be written; asked now and then. */
  isLogWritable: () => boolean;
  /** Whether the run was ended or taken, so that the turn is of no use; asked now and then. */
  isRunLost: () => boolean;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  onMessage: (message: StreamMessage) => void;
}

/** How long a client that was interrupted gets to end its turn. */
const INTERRUPT_MS = 5_000;
const LOOK_MS = 1_000;

/** Sends one prompt and collects what the stream says until the turn ends, one way or the other. */
export async function runTurn(options: TurnOptions): Promise<TurnEvidence> {
  const { client, prompt, signal, silenceMs } = options;
  let evidence = noEvidence();
  let lastMessage = Date.now();
  return new Promise((settle) => {
    let isOver = false;
    let isEnding = false;
    let onResult = (): void => undefined;
    const timers: NodeJS.Timeout[] = [];
    const unlisten = client.listen((message) => {
      lastMessage = Date.now();
      evidence = withMessage(evidence, message);
      options.onMessage(message);
      // A client that was left behind may have had several turns: only its end is the end of the last one.
      if (message.kind === 'result' && !isEnding && prompt !== null) finish({ kind: 'result' });
      if (message.kind === 'result' && isEnding) onResult();
    });
    const finish = (end: TurnEnd): void => {
      if (isOver) return;
      isOver = true;
      unlisten();
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle({ ...evidence, end });
    };
    /** The client is asked to end its turn, so that its conversation stays in order. */
    const interrupt = (end: TurnEnd): void => {
      if (isOver || isEnding) return;
      isEnding = true;
      const result = new Promise<void>((settled) => {
        onResult = settled;
      });
      client.interrupt();
      void within(Promise.race([result, client.exited]), INTERRUPT_MS).then(() => finish(end));
    };
    const onAbort = (): void => interrupt({ kind: 'interrupted' });
    const limit = (ms: number | null, kind: 'step' | 'run'): void => {
      if (ms !== null)
        timers.push(
          setTimeout(() => interrupt({ kind: 'out_of_time', limit: kind }), Math.max(ms, 0)),
        );
    };
    limit(options.stepTimeLeft, 'step');
    limit(options.runTimeLeft, 'run');
    const look = (): void => {
      if (Date.now() - lastMessage >= silenceMs)
        interrupt({ kind: 'silent', minutes: Math.round(silenceMs / 60_000) });
      else if (!options.isLogWritable()) interrupt({ kind: 'log_refused' });
      else if (options.isRunLost()) interrupt({ kind: 'run_lost' });
    };
    timers.push(setInterval(look, Math.min(silenceMs, LOOK_MS)));
    void client.exited.then((exit) => finish(exit));
    if (signal.aborted) onAbort();
    else {
      signal.addEventListener('abort', onAbort);
      if (prompt !== null) client.prompt(prompt);
    }
  });
}
