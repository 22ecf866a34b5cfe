import { toExport } from '../state/export-format.ts';
import type { OperationContext } from './open-project.ts';
import { runToRead } from './target-run.ts';

/** One run with its journal as one object, which `importRun` reads on another machine. */
export function exportRun(
  context: OperationContext,
  name: string | undefined,
): ReturnType<typeof toExport> {
  const { run } = runToRead(context, name);
  return toExport(run, context.store.journal(run), context.now);
}
