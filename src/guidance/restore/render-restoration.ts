import { canonicalPath } from '../../files/environment.ts';
import { contextReader } from '../../files/context-files.ts';
import { isAbsent } from '../../files/read-file.ts';
import {
  type LivenessContext,
  goneSince,
  lastSeen,
  liveHolder,
  sessionRecord,
} from '../../sessions/holder.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import { HOSTS, isHostName } from '../../hosts/hosts.ts';
import type { EndedSource } from '../../sources/source-records.ts';
import { withoutDoneItem } from '../../sources/source-state.ts';
import { phaseWords } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { waitOf } from '../../state/progress.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord, shortId } from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import { artifactsForSession, artifactsLost } from '../artifacts/declared.ts';
import { displayPath, type DueArtifact } from '../artifacts/load-plain.ts';
import { contextActionText, stepFrame } from '../step.ts';
import { joined, phaseLines, runWords, someOf, sourceNote } from '../frame.ts';
import {
  answerCommands,
  buildGuidance,
  contentSections,
  contentsFor,
  finishLine,
  headLines,
  LET_GO,
  missingLine,
  readingLine,
  type Guidance,
  type GuidanceInput,
  type InlinedFile,
} from '../guidance.ts';
import {
  readingList,
  requires,
  type ReadingEntry,
} from '../reading/required-reading.ts';
import { boxesIn, MAX_TODO_BYTES, todoLines } from '../todo/list.ts';
import {
  isOwn,
  type Offer,
  type Restoration,
  type RestorationInput,
  type RestorationReason,
} from './choose-restoration.ts';

const MAX_INLINE_BYTES = 100_000;
/** The settings allow no less. */
const MIN_CHARS = 2_000;
const MAX_PATHS = 11;
const MAX_OFFERED = 3;
const MAX_CANDIDATES = 11;

/** What a session gets: the text for the model and a line for the user. `holdfast guidance` shows the same. */
export interface RenderedRestoration {
  choice: Restoration;
  text: string | null;
  /** What the run requires; empty if no run was chosen. */
  reading: readonly ReadingEntry[];
  inlined: readonly InlinedFile[];
  /** The parts of a full guidance; null for the short forms. */
  guidance: Guidance | null;
  userLine: string;
}

export function renderRestoration(
  choice: Restoration,
  context: RestorationInput,
): RenderedRestoration {
  const rendered = { choice, reading: [], inlined: [], guidance: null };
  if (choice.kind === 'nothing')
    return { ...rendered, text: null, userLine: '' };
  if ('offers' in choice) {
    const { offers } = choice;
    const lines = offers.map((offer) => offerLine(offer, context));
    const runs = offers.flatMap((offer) =>
      offer.kind === 'run' || offer.kind === 'declared' ? [offer.run] : [],
    );
    const text =
      choice.kind === 'offer'
        ? firstLines(lines, MAX_OFFERED, 'list')
        : [...UNDECIDED, ...firstLines(lines, MAX_CANDIDATES, 'list')];
    const userLine =
      runs.length === 0 ? lines[0] : `in progress here: ${offeredRuns(runs)}`;
    return {
      ...rendered,
      text: text.join('\n'),
      userLine: `holdfast: ${userLine}`,
    };
  }
  const { run, kind } = choice;
  const reading = readingList(run.state, context.root, context.launchFolder);
  const guidance =
    kind === 'full'
      ? fittedGuidance(
          guidanceInput(run, choice.reason, reading, context),
          context,
        )
      : null;
  const lost = kind === 'short' ? artifactsLost(run, reading, context) : [];
  const inlined =
    guidance?.inlined ??
    contentsFor(lost, context.settings.restore.inline_chars);
  const notice =
    kind === 'short'
      ? shortNotice(run, reading, lost, inlined)
      : frameNotice(run, reading, context);
  const text =
    guidance?.text ??
    joined([
      {
        text: [...notice, sourceNote(run, context.sources) ?? []]
          .flat()
          .join('\n'),
      },
      ...contentSections(inlined),
    ]);
  const label = `${runWords(run.state)}${run.state.phase.status === 'blocked' ? ' (blocked)' : ''}`;
  const standing = {
    full: `restored ${label}`,
    short: `this session works on ${label}`,
    frame: `${label} is still in progress`,
  }[kind];
  const letGo = kind === 'frame' ? ', /holdfast:release to let go of it' : '';
  const userLine = `holdfast: ${standing}; ${toGoOn(run)}${letGo}`;
  return { choice, text, reading, inlined, guidance, userLine };
}

