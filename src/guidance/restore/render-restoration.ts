import { canonicalPath } from '../../files/environment.ts';
import { contextReader } from '../../files/context-files.ts';
import { isAbsent } from '../../files/read-file.ts';
import { sessionRecord } from '../../sessions/holder.ts';
import { lastSeen } from '../../sessions/liveness.ts';
import { goneSince } from '../../sessions/liveness.ts';
import { liveHolder } from '../../sessions/liveness.ts';
import { type LivenessContext } from '../../sessions/liveness.ts';
import { isActive } from '../../state/run.ts';
import { byRecency } from '../../state/recency.ts';
import { HOSTS, isHostName } from '../../hosts/hosts.ts';
import type { EndedSource } from '../../sources/source-records.ts';
import { withoutDoneItem } from '../../sources/source-state.ts';
import { phaseWords } from '../../state/phase-words.ts';
import type { RunState, Run } from '../../state/types.ts';
import { waitOf } from '../../state/progress.ts';
import { isWaitingPhase } from '../../state/waiting-phase.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord, shortId } from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import { artifactsForSession, artifactsLost } from '../artifacts/declared.ts';
import { type DueArtifact } from '../artifacts/load-plain.ts';
import { displayPath } from '../artifacts/artifact-path.ts';
import { contextActionText, stepFrame } from '../step.ts';
import { joined } from '../fit-lists.ts';
import { earlyWorkText } from './early-work.ts';
import { phaseLines, runWords, someOf, sourceNote } from '../frame.ts';
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

/** Of a required file that is given whole. */
const MAX_INLINE_BYTES = 100_000;
/** The settings allow no less. */
const MIN_CHARS = 2_000;
/** Of each attempt to make a text short enough for the host. */
const SHRINK_FACTOR = 0.8;
/** How many files a notice names, runs an offer has, and runs a compaction that decided nothing lists. */
const MAX_PATHS = 11;
const MAX_OFFERED = 3;
const MAX_CANDIDATES = 11;
/** In a clone with more open plans than that, naming three of them tells nobody anything. */
const MAX_PLANS_OFFERED = 5;
/** Of the name of a run in the line for the user. */
const MAX_OFFERED_NAME_CHARS = 60;

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

type RestorationOf<Kind extends Restoration['kind']> = Extract<
  Restoration,
  { kind: Kind }
>;

export function renderRestoration(
  choice: Restoration,
  context: RestorationInput,
): RenderedRestoration {
  switch (choice.kind) {
    case 'nothing':
      return withoutRun(choice, null, '');
    case 'offer':
    case 'candidates':
      return renderOffers(choice, context);
    default:
      return renderRun(choice, context);
  }
}

function withoutRun(
  choice: Restoration,
  text: string | null,
  userLine: string,
): RenderedRestoration {
  return { choice, text, reading: [], inlined: [], guidance: null, userLine };
}

function renderOffers(
  choice: RestorationOf<'offer' | 'candidates'>,
  context: RestorationInput,
): RenderedRestoration {
  const { offers } = choice;
  const untouched = offers.filter(isUntouched);
  if (choice.kind === 'offer' && untouched.length > MAX_PLANS_OFFERED) {
    const touched = offers.filter((offer) => !untouched.includes(offer));
    const lines = touched.map((offer) => offerLine(offer, context));
    const plans = `${untouched.length} plans are open here; \`holdfast status\` lists them`;
    const text = [...firstLines(lines, MAX_OFFERED, 'list'), `${plans}.`];
    return withoutRun(choice, text.join('\n'), `holdfast: ${plans}`);
  }
  const lines = offers.map((offer) => offerLine(offer, context));
  const text =
    choice.kind === 'offer'
      ? firstLines(lines, MAX_OFFERED, 'list')
      : [...UNDECIDED, ...firstLines(lines, MAX_CANDIDATES, 'list')];
  const runs = offers
    .filter(({ kind }) => kind === 'run' || kind === 'declared')
    .flatMap((offer) => ('run' in offer ? [offer.run] : []));
  const userLine =
    runs.length === 0 ? lines[0] : `in progress here: ${offeredRuns(runs)}`;
  return withoutRun(choice, text.join('\n'), `holdfast: ${userLine}`);
}

