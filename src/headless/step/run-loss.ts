import type { JournalEvent } from '../../state/journal.ts';
import type { StoredRun } from '../../state/types.ts';
import type { StepAt } from './step-at.ts';

/** Why a run cannot be driven on, although it is neither complete nor failed. */
export type RunLoss =
  /** `label` is the step that it was at. `by` is null if nobody knows what has ended it. */
  | { reason: 'ended'; label: string; by: RunEnd | null }
  | { reason: 'cancelled'; why: string }
  | { reason: 'gone'; path: string | null }
  | { reason: 'taken'; session: string };

/** What has ended a run: a command, and the session that it was typed in; null for a terminal. */
export interface RunEnd {
  command: string;
  session: string | null;
}

export interface RunNow {
  run: StoredRun | null;
  at: StepAt | null;
  /** The last events of its journal. */
  events: () => readonly JournalEvent[];
}

/** What the driver knows of a run from before. */
export interface Known {
  /** The session that the driver has given the run to; null before the first one. */
  session: string | null;
  path: string | null;
}

/** Null if the run can go on, has failed, or was finished step by step. */
export function lossOf({ run, at, events }: RunNow, known: Known): RunLoss | null {
  if (run === null) return { reason: 'gone', path: known.path };
  const { status, status_reason: why = '' } = run.state;
  if (status === 'cancelled') return { reason: 'cancelled', why };
  if (at === null) return null;
  const { status: machineStatus } = at.templateRun.machine;
  if (status === 'completed' && machineStatus !== 'complete')
    return { reason: 'ended', label: at.label, by: endIn(events()) };
  const { holder } = at;
  if (holder === null || known.session === null || at.isOver) return null;
  return holder === known.session ? null : { reason: 'taken', session: holder };
}

function endIn(events: readonly JournalEvent[]): RunEnd | null {
  const end = events.findLast(({ event }) => event === 'completed');
  if (end === undefined) return null;
  const { session_id: session } = end;
  return { command: 'holdfast complete', session: typeof session === 'string' ? session : null };
}
