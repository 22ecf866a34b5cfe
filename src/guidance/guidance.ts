import { noteText, notesOf } from '../state/notes.ts';
import { isCounted, phaseNumber } from '../state/phase-words.ts';
import type { RunState, Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import type { SourceFile } from '../sources/types.ts';
import { waysToAnswer } from '../machine/send-back.ts';
import { isOutOfPivots, templateNameOf, waitOf } from '../state/progress.ts';
import {
  asWord,
  fenced,
  formatEntry,
  quoted,
  sanitizeLine,
  wholeLine,
  truncate,
} from '../text/sanitize.ts';
import {
  isMissing,
  loadedText,
  type DueArtifact,
} from './artifacts/load-plain.ts';
import {
  fitLines,
  fitLists,
  joined,
  type FittedLists,
  type LineList,
  type Section,
  shrinkToFit,
} from './fit-lists.ts';
import { oneLine, phaseLines, sourceNote, staleLines } from './frame.ts';
import {
  isReadable,
  type ReadingEntry,
  MAX_LOOKUPS,
} from './reading/required-reading.ts';
import { filesLine, type ShownPaths, type StepFrame } from './step.ts';

export interface GuidanceInput {
  /** Whether the session has lost its conversation to a compaction. */
  isCompacted: boolean;
  run: Run;
  /** Whether the session started or resumed the run itself, rather than being given it. */
  isOwn: boolean;
  sources: readonly SourceFile[];
  /** Whether the agent waits for the user before it goes on. */
  confirms?: boolean;
  /** The client's file of the plan that was accepted in this session. */
  clientPlan?: string | undefined;
  /** What shows that a phase which waits for the user's word may have begun. */
  earlyWork?: string | null;
  step: StepFrame;
  paths: ShownPaths;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
  artifacts: DueArtifact[];
  todo: string[];
  others: string[];
  maxChars: number;
  inlineChars: number;
}

export interface Guidance extends Pick<FittedLists, 'omitted'> {
  text: string;
  sections: Section[];
  /** The files and artifacts whose content is in the text. */
  inlined: InlinedFile[];
  input: GuidanceInput;
}

/** The content of a required file, whose id is its `@path`, or of an artifact. */
export type InlinedFile = {
  id: string;
  title: string;
  content: string;
  block: string;
};

/** The host may cut longer texts; the model always sees this many characters. */
const ESSENTIAL_CHARS = 2_000;
/** Kept free for the lists, even if the whole budget is small. */
const CHARS_FOR_LISTS = 400;
/** Kept free to name required files, even if many phases were skipped for long reasons. */
const CHARS_FOR_READING = 200;
/** The shares of the lists are those of a text of this length, and scaled for others. */
const USUAL_CHARS = 8_000;
const MAX_PATH_CHARS = 240;
/** The empty line between two sections. */
const GAP_CHARS = 2;

/** Everything a session needs to continue a run, most important first, within the budget. */
export function buildGuidance(input: GuidanceInput): Guidance {
  const { artifacts, inlineChars, reading, contentOf } = input;
  const candidates = contentsFor(artifacts, inlineChars, reading, contentOf);
  // The contents of files can be read with the Read tool, so they are dropped first if space is short.
  for (let count = candidates.length; ; count -= 1) {
    const inlined = candidates.slice(0, count);
    const ids = new Set(inlined.map(({ id }) => id));
    const first = essentials(input, ids);
    const contents = contentSections(inlined);
    const space = input.maxChars - joined([...first, ...contents]).length;
    const { fitted, omitted, isShort } = fitLists(listsFor(input, ids), space);
    if (count > 0 && isShort) continue;
    // The contents of files stand before the todo list and the other runs.
    const sections = [...first, ...fitted.toSpliced(-2, 0, ...contents)].filter(
      (section) => section !== null,
    );
    return { text: joined(sections), sections, inlined, omitted, input };
  }
}

/** Title to ACTION REQUIRED, within the part that the model always sees. */
function essentials(
  input: GuidanceInput,
  inlined: ReadonlySet<string>,
): Section[] {
  const action = sectionOf('ACTION REQUIRED', [
    'ACTION REQUIRED',
    ...actionLines(input, inlined),
  ]);
  const limit = Math.min(ESSENTIAL_CHARS, input.maxChars - CHARS_FOR_LISTS);
  const hasReading = input.reading.length > 0;

  const lines = titleLines(input);
  const shortened = (max: number): string[] =>
    lines.map((line) => truncate(line, max));
  const charsForReading = hasReading ? CHARS_FOR_READING : 0;
  const space = limit - action.text.length - charsForReading - GAP_CHARS;
  const head = sectionOf(
    'head',
    shrinkToFit(shortened, ESSENTIAL_CHARS, space),
  );
  if (!hasReading) return [head, action];

  const files = input.reading.map((entry) => readingLine(entry, inlined));
  const list: LineList = {
    title: 'REQUIRED READING',
    // Paths that differ only in characters that are not shown become one line.
    entries: [...new Set(files)],
    share: 0,
    shownBy: 'holdfast status',
  };
  const left = limit - joined([head, action]).length - GAP_CHARS;
  return [head, fitLines(list, left), action];
}

function titleLines({
  isCompacted,
  run,
  sources,
  clientPlan,
}: GuidanceInput): string[] {
  const title = isCompacted
    ? 'WORKFLOW RESTORED AFTER COMPACTION'
    : 'WORKFLOW IN PROGRESS';
  const lines = headLines(title, run, sources);
  // The client gives it back by itself after a compaction, and says to continue with it.
  if (clientPlan !== undefined && isCompacted)
    lines.push(
      `The client also gives back the plan ${asWord(clientPlan)}; where it differs from this run, this run counts.`,
    );
  return lines;
}

function sectionOf(name: string, lines: string[]): Section {
  return { name, text: lines.join('\n'), cut: null };
}

/** Where the run stands, below a title. */
export function headLines(
  title: string,
  run: Run,
  sources: readonly SourceFile[],
): string[] {
  const { state } = run;
  const { workflow, workflow_type: type } = state;
  const template = templateNameOf(state);
  const lines = [title, '', `Workflow: ${oneLine(workflow)}`];
  if (template !== null) lines.push(`Template: ${oneLine(template)}`);
  if (type !== 'custom') lines.push(`Type: ${oneLine(type)}`);
  lines.push(...phaseLines(run), ...staleLines(state, sources));
  return lines;
}

/** What the line begins with by which the user sees that a run was restored. Only a whole guidance has it. */
export const RESTORED_MARK = '✅ Workflow';

export const LET_GO =
  'If this conversation is about something else, run `holdfast release`.';

/** What is to be done with the files, how the reply starts, how the phase ends. */
function actionLines(
  input: GuidanceInput,
  inlined: ReadonlySet<string>,
): string[] {
  const { isCompacted, run, reading, others, isOwn, sources } = input;
  const steps: string[] = [];
  const included = reading.filter(({ path }) => inlined.has(path)).length;
  const readable = reading.filter(isReadable).length;
  if (readable > 0) steps.push(readingStep(readable > included));
  steps.push(replyStep(input, goesOn(input)));
  // A phase that waits for the user's word says so itself.
  const asksFirst = input.confirms === true && !isWaitingPhase(run.state);
  if (isCompacted && asksFirst)
    steps.push(
      'The user decides: name the phase and wait for their word first.',
    );

  const hasFiles = reading.some(
    (entry) => entry.state === 'host' || isReadable(entry),
  );
  const counts = hasFiles
    ? 'these files and this run count'
    : 'this run counts';
  steps.push(
    `Where a summary differs, ${counts}; above all, the user's last word.`,
  );
  steps.push(...missingLine(input.artifacts));
  steps.push(finishLine(run, others.length > 0, input.earlyWork));
  const note = sourceNote(run, sources);
  if (note !== null) steps.push(note);
  if (!isOwn) steps.push(LET_GO);
  return steps.map((step, index) => `${index + 1}. ${step}`);
}

function readingStep(hasFilesToOpen: boolean): string {
  const toDo = hasFilesToOpen
    ? 'those without a mark whose content is not in this conversation still have to be opened with the Read tool.'
    : 'the content of those marked so is below. Open them again with the Read tool if they change.';
  return `The files above are required reading: ${toDo}`;
}

/** Whether the session has something to do before somebody says a word. */
function goesOn({ isCompacted, confirms, run }: GuidanceInput): boolean {
  const asksFirst = isCompacted && confirms === true;
  const waits = isWaitingPhase(run.state) || waitOf(run)?.for === 'approval';
  return !waits && !asksFirst;
}

/**
 * By this line, the user sees that the run was restored. The client says after a compaction to continue without a recap,
 * so the work follows at once.
 */
function replyStep(
  { isCompacted, run }: GuidanceInput,
  isWorkNext: boolean,
): string {
  const { workflow, phase, sessions, adopted } = run.state;
  const hasEarlierSession = sessions?.session_history?.[1] !== undefined;
  const isFirst = phase.current === 1 && !hasEarlierSession;
  // A file that somebody wrote by hand has been there before.
  const isNew = !isCompacted && isFirst && adopted === true;
  const verb = isNew ? 'begun' : 'restored';
  const number = isCounted(phase) ? phaseNumber(phase) : phase.label;
  const where = number === undefined ? '' : `, Phase ${number}`;
  const next = isWorkNext ? ', then go on' : '';
  return `Begin your next message with one line${next}: ${RESTORED_MARK} ${verb}: ${oneLine(workflow)}${where}`;
}

/** None if every required artifact is there. */
export function missingLine(artifacts: readonly DueArtifact[]): string[] {
  const named = artifacts
    .filter(isMissing)
    .map(({ id, loaded }) => `${id} (${loadedText(loaded, '')})`);
  if (named.length === 0) return [];
  const text = `Required and not there, so tell the user: ${named.join(', ')}`;
  return [oneLine(text, MAX_ARTIFACT_LINE_CHARS)];
}

/** Of a line that names artifacts. */
const MAX_ARTIFACT_LINE_CHARS = 400;

/** How the current phase or step ends. The user's terminal holds no run, so the commands for it always name one. */
export function finishLine(
  run: Run,
  isNamed = false,
  earlyWork: string | null = null,
): string {
  if (isWaitingPhase(run.state)) return waitingLine(run, isNamed, earlyWork);
  const wait = waitOf(run);
  // The user is told how to answer where only they read it.
  if (wait?.for === 'approval')
    return "This step waits for the user's approval: name what there is to look at, then stop.";
  const name = isNamed ? ` ${run.runId}` : '';
  if (wait?.for === 'tasks')
    return `Once the tasks of this step are known: holdfast tasks ${wait.loop}${isNamed ? ' --run' : ''}${name}`;
  const { machine, phase } = run.state;
  if (machine === undefined && !isCounted(phase))
    return `When this phase is done: holdfast advance${name} --name "<next phase>"; when all is done: holdfast complete${name}`;
  const isLast = phase.status === 'completed' && phase.current === phase.total;
  return `When done: holdfast ${isLast ? 'complete' : 'advance'}${name}`;
}

/** How a phase begins that waits for the user's word, and what shows that it may have begun without it. */
function waitingLine(
  { kind, runId }: Run,
  isNamed: boolean,
  earlyWork: string | null,
): string {
  const what = kind === 'template' ? 'step' : 'phase';
  const resume = `holdfast resume${isNamed ? ` ${runId}` : ''}`;
  const line = `This ${what} waits for the user's word and has not begun: name it and stop; \`${resume}\` begins it once the user says so.`;
  return earlyWork === null
    ? line
    : `This ${what} waits for the user's word; \`${resume}\` begins it. ${earlyWork} If so, run that now.`;
}

/** What the user answers an approval step with; a rejection that would be refused is not among it. */
export function answerCommands(run: Run): string {
  return waysToAnswer(` ${run.runId}`, isOutOfPivots(run)).replaceAll('`', '');
}

const MARKS: Partial<Record<ReadingEntry['state'], string>> = {
  host: 'loaded by the host',
  missing: 'missing',
  outside: 'outside the project',
  denied: 'kept from agents by a deny rule',
};

export function readingLine(
  { path, state }: ReadingEntry,
  inlined: ReadonlySet<string>,
): string {
  const shown = oneLine(path, MAX_PATH_CHARS);
  const mark =
    MARKS[state] ?? (inlined.has(path) ? 'content below' : undefined);
  return mark === undefined ? shown : `${shown} (${mark})`;
}

/** In their order; all but the last two stand before the contents of files. */
function listsFor(
  input: GuidanceInput,
  inlined: ReadonlySet<string>,
): LineList[] {
  const { run, step, artifacts, todo, others, maxChars } = input;
  const show = `holdfast show ${run.runId}`;
  const showNotes = `holdfast note --list --run ${run.runId}`;
  const list = (
    title: string,
    share: number,
    entries: string[],
    shownBy = show,
  ): LineList => ({
    title,
    entries,
    share: (share * maxChars) / USUAL_CHARS,
    shownBy,
  });
  const reminders = (run.state.key_reminders ?? []).map(
    (text) => `- ${wholeLine(text)}`,
  );
  const notes = notesOf(run.state).map(
    (note) => `- ${wholeLine(noteText(note))}`,
  );
  const due = artifacts
    .filter((one) => !isMissing(one))
    .map((one) => artifactLine(one, inlined.has(one.id)));
  const otherRuns = others.map((line) => `- ${line}`);
  return [
    { ...list('Key Reminders', 900, [...new Set(reminders)]), shortens: true },
    {
      ...list('Decisions and dead ends', 900, notes, showNotes),
      others: 'older',
    },
    list(step.title, 1_600, step.instructions, 'holdfast status'),
    { ...list('Preserved', 1_000, step.preserved), shortens: true },
    { ...list('Feedback', 1_000, step.feedback), shortens: true },
    { ...list('Context', 700, contextLines(input)), shortens: true },
    list('Critical artifacts', 600, due, 'holdfast prime --dry-run'),
    list('Todo', 300, todo, 'holdfast todo'),
    list('Other active runs', 500, otherRuns, 'holdfast list'),
  ];
}

function contextLines({
  run: { state },
  step,
  paths,
}: GuidanceInput): string[] {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(state.context ?? {}))
    if (!step.hidden.has(`context ${key}`)) lines.push(formatEntry(key, value));
  for (const [key, path] of Object.entries(state.artifacts ?? {})) {
    // Required files are already listed under REQUIRED READING.
    const isListed =
      step.hidden.has(`artifact ${key}`) || paths.isRequired(path);
    if (!isListed) lines.push(formatEntry(key, paths.resolve(path)));
  }
  lines.push(...phaseOutputs(state, paths).toReversed(), ...step.outputs);
  return lines.map((line) => `- ${line}`);
}

