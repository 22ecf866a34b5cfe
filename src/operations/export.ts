import { toExport } from '../state/export-format.ts';
import type { OperationContext } from './open-project.ts';
import { allRuns, namedRun } from './target-run.ts';

/** One run with its journal as one object, which `importRun` reads on another machine. */
export function exportRun(context: OperationContext, name: string): ReturnType<typeof toExport> {
  const run = namedRun(allRuns(context), name);
  return toExport(run, context.store.journal(run), context.now);
}
