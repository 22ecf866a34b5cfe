import { currentRun } from '../../operations/drive.ts';
import type { DriveContext } from '../drive-context.ts';
import { isStuck } from '../limits/limits.ts';
import type { StepAt } from './step-at.ts';
import { treeMark } from './tree-mark.ts';

/** Notices turns that change neither the files nor the run. */
export class ProgressWatch {
  #marks: string[] = [];

  constructor(private readonly context: Pick<DriveContext, 'root' | 'runId' | 'open'>) {}

  beginStep(): void {
    this.#marks = [];
  }

  /** After each turn that has not moved the run. */
  isStuckAt({ entry }: StepAt): boolean {
    const { root, runId, open } = this.context;
    const revision = currentRun(open(null), runId)?.state.revision;
    this.#marks.push(`${entry} ${treeMark(root) ?? `revision ${revision}`}`);
    return isStuck(this.#marks);
  }
}
