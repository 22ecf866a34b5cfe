import type { SourceFile } from '../sync/types.ts';
import { canonicalPath } from '../io/canonical-path.ts';
import { phaseText } from '../guidance/frame.ts';
import { buildGuidance, type Guidance } from '../guidance/guidance.ts';
import type { GuidanceInput, StalePhase } from '../guidance/input.ts';
import { frameNotice, offerNotice, shortNotice } from '../guidance/notices.ts';
import { sanitizeLine, truncate, shortId } from '../util/sanitize.ts';
import { readingList, requires, type ReadingEntry } from '../reading/reading-list.ts';
import { timeAgo } from '../util/relative-time.ts';
import type { TodoView } from '../guidance/todo.ts';
import { projectContents, projectFiles } from '../reading/project-files.ts';
import { artifactsForSession, artifactsLost } from '../artifacts/for-session.ts';
import { readProjectFile } from '../io/read-file.ts';
import { liveHolder, sessionRecord, type LivenessContext } from '../sessions/holder.ts';
import type { Settings } from '../settings/settings.ts';
import { chooseRestoration, type Restoration } from './choose-restoration.ts';
import { slugOf } from '../util/slug.ts';
import { dormantRuns } from '../sync/plan-sync.ts';
import { sameJson } from '../util/json.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { boxesIn, MAX_TODO_BYTES, progressOf } from '../todo/list.ts';
import { stepFrame } from '../guidance/step.ts';
import { awaitsContext, contextActionHappened } from '../workflow/run-view.ts';

const MAX_INLINE_BYTES = 100_000;
/** Of the label of another run: more of them than fit into the guidance are only counted. */
const SHORTEST_LABEL = 40;

export interface RestorationRequest extends LivenessContext {
  root: string;
  settings: Settings;
  runs: readonly StoredRun[];
  sources: readonly SourceFile[];
  session: string | null;
  source: string;
  /** What happened was noted at the time, and the run may have moved on since. */
  isBelated?: boolean | undefined;
  isAttended: boolean;
}

/** What a session is given: the choice, the text, and a line for the user. `holdfast guidance` shows the same. */
export interface PreparedRestoration {
  choice: Restoration;
  text: string | null;
  /** What the run requires; empty where no run was chosen. */
  reading: readonly ReadingEntry[];
  /** The parts of a full guidance; null for the short forms. */
  guidance: Guidance | null;
  userLine: string;
}

/**
 * A choice made from runs that were listed before the lock was got. It stands where the chosen run is still as it
 * was; else it is made again from what there is now.
 */
export function chooseUnderLock<T extends Restoration | PreparedRestoration>(
  tx: Transaction,
  listed: readonly StoredRun[],
  choose: (runs: readonly StoredRun[]) => T,
): T {
  const first = choose(listed);
  const choice = 'choice' in first ? first.choice : first;
  if (!('run' in choice)) return first;
  const now = tx.reread(choice.run);
  const isSame = now !== undefined && sameJson(now.state, listedState(listed, now.runId));
  return isSame ? first : choose(tx.runs);
}

function listedState(runs: readonly StoredRun[], runId: string): RunState | undefined {
  return runs.find((run) => run.runId === runId)?.state;
}

export function prepareRestoration(request: RestorationRequest): PreparedRestoration {
  const { runs, sources, settings } = request;
  const isHeld = (run: StoredRun): boolean => liveHolder(run.state, request) !== null;
  const choice = chooseRestoration({
    ...request,
    startup: settings.restore.startup,
    awaitsContext,
    dormant: dormantRuns({ sources, runs, isHeld }),
  });
  return renderRestoration(choice, request);
}

/** A compaction or a clear performs what the step of the session's run has asked for. */
function withContextActionDone(
  choice: Restoration,
  { source, now, session, isBelated }: RestorationRequest,
): Restoration {
  if (choice.kind !== 'full' || !choice.takes || session === null || isBelated) return choice;
  if (source !== 'compact' && source !== 'clear') return choice;
  const state = contextActionHappened(choice.run.state, source, now.toISOString());
  return { ...choice, run: { ...choice.run, state } };
}