/** Not longer than the host takes: what it cuts would count as given. */
function fittedGuidance(
  input: GuidanceInput,
  context: RestorationInput,
): Guidance {
  const { environment } = context;
  const guidance = buildGuidance(input);
  const { maxBytes = Infinity } = isHostName(environment?.host)
    ? HOSTS[environment.host]
    : {};
  if (
    Buffer.byteLength(guidance.text) <= maxBytes ||
    input.maxChars < MIN_CHARS
  )
    return guidance;
  return fittedGuidance({ ...input, maxChars: input.maxChars * 0.8 }, context);
}

function guidanceInput(
  run: StoredRun,
  reason: RestorationReason,
  reading: ReadingEntry[],
  context: RestorationInput,
): GuidanceInput {
  const { root, settings, source, sources, ownAgent, session } = context;
  const others = context.runs.filter(
    (other) => other.runId !== run.runId && isActive(other),
  );
  const { max_chars: maxChars, inline_chars: inlineChars } = settings.restore;
  const read = contextReader(root);
  const paths = {
    isRequired: requires(reading, root),
    resolve: (path: string) => displayPath(path, run, root),
    mark: missingMarker(root),
  };
  return {
    isCompacted: source === 'compact',
    run: withoutDoneItem(run, sources),
    isOwn: isOwn(run, reason, session),
    sources,
    confirms: settings.restore.confirm && context.isDriven !== true,
    clientPlan: context.clientPlan,
    step: stepFrame(run, paths, ownAgent),
    paths,
    reading,
    contentOf: (path) => {
      const file = read(path.slice(1), MAX_INLINE_BYTES);
      return file.kind === 'text' ? file.text : undefined;
    },
    artifacts: artifactsForSession(run, reading, context),
    todo: todoOf(run, context),
    others: byRecency(others).map(
      (other) =>
        `${runWords(other.state)}, ${describeHolder(other, context)} (${other.runId})`,
    ),
    maxChars,
    inlineChars,
  };
}