function renderRun(
  choice: RestorationOf<'full' | 'frame' | 'short'>,
  context: RestorationInput,
): RenderedRestoration {
  const { run, kind, reason } = choice;
  const { root, launchFolder } = context;
  // After a compaction or clear, the transcript does not show yet what the client gives back by itself.
  const transcript = kind === 'short' ? context.transcript : null;
  const reading = readingList(run.state, root, launchFolder, transcript);
  const userLine = userLineOf(choice, context);
  if (kind === 'full') {
    const input = guidanceInput(run, reason, reading, context);
    const guidance = fittedGuidance(input, context);
    const { text, inlined } = guidance;
    return { choice, text, reading, inlined, guidance, userLine };
  }

  if (kind === 'short' && context.hasGuidance === true)
    return {
      choice,
      text: null,
      reading,
      inlined: [],
      guidance: null,
      userLine,
    };

  const lost = kind === 'short' ? artifactsLost(run, reading, context) : [];
  const inlined = contentsFor(lost, context.settings.restore.inline_chars);
  const notice =
    kind === 'short'
      ? shortNotice(run, reading, lost, inlined, earlyWorkText(context, run))
      : frameNotice(run, reading, context);
  const note = sourceNote(run, context.sources);
  if (note !== null) notice.push(note);
  const text = joined([
    { text: notice.join('\n') },
    ...contentSections(inlined),
  ]);
  return { choice, text, reading, inlined, guidance: null, userLine };
}

/** What the user sees of it. */
function userLineOf(
  { kind, run }: RestorationOf<'full' | 'frame' | 'short'>,
  context: RestorationInput,
): string {
  const isBlocked = run.state.phase.status === 'blocked';
  const label = `${runWords(run.state)}${isBlocked ? ' (blocked)' : ''}`;
  const standing = {
    full: `restored ${label}`,
    short: `this session works on ${label}`,
    frame: `${label} is still in progress`,
  }[kind];
  // The module says next to this line what it has done, and prompts the agent.
  if (isContinuedByModule(run, context)) return `holdfast: ${standing}`;
  const letGo = kind === 'frame' ? ', /holdfast:release to let go of it' : '';
  return `holdfast: ${standing}; ${toGoOn(run)}${letGo}`;
}

/** Whether the module has just run the `/compact` or `/clear` of the step, and goes on by itself. */
function isContinuedByModule(
  run: Run,
  { hasModule = false, settings, now }: RestorationInput,
): boolean {
  if (!hasModule || run.kind !== 'template') return false;
  const { state, machine } = run;
  const isAuto = (state.perform ?? settings.context.perform) === 'auto';
  const isPerformedNow =
    machine.contextAction?.performedAt === now.toISOString();
  return isAuto && isPerformedNow && state.hold?.own === true;
}

/** Not longer than the host takes: what it cuts would count as given. */
function fittedGuidance(
  input: GuidanceInput,
  context: RestorationInput,
): Guidance {
  const host = context.environment?.host;
  const { maxBytes = Infinity } = isHostName(host) ? HOSTS[host] : {};
  const guidance = buildGuidance(input);
  const fits = Buffer.byteLength(guidance.text) <= maxBytes;
  if (fits || input.maxChars < MIN_CHARS) return guidance;
  const maxChars = input.maxChars * SHRINK_FACTOR;
  return fittedGuidance({ ...input, maxChars }, context);
}

function guidanceInput(
  run: Run,
  reason: RestorationReason,
  reading: ReadingEntry[],
  context: RestorationInput,
): GuidanceInput {
  const { root, settings, source, sources, ownAgent, session } = context;
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
    earlyWork: earlyWorkText(context, run),
    step: stepFrame(run, paths, ownAgent),
    paths,
    reading,
    contentOf: (path) => {
      const file = read(path.slice(1), MAX_INLINE_BYTES);
      return file.kind === 'text' ? file.text : undefined;
    },
    artifacts: artifactsForSession(run, reading, context),
    todo: todoOf(run, context),
    others: otherRunLines(run, context),
    maxChars: settings.restore.max_chars,
    inlineChars: settings.restore.inline_chars,
  };
}

function otherRunLines(run: Run, context: RestorationInput): string[] {
  const others = context.runs.filter(
    (other) => other.runId !== run.runId && isActive(other),
  );
  return byRecency(others).map(
    ({ runId, state }) =>
      `${runWords(state)}, ${describeHolder(state, context)} (${runId})`,
  );
}