/** What each phase handed on, from the first to the last. */
function phaseOutputs(state: RunState, paths: ShownPaths): string[] {
  const lines: string[] = [];
  for (const [phase, output] of Object.entries(state.outputs ?? {})) {
    const { text, artefacts } = output;
    const maker = isCounted(state.phase)
      ? `phase ${sanitizeLine(phase)}`
      : 'an earlier phase';
    if (text !== undefined)
      lines.push(`output of ${maker}: ${wholeLine(text)}`);
    if (artefacts !== undefined) lines.push(filesLine(maker, artefacts, paths));
  }
  return lines;
}

/** A repository may require any number of tiny files, and fitting each one takes time. */
const MAX_FILES = 40;

/** Required files, then artifacts, whole and in order, while they fit. */
export function contentsFor(
  artifacts: readonly DueArtifact[],
  inlineChars: number,
  reading: readonly ReadingEntry[] = [],
  contentOf: GuidanceInput['contentOf'] = () => undefined,
): InlinedFile[] {
  const candidates = [
    ...filesToInline(reading, contentOf),
    ...artifactsToInline(artifacts),
  ];
  let left = inlineChars;
  const files: InlinedFile[] = [];
  for (const { id, title, read } of candidates) {
    if (left <= 0 || files.length === MAX_FILES) break;
    const content = read() ?? '';
    // The same content is shown once.
    const isShown = files.some((file) => file.content === content);
    const size = isShown ? 0 : content.length;
    if (content.trim() === '' || size > left) continue;
    left -= size;
    files.push({ id, title, content, block: fenced(content) });
  }
  return files;
}

