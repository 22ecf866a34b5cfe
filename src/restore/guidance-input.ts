import { isAbsent } from '../io/read-file.ts';
import { displayPath } from '../artifacts/placeholders.ts';
import { artifactsForSession } from '../artifacts/for-session.ts';
import type { GuidanceInput } from '../guidance/input.ts';
import { stepFrame } from '../guidance/step.ts';
import type { TodoView } from '../guidance/todo.ts';
import { canonicalPath } from '../io/canonical-path.ts';
import { readProjectFile } from '../io/read-file.ts';
import { projectContents } from '../reading/project-files.ts';
import { requires, type ReadingEntry } from '../reading/reading-list.ts';
import type { LivenessContext } from '../sessions/holder.ts';
import type { Settings } from '../settings/settings.ts';
import type { StoredRun } from '../state/types.ts';
import { sourceNote } from '../guidance/source-note.ts';
import { withoutDoneItem } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { boxesIn, MAX_TODO_BYTES, progressOf } from '../todo/list.ts';
import type { Restoration } from './choose-restoration.ts';
import { describeHolder, labelOf, stalePhase } from './describe-run.ts';

const MAX_INLINE_BYTES = 100_000;
/** Minimum length of the line about another run; runs beyond the budget are only counted. */
const MIN_LABEL = 40;

export interface RenderContext extends LivenessContext {
  root: string;
  launchFolder: string;
  settings: Settings;
  sources: readonly SourceFile[];
  /** Why the session starts. */
  source: string;
  /** The agent that the session itself is; null or absent for the main one. */
  ownAgent?: string | null;
}

/** Reads from the project what a full guidance of the run is made of. */
export function guidanceInput(
  { run, others, isOwn }: Extract<Restoration, { kind: 'full' }>,
  reading: ReadingEntry[],
  context: RenderContext,
): GuidanceInput {
  const { root, settings, source, sources, now } = context;
  const { max_chars: maxChars, inline_chars: inlineChars } = settings.restore;
  const required = reading.map(({ path }) => path);
  const contents = projectContents(root, MAX_INLINE_BYTES);
  const showFile = missingMarker(root);
  return {
    title: source === 'compact' ? 'WORKFLOW RESTORED AFTER COMPACTION' : 'WORKFLOW IN PROGRESS',
    run: withoutDoneItem(run, sources),
    nameInCommands: others.length === 0 ? null : run.runId,
    resolvePath: (path) => displayPath(path, run, root),
    showFile,
    step: stepFrame(
      run,
      requires(reading),
      (path) => displayPath(path, run, root),
      context.ownAgent ?? null,
      showFile,
    ),
    reading,
    artifacts: artifactsForSession(run, { root, now, source, settings, required }),
    contentOf: (path) => contents(path.slice(1)),
    todo: todoOf(run, context),
    others: others.map((other, index) =>
      index < maxChars / MIN_LABEL
        ? `${labelOf(other)}, ${describeHolder(other, context)} (${other.runId})`
        : '',
    ),
    notes: [
      sourceNote(run, sources) ?? [],
      ...(isOwn
        ? []
        : [
            'If this conversation is about something else, ignore all of this and run `holdfast release`.',
          ]),
    ].flat(),
    stalePhase: stalePhase(run.state, sources),
    maxChars,
    inlineChars,
  };
}

/** Null unless the run itself has written to the todo file. */
function todoOf({ state }: StoredRun, { root, settings }: RenderContext): TodoView | null {
  const path = canonicalPath(root, settings.todo.file);
  if (state.todo?.['path'] !== path) return null;
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  return file.kind === 'text' ? { ...progressOf(boxesIn(file.text)), path } : null;
}

/** Files beyond this number are taken to exist. */
const MAX_LOOKUPS = 200;

/** Writes a file of an earlier phase or step as it is shown: one that does not exist says so. */
export function missingMarker(root: string): (path: string) => string {
  let left = MAX_LOOKUPS;
  return (path) => {
    left -= 1;
    return left >= 0 && isAbsent(root, path) ? `${path} (missing)` : path;
  };
}
