import { isArchived } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { ownSources, sourceStateOf } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';

/** A reminder for a run of a plan that hooks do not read. */
export function planReminder(path: string): string {
  return `The plan of this run is ${path}: open it with the Read tool.`;
}

/** A note for the session that continues a run which its source no longer declares; an archived run has ended. */
export function sourceNote(run: StoredRun, sources: readonly SourceFile[]): string | null {
  if (isArchived(run)) return null;
  const { runId, state } = run;
  const [source] = ownSources(state, sources);
  const pathOf = (path = ''): string => truncate(sanitizeLine(path), 200);
  const path = pathOf(state.source?.path);
  const isPlan = state.source?.kind === 'plan';
  const statement = `${path} says that this workflow`;
  const end = `If the work is done, run \`holdfast complete ${runId}\`.`;
  switch (sourceStateOf(state, sources)) {
    case 'finished': {
      const plan = source?.movedTo
        ? `Its plan was moved to ${pathOf(source.movedTo)}, which`
        : `Its plan ${path}`;
      return `${isPlan ? `${plan} says that the work` : statement} is finished. ${end}`;
    }
    case 'gone':
      return `${isPlan ? `Its plan ${path} is gone.` : `${path} no longer declares this workflow.`} ${end}`;
    case 'cancelled':
      return `${statement} is cancelled. ${end}`;
    case 'paused':
      return `${statement} is paused.`;
    case 'not_started':
      return `${statement} has not started.`;
    case 'active': {
      const said = source && 'said' in source.reading ? source.reading.said : undefined;
      const { current, total, name } = said?.phase ?? {};
      const ours = state.phase.current;
      // The guidance says that it replaces a Phase line of the local file that is behind.
      const isTold = isPlan ? current !== ours : (current ?? 0) > ours;
      if (state.machine !== undefined || current === undefined || !isTold) return null;
      const label = `${current}${total === undefined ? '' : `/${total}`}${name ? ` - ${truncate(sanitizeLine(name), 80)}` : ''}`;
      return `${path} says phase ${label}; \`holdfast update ${runId} --phase ${current}\` goes there.`;
    }
    default:
      return null;
  }
}
