import { currentRun } from '../../operations/drive.ts';
import { nextDrivenStep } from '../../operations/next-action.ts';
import { requestedAdvance } from '../../operations/requested-advance.ts';
import type { JournalEvent } from '../../state/journal.ts';
import type { StoredRun } from '../../state/types.ts';
import type { DriveContext } from '../drive-context.ts';
import { lossOf, type Known, type RunLoss } from './run-loss.ts';
import { stepAt, type StepAt } from './step-at.ts';
import type { RunMoment } from '../turn/verdict.ts';
import { readJournalOf } from '../../state/store/journal-file.ts';

type RunContext = Pick<DriveContext, 'open' | 'runId'>;

/** The run as it is on disk now. */
export function runNow({ open, runId }: RunContext): { run: StoredRun | null; at: StepAt | null } {
  const run = currentRun(open(null), runId);
  return { run, at: run === null ? null : stepAt(run) };
}

/** Why it cannot be driven on; null if it can, or is over as its steps have decided. */
export function lossNow({ open, runId }: RunContext, known: Known): RunLoss | null {
  const { run, at } = runNow({ open, runId });
  const events = (): JournalEvent[] =>
    run === null ? [] : readJournalOf(open(null).store.root, run);
  return lossOf({ run, at, events }, known);
}

/** Where it stands, as far as a turn is judged by it. */
export function momentNow(context: RunContext): RunMoment {
  const { run, at } = runNow(context);
  if (run === null || at === null) return { position: null, isMoveRequested: false };
  const { position } = nextDrivenStep(run, null);
  return {
    position: at.isOver ? null : position,
    isMoveRequested: requestedAdvance(run) !== null,
  };
}
