import { HoldfastError } from '../errors/holdfast-error.ts';
import { selectRun } from '../sessions/meant-run.ts';
import { byRecency } from '../sessions/select-run.ts';
import type { JournalEvent } from '../state/journal.ts';
import type { StoredRun } from '../state/types.ts';
import { unreadableFiles } from './named-run.ts';
import type { OperationContext } from './open-project.ts';
import { allRuns, findRunAnywhere } from './target-run.ts';

export interface RunHistory {
  run: StoredRun;
  events: (JournalEvent & { at: string })[];
}

/** The journal of the named run, else of the current one, else of the one that ended last. */
export function getHistory(context: OperationContext, name: string | undefined): RunHistory {
  const run = name === undefined ? currentOrLast(context) : findRunAnywhere(context, name);
  return { run, events: context.store.journal(run) };
}

function currentOrLast(context: OperationContext): StoredRun {
  const selection = selectRun(context.store.list().runs, { ...context, purpose: 'read' });
  if (selection.kind === 'run') return selection.run;
  const [last] = byRecency(allRuns(context));
  if (last === undefined) {
    const unreadable = unreadableFiles(context.store.list());
    throw new HoldfastError({ code: 'no_workflow', also: [], unreadable });
  }
  return last;
}
