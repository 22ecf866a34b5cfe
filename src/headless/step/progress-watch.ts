import { digestOf } from '../../io/digest.ts';
import { currentRun } from '../../operations/drive.ts';
import type { RunState } from '../../state/types.ts';
import type { DriveContext } from '../drive-context.ts';
import { isStuck } from '../limits/limits.ts';
import { stepAt, type StepAt } from './step-at.ts';
import { treeMark } from './tree-mark.ts';

/** Notices turns that change neither the files nor the run. */
export class ProgressWatch {
  #marks: string[] = [];

  constructor(private readonly context: Pick<DriveContext, 'root' | 'runId' | 'open'>) {}

  /** After each turn at this position. A step that has failed and is tried again is at the same one. */
  isStuckAt({ entry }: Pick<StepAt, 'entry'>): boolean {
    const { root, runId, open } = this.context;
    const run = currentRun(open(null), runId);
    const now = run === null ? null : stepAt(run);
    if (run === null || now === null || now.isOver || now.entry !== entry) {
      this.#marks = [];
      return false;
    }
    const tree = treeMark(root) ?? `revision ${run.state.revision}`;
    this.#marks.push(`${entry} ${tree} ${runMark(run.state)}`);
    return isStuck(this.#marks);
  }
}

/** Stands for what a turn can add to a run. Counters, reasons of failures and records of sessions are no progress. */
function runMark(state: RunState): string {
  const {
    revision: _revision,
    updated_at: _updated,
    sessions: _sessions,
    hold: _hold,
    context_metadata: _metadata,
    requested_advance: _requested,
    failure: _failure,
    status_reason: _why,
    adopted: _adopted,
    machine = {},
    ...rest
  } = state;
  const {
    retries: _retries,
    reason: _reason,
    contextAction: _action,
    contextActionExecuted: _executed,
    ...position
  } = machine;
  return digestOf(JSON.stringify([rest, position]));
}