interface InlineCandidate {
  id: string;
  title: string;
  /** Called only while there is space, because it may read a file. */
  read: () => string | undefined;
}

function filesToInline(
  reading: readonly ReadingEntry[],
  contentOf: GuidanceInput['contentOf'],
): InlineCandidate[] {
  const readable = reading.filter(isReadable).slice(0, MAX_LOOKUPS);
  return readable.map(({ path }) => ({
    id: path,
    title: asWord(path, MAX_PATH_CHARS),
    read: () => contentOf(path),
  }));
}

function artifactsToInline(
  artifacts: readonly DueArtifact[],
): InlineCandidate[] {
  const candidates: InlineCandidate[] = [];
  for (const { id, loaded } of artifacts) {
    if (loaded.kind !== 'text') continue;
    const { path } = loaded;
    const place =
      path === undefined ? '' : ` (${asWord(`@${path}`, MAX_PATH_CHARS)})`;
    const title = `Artifact ${id}${place}`;
    candidates.push({ id, title, read: () => loaded.text });
  }
  return candidates;
}

/** Files with the same content share one section. */
export function contentSections(inlined: readonly InlinedFile[]): Section[] {
  const titles = new Map<string, string[]>();
  for (const { title, block } of inlined)
    titles.set(block, [
      ...(titles.get(block) ?? []),
      oneLine(title, MAX_PATH_CHARS),
    ]);
  return [...titles].map(([block, names]) =>
    sectionOf(`content of ${names.join(', ')}`, [names.join(', '), block]),
  );
}

