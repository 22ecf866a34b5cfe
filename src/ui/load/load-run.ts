import { displayPath } from '../../artifacts/placeholders.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sourceNote } from '../../guidance/source-note.ts';
import { previewSync } from '../../operations/detected-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { pendingReads } from '../../operations/pending-reads.ts';
import { showTodo } from '../../operations/todo.ts';
import { projectFiles } from '../../reading/project-files.ts';
import { readingList } from '../../reading/reading-list.ts';
import type { StoredRun } from '../../state/types.ts';
import { runPage, type RunPageInput } from '../model/run-page.ts';
import type { RunPage } from '../model/types/run.ts';
import { openForPage, type PageProject } from './open-for-page.ts';
import { listArchive } from '../../state/store/list-runs.ts';
import { readJournalOf } from '../../state/store/journal-file.ts';

/** Null if no run has this id. */
export function loadRun(project: PageProject, id: string, now: Date): RunPage | null {
  const context = openForPage(project, now);
  const { runs } = context.store.list();
  const stored = runs.find(({ runId }) => runId === id);
  const run = stored ?? listArchive(context.store.root).runs.find(({ runId }) => runId === id);
  if (run === undefined) return null;
  const sources = stored === undefined ? [] : previewSync(context, runs).sources;
  return runPage({
    ...context,
    run,
    journal: readJournalOf(context.store.root, run),
    reading: readingList(run.state, projectFiles(context.root, context.launchFolder)),
    pendingReads: stored === undefined ? null : pendingReads(context, run),
    todo: todoOf(context, run),
    sourceNote: stored === undefined ? null : sourceNote(run, sources),
    budget: context.settings.restore.max_chars,
    resolvePath: (path) => displayPath(path, run, context.root),
  });
}

/** Null unless the run itself has written to the file: other lists are not part of a run. */
function todoOf(context: OperationContext, { state }: StoredRun): RunPageInput['todo'] {
  if (state.todo === undefined) return null;
  try {
    const { path, items } = showTodo(context);
    return state.todo['path'] === path ? { path, items } : null;
  } catch (error) {
    // A todo file that is refused, such as one that leads out of the project, is no reason to show nothing of the run.
    if (error instanceof HoldfastError) return null;
    throw error;
  }
}
