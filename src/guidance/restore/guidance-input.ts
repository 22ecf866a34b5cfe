import { contextReader } from '../../files/context-files.ts';
import { isAbsent } from '../../files/read-file.ts';
import { displayPath } from '../artifacts/placeholders.ts';
import { artifactsForSession } from '../artifacts/declared.ts';
import type { GuidanceInput, StalePhase, TodoView } from '../input.ts';
import { stepFrame } from '../step.ts';
import { canonicalPath } from '../../files/environment.ts';
import { projectContents, requires, type ReadingEntry } from '../reading/reading-list.ts';
import {
  type LivenessContext,
  holderOf,
  lastSeen,
  liveHolder,
  machineOfHolder,
  sessionRecord,
} from '../../sessions/holder.ts';
import type { Settings } from '../../settings/settings.ts';
import { sourceNote, phaseText } from '../frame.ts';
import { withoutDoneItem } from '../../sources/source-state.ts';
import { boxesIn, MAX_TODO_BYTES, progressOf } from '../todo/list.ts';
import type { Restoration } from './choose-restoration.ts';
import type { StoredRun, RunState } from '../../state/types.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { sanitizeLine, shortId, truncate } from '../../text/sanitize.ts';
import type { SourceFile } from '../../sources/types.ts';
import { slugOf } from '../../text/slug.ts';

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
  const file = contextReader(root)(path, MAX_TODO_BYTES);
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

export function labelOf({ state }: StoredRun): string {
  return `${truncate(sanitizeLine(state.workflow), 80)}, phase ${phaseText(state)}`;
}

/** Who worked on a run that no live session holds. */
export function describeLastHolder({ state }: StoredRun, context: LivenessContext): string {
  const last = (state.sessions?.session_history ?? []).at(-1);
  if (last === undefined) return 'no session has held it';
  const seen = timeAgo(lastSeen(last, context), context.now);
  const place = last.environment?.machine === undefined ? '' : ' on another machine';
  return `last held by session ${shortId(last.session_id)}${place}, seen ${seen}`;
}

export function describeHolder({ state }: StoredRun, context: LivenessContext): string {
  const started = `started ${timeAgo(state.created_at, context.now)}`;
  const holder = liveHolder(state, context);
  if (holder === null && machineOfHolder(state) !== null)
    return `${started}, held by session ${shortId(holderOf(state) ?? '')} on another machine at the last sync`;
  if (holder === null) return `${started}, held by nobody`;
  const seen = timeAgo(lastSeen(sessionRecord(state, holder), context), context.now);
  return `${started}, held by session ${shortId(holder)}, seen ${seen}`;
}

/** The host keeps CLAUDE.local.md in the context, so if the state is ahead of its Phase line, the text says which one counts. */
export function stalePhase(
  { phase, workflow, run_id: runId = '' }: RunState,
  sources: readonly SourceFile[],
): StalePhase | null {
  for (const { kind, path, reading } of sources) {
    const declared =
      reading.state === 'active' || reading.state === 'finished' ? reading.said : undefined;
    if (kind !== 'local-file' || declared === undefined) continue;
    if (slugOf(declared.workflow) !== slugOf(workflow)) continue;
    const { current, total, name, line } = declared.phase ?? {};
    if (current !== undefined && current < phase.current)
      return {
        path,
        says: total === undefined ? (line ?? String(current)) : `${current}/${total}`,
        command: `holdfast update ${runId} --phase ${current}`,
      };
    if (current === undefined && name !== undefined && name !== phase.name)
      return { path, says: name };
  }
  return null;
}