/** Nothing unless the run itself has written to the todo file. */
function todoOf(
  { state }: Run,
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
  run: Run,
  reading: ReadingEntry[],
  due: readonly DueArtifact[],
  inlined: readonly InlinedFile[],
  earlyWork: string | null,
): string[] {
  const { runId, state } = run;
  const lines = [
    `This session works on ${asWord(state.workflow)}.`,
    ...phaseLines(run),
  ];

  const changed = reading
    .filter((entry) => entry.state === 'changed')
    .map(({ path }) => path);
  const artifacts = artifactsToLoad(due, inlined);
  const lost = [...changed, ...artifacts].map((path) => asWord(path));
  if (lost.length > 0) {
    const how =
      artifacts.length === 0
        ? 'the Read tool'
        : 'the Read tool or `holdfast prime`';
    lines.push(
      `Not in this conversation as they are now: ${someOf(lost, MAX_PATHS)}. Load them with ${how}.`,
    );
  }
  lines.push(...missingLine(due));

  const wait = waitOf(run);
  if (wait?.for === 'context') lines.push(contextActionText(wait.action));
  lines.push(
    `\`holdfast status ${runId}\` shows all of it. ${finishLine(run, false, earlyWork)}`,
  );
  return lines;
}

/** Those that have a content that the text does not give, by their paths if they are files. */
function artifactsToLoad(
  due: readonly DueArtifact[],
  inlined: readonly InlinedFile[],
): string[] {
  const names: string[] = [];
  for (const { id, loaded } of due) {
    const isGiven = inlined.some((file) => file.id === id);
    if (loaded.kind !== 'text' || isGiven) continue;
    names.push(loaded.path === undefined ? id : `@${loaded.path}`);
  }
  return names;
}

/** For a session whose context was cleared although the run did not ask for it. */
function frameNotice(
  run: Run,
  reading: ReadingEntry[],
  { sources }: RestorationInput,
): string[] {
  const paths = reading.map((entry) => readingLine(entry, new Set()));
  const begins = isWaitingPhase(run.state)
    ? '; `holdfast resume` begins what waits'
    : '';
  return [
    ...headLines(
      'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
      run,
      sources,
    ),
    ...(paths.length === 0 ? [] : ['', 'Required reading']),
    ...firstLines(paths, MAX_PATHS, 'status'),
    '',
    `This session still holds the run: continue with it if the user wants to${begins} (\`holdfast guidance ${run.runId}\` shows everything about it). ${LET_GO}`,
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

/** A plan that only a file declares: no session has worked on it here, and nobody has changed its run. */
function isUntouched(offer: Offer): boolean {
  if (offer.kind === 'declared') return true;
  return offer.kind === 'run' && isOnlyDeclared(offer.run.state);
}

function isOnlyDeclared({ adopted, sessions, source }: RunState): boolean {
  const isFromFile = source?.kind === 'plan' || source?.kind === 'local-file';
  const wasHeld = (sessions?.session_history ?? []).length > 0;
  return isFromFile && adopted !== true && !wasHeld;
}

/** A line for a session that holds no run: what is in progress, who held it, since when. */
function offerLine(offer: Offer, context: RestorationInput): string {
  if (offer.kind === 'ended') return endedLine(offer.source, context.now);
  const { run, kind } = offer;
  const { workflow, phase, source } = run.state;
  const where = `${asWord(workflow)}, Phase ${phaseWords(phase, ' - ')}`;
  const path = asWord(source?.path ?? '');
  const standing = {
    run: `In progress here: ${where}, ${describeHolder(run.state, context)}`,
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
function toGoOn(run: Run): string {
  if (isWaitingPhase(run.state))
    return 'it waits for your word: say that it may begin, or type /holdfast:resume';
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
function offeredRuns(runs: readonly Run[]): string {
  const names = runs.map(
    ({ state }) =>
      `${asWord(state.workflow, MAX_OFFERED_NAME_CHARS)} (phase ${phaseWords(state.phase, ' - ')})`,
  );
  const which =
    runs.length === 1
      ? `${runs[0]?.runId} to continue`
      : '<name> to continue one';
  return `${someOf(names, MAX_OFFERED)}; type /holdfast:resume ${which}`;
}

/** Since when there is a run, and who works on it or did last. */
function describeHolder(state: RunState, context: LivenessContext): string {
  // The time of a file is that of the clone, which says nothing about the work.
  const started = isOnlyDeclared(state)
    ? `declared in ${asWord(state.source?.path ?? '')}`
    : `started ${timeAgo(state.created_at, context.now)}`;
  const holder = liveHolder(state, context);
  const record =
    holder === null
      ? state.sessions?.session_history?.at(-1)
      : sessionRecord(state, holder);
  if (record === undefined) return `${started}, held by nobody`;

  const held = holder === null ? 'last held' : 'held';
  const isElsewhere = record.environment?.machine !== undefined;
  const place = isElsewhere ? ' on another machine' : '';
  const isGone = goneSince(state, context) !== null;
  const gone = isGone ? ', whose client is gone' : '';
  const seen = timeAgo(lastSeen(record, context), context.now);
  return `${started}, ${held} by session ${shortId(record.session_id)}${place}${gone}, seen ${seen}`;
}
