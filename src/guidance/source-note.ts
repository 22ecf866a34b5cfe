import { isArchived } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { isSourceOf, sourceStateOf } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';

/** A reminder for a run of a plan that hooks do not read. */
export function planReminder(path: string): string {
  return `The plan of this run is ${path}: open it with the Read tool.`;
}

/** A note for the session that continues a run which its source no longer declares; an archived run has ended. */
export function sourceNote(run: StoredRun, sources: readonly SourceFile[]): string | null {
  if (isArchived(run)) return null;
  const path = truncate(sanitizeLine(run.state.source?.path ?? ''), 200);
  const end = `If the work is done, run \`holdfast complete ${run.runId}\`.`;
  switch (sourceStateOf(run, sources)) {
    case 'finished':
      return `${finishedText(run, sources, path)} ${end}`;
    case 'gone':
      return run.state.source?.kind === 'plan'
        ? `Its plan ${path} is gone. ${end}`
        : `${path} no longer declares this workflow. ${end}`;
    case 'inactive':
      return `Its plan ${path} no longer says that the work is in progress. ${end}`;
    default:
      return null;
  }
}

function finishedText({ state }: StoredRun, sources: readonly SourceFile[], path: string): string {
  if (state.source?.kind !== 'plan') return `${path} says that this workflow is finished.`;
  const movedTo = sources.find((source) => isSourceOf(state, source))?.movedTo;
  return movedTo === undefined
    ? `Its plan ${path} says that the work is finished.`
    : `Its plan was moved to ${truncate(sanitizeLine(movedTo), 200)}, which says that the work is finished.`;
}