export function renderRestoration(
  chosen: Restoration,
  request: RestorationRequest,
): PreparedRestoration {
  const choice = withContextActionDone(chosen, request);
  const reading = 'run' in choice ? readingOf(choice.run, request) : [];
  const short = (text: string, userLine: string): PreparedRestoration => ({
    choice,
    text,
    reading,
    guidance: null,
    userLine,
  });
  switch (choice.kind) {
    case 'nothing':
      return { choice, text: null, reading, guidance: null, userLine: '' };
    case 'short':
      return short(
        shortNotice(choice.run, missingFromContext(choice.run, reading, request)),
        `holdfast: this session works on ${label(choice.run)}`,
      );
    case 'frame':
      return short(
        frameNotice(choice.run, reading, stalePhase(choice.run, request)),
        `holdfast: ${label(choice.run)} is still in progress`,
      );
    case 'offer':
      return short(
        offerNotice(choice.runs, (run) => describeHolder(run, request)),
        `holdfast: in progress here: ${choice.runs
          .map((run) => truncate(sanitizeLine(run.state.workflow), 60))
          .slice(0, 3)
          .join(', ')}`,
      );
    default: {
      const guidance = buildGuidance(guidanceInput(choice, reading, request));
      const verb = choice.takes ? 'restored' : 'showed';
      return {
        choice,
        text: guidance.text,
        reading,
        guidance,
        userLine: `holdfast: ${verb} ${label(choice.run)}`,
      };
    }
  }
}

function guidanceInput(
  { run, others, takes, isOwn }: Extract<Restoration, { kind: 'full' }>,
  reading: ReadingEntry[],
  request: RestorationRequest,
): GuidanceInput {
  const { root, settings, source, now } = request;
  const required = reading.map(({ path }) => path);
  const contents = projectContents(root, MAX_INLINE_BYTES);
  return {
    title: source === 'compact' ? 'WORKFLOW RESTORED AFTER COMPACTION' : 'WORKFLOW IN PROGRESS',
    run,
    step: stepFrame(run, requires(reading)),
    reading,
    artifacts: artifactsForSession(run, { root, now, source, settings, required }),
    contentOf: (path) => contents(path.slice(1)),
    todo: todoOf(run, request),
    others: others.map((other, index) =>
      index < settings.restore.max_chars / SHORTEST_LABEL
        ? `${label(other)}, ${describeHolder(other, request)} (${other.runId})`
        : '',
    ),
    notes: [
      ...(takes
        ? []
        : [`This session does not hold this run: \`holdfast claim ${run.runId}\` takes it.`]),
      ...(isOwn
        ? []
        : [
            'If this conversation is about something else, all of this can be ignored: `holdfast release` says so.',
          ]),
    ],
    stalePhase: stalePhase(run, request),
    maxChars: settings.restore.max_chars,
    inlineChars: settings.restore.inline_chars,
  };
}

/** Required files that changed since they were read, and artifacts that are not in the conversation as they are now. */
function missingFromContext(
  run: StoredRun,
  reading: readonly ReadingEntry[],
  { root, settings, source, now }: RestorationRequest,
): string[] {
  const changed = reading.filter(({ state }) => state === 'changed').map(({ path }) => path);
  const required = reading.map(({ path }) => path);
  const around = { root, now, source, settings, required };
  return [...changed, ...artifactsLost(run, around)];
}

function readingOf(run: StoredRun, { root }: RestorationRequest): ReadingEntry[] {
  return readingList(run.state, projectFiles(root));
}

/** A list that the run never wrote to is none of its business. */
function todoOf({ state }: StoredRun, { root, settings }: RestorationRequest): TodoView | null {
  const path = canonicalPath(root, settings.todo.file);
  if (state.todo?.['path'] !== path) return null;
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  return file.kind === 'text' ? progressOf(boxesIn(file.text)) : null;
}

/** The host keeps CLAUDE.local.md in the context: where the state is ahead of it, the text says which one counts. */
function stalePhase(run: StoredRun, { sources }: RestorationRequest): StalePhase | null {
  const { phase, workflow } = run.state;
  for (const { kind, path, reading } of sources) {
    const said =
      reading.state === 'active' || reading.state === 'finished' ? reading.said : undefined;
    if (kind !== 'local-file' || said === undefined) continue;
    const { current, total, name } = said.phase ?? {};
    if (slugOf(said.workflow) !== slugOf(workflow)) continue;
    if (current !== undefined && current < phase.current) {
      return { path, says: `${current}/${total ?? phase.total}` };
    }
    if (current === undefined && name !== undefined && name !== phase.name)
      return { path, says: name };
  }
  return null;
}

function describeHolder(run: StoredRun, moment: LivenessContext): string {
  const holder = liveHolder(run.state, moment);
  const started = timeAgo(run.state.created_at, moment.now);
  if (holder === null) return `started ${started}, held by nobody`;
  const record = sessionRecord(run.state, holder);
  return `started ${started}, held by session ${shortId(holder)}, seen ${timeAgo(record?.last_seen_at ?? '', moment.now)}`;
}

function label({ state }: StoredRun): string {
  return `${truncate(sanitizeLine(state.workflow), 80)}, phase ${phaseText(state)}`;
}