/** Nothing unless the run itself has written to the todo file. */
function todoOf(
  { state }: StoredRun,
  { root, settings }: RestorationInput,
): string[] {
  const path = canonicalPath(root, settings.todo.file);
  if (state.todo?.['path'] !== path) return [];
  const file = contextReader(root)(path, MAX_TODO_BYTES);
  return file.kind === 'text' ? todoLines(path, boxesIn(file.text)) : [];
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

/** For a session that still has its conversation: only where its run stands, and what it no longer has of it. */
function shortNotice(
  run: StoredRun,
  reading: ReadingEntry[],
  due: readonly DueArtifact[],
  inlined: readonly InlinedFile[],
): string[] {
  const { runId, state } = run;
  const wait = waitOf(run);
  const changed = reading
    .filter((entry) => entry.state === 'changed')
    .map(({ path }) => path);
  const artifacts = due.flatMap(({ id, loaded }) => {
    if (loaded.kind !== 'text' || inlined.some((file) => file.id === id))
      return [];
    return [loaded.path === undefined ? id : `@${loaded.path}`];
  });
  const lost = [...changed, ...artifacts].map((path) => asWord(path));
  const how =
    artifacts.length === 0
      ? 'the Read tool'
      : 'the Read tool or `holdfast prime`';
  return [
    `This session works on ${asWord(state.workflow)}.`,
    ...phaseLines(run),
    ...(lost.length === 0
      ? []
      : [
          `Not in this conversation as they are now: ${someOf(lost, MAX_PATHS)}. Load them with ${how}.`,
        ]),
    ...missingLine(due),
    ...(wait?.for === 'context' ? [contextActionText(wait.action)] : []),
    `\`holdfast status ${runId}\` shows all of it. ${finishLine(run)}`,
  ];
}

/** For a session whose context was cleared although the run did not ask for it. */
function frameNotice(
  run: StoredRun,
  reading: ReadingEntry[],
  { sources }: RestorationInput,
) {
  const paths = reading.map((entry) => readingLine(entry, new Set()));
  return [
    ...headLines(
      'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
      run,
      sources,
    ),
    ...(paths.length === 0 ? [] : ['', 'Required reading']),
    ...firstLines(paths, MAX_PATHS, 'status'),
    '',
    `This session still holds the run: continue with it if the user wants to (\`holdfast guidance ${run.runId}\` shows everything about it). ${LET_GO}`,
  ];
}

/** After a compaction that left open which run the conversation works on. */
const UNDECIDED = [
  'WORKFLOWS IN PROGRESS',
  '',
  'Nothing shows whether this conversation works on any of these, so none was restored:',
];

function firstLines(lines: string[], max: number, command: string): string[] {
  if (lines.length <= max) return lines;
  const kept = lines.slice(0, max - 1);
  return [
    ...kept,
    `… ${lines.length - kept.length} more: \`holdfast ${command}\``,
  ];
}

/** A line for a session that holds no run: what is in progress, who held it, since when. */
function offerLine(offer: Offer, context: RestorationInput): string {
  if (offer.kind === 'ended') return endedLine(offer.source, context.now);
  const { run, kind } = offer;
  const { workflow, phase } = run.state;
  const where = `${asWord(workflow)}, Phase ${phaseWords(phase, ' - ')}`;
  const path = asWord(run.state.source?.path ?? '');
  const standing = {
    run: `In progress here: ${where}, ${describeHolder(run, context)}`,
    declared: `In progress here: ${where}, declared in ${path}, held by nobody`,
    paused: `Paused, as ${path} says: ${where}`,
  }[kind];
  return `${standing}; \`holdfast resume ${run.runId}\` continues it here.`;
}

function endedLine(
  { path, workflow, runId, at, as }: EndedSource,
  now: Date,
): string {
  const reopen =
    as === 'deleted' ? '' : `\`holdfast reopen ${runId}\` reopens it, `;
  return `${asWord(path)} declares ${asWord(workflow)}, whose run was ${as} ${timeAgo(at, now)}; ${reopen}\`holdfast start ${proposedWord(workflow, '<name>')}\` starts a new one.`;
}

/** What the user types in a session that knows its run. */
function toGoOn(run: StoredRun): string {
  const wait = waitOf(run);
  switch (wait?.for) {
    case 'approval':
      return `it waits for your answer: ${answerCommands(run)}`;
    case 'tasks':
      return 'type "continue" to go on, its step waits for tasks';
    case 'context':
      return `type ${wait.action.command}, with which its step begins, then "continue"`;
    default:
      return 'type "continue" to go on, /holdfast:advance once the phase is done';
  }
}

/** The first runs with their phases, and what the user types to continue one. */
function offeredRuns(runs: readonly StoredRun[]): string {
  const names = runs.map(
    ({ state }) =>
      `${asWord(state.workflow, 60)} (phase ${phaseWords(state.phase, ' - ')})`,
  );
  const which =
    runs.length === 1
      ? `${runs[0]?.runId} to continue`
      : '<name> to continue one';
  return `${someOf(names, MAX_OFFERED)}; type /holdfast:resume ${which}`;
}

/** Since when there is a run, and who works on it or did last. */
function describeHolder(
  { state }: StoredRun,
  context: LivenessContext,
): string {
  const holder = liveHolder(state, context);
  const last = (state.sessions?.session_history ?? []).at(-1);
  const record = holder === null ? last : sessionRecord(state, holder);
  const place =
    record?.environment?.machine === undefined ? '' : ' on another machine';
  const gone =
    goneSince(state, context) === null ? '' : ', whose client is gone';
  const held =
    record === undefined
      ? 'held by nobody'
      : `${holder === null ? 'last ' : ''}held by session ${shortId(record.session_id)}${place}${gone}, seen ${timeAgo(lastSeen(record, context), context.now)}`;
  return `started ${timeAgo(state.created_at, context.now)}, ${held}`;
}