/** Of the description of an artifact. */
const MAX_ABOUT_CHARS = 200;

/** One line for each artifact: its path and size, or what to do about it. */
function artifactLine(
  { id, description, loaded }: DueArtifact,
  isInlined: boolean,
): string {
  const about =
    description === undefined
      ? ''
      : ` (${quoted(description, MAX_ABOUT_CHARS)})`;
  const note =
    loaded.kind === 'text' && loaded.note !== undefined
      ? `, ${loaded.note}`
      : '';
  const text = isInlined
    ? 'content below'
    : loadedText(loaded, '`holdfast prime` loads it');
  return truncate(
    `- ${sanitizeLine(`${id}${about}`)}: ${sanitizeLine(text + note)}`,
    MAX_ARTIFACT_LINE_CHARS,
  );
}

/** What a guidance leaves out, and why, for people who ask. */
export function leftOutOf({ omitted, input, inlined }: Guidance): string[] {
  const { step, reading, contentOf } = input;
  const lines: string[] = [];
  for (const { title, shownBy } of omitted)
    lines.push(`${title}: left out for lack of space; \`${shownBy}\` shows it`);
  for (const key of step.unknown)
    lines.push(`${quoted(key)} should be preserved, but does not exist yet`);
  for (const id of step.leftBehind)
    lines.push(
      `${asWord(id)}: the transition into this step does not preserve it`,
    );

  const ids = new Set(inlined.map(({ id }) => id));
  for (const entry of reading) {
    if (!isReadable(entry) || ids.has(entry.path)) continue;
    const content = contentOf(entry.path);
    if (content?.trim() === '') continue;
    const why =
      content === undefined
        ? 'not a text file, too large, or withheld from agents'
        : `no space for its ${content.length} characters`;
    lines.push(
      `content of ${asWord(entry.path)}: ${why}; listed for the Read tool`,
    );
  }
  return lines;
}
