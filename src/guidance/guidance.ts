import { noteText, notesOf } from '../state/notes.ts';
import { isCounted } from '../state/phases.ts';
import type { StoredRun } from '../state/types.ts';
import type { SourceFile } from '../sources/types.ts';
import { waysToAnswer } from '../machine/pivot.ts';
import { isOutOfPivots, templateNameOf, waitOf } from '../state/progress.ts';
import {
  asWord,
  fenced,
  formatEntry,
  quoted,
  sanitizeLine,
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
  oneLine,
  phaseLines,
  sourceNote,
  staleLines,
  type FittedLists,
  type LineList,
  type Section,
  shrinkToFit,
} from './frame.ts';
import {
  isReadable,
  type ReadingEntry,
  MAX_LOOKUPS,
} from './reading/required-reading.ts';
import { filesLine, type ShownPaths, type StepFrame } from './step.ts';

export interface GuidanceInput {
  /** Whether the session has lost its conversation to a compaction. */
  isCompacted: boolean;
  run: StoredRun;
  /** Whether the session started or resumed the run itself, rather than being given it. */
  isOwn: boolean;
  sources: readonly SourceFile[];
  /** Whether the agent waits for the user before it goes on. */
  confirms?: boolean;
  /** The client's file of the plan that was accepted in this session. */
  clientPlan?: string | undefined;
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
const ESSENTIAL = 2_000;
/** Kept free for the lists, even if the whole budget is small. */
const KEPT_FOR_LISTS = 400;
/** Kept free to name required files, even if many phases were skipped for long reasons. */
const KEPT_FOR_READING = 200;
const MAX_PATH = 240;

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
  const limit = Math.min(ESSENTIAL, input.maxChars - KEPT_FOR_LISTS);
  const { isCompacted, run, sources, clientPlan } = input;
  const title = isCompacted
    ? 'WORKFLOW RESTORED AFTER COMPACTION'
    : 'WORKFLOW IN PROGRESS';
  const lines = headLines(title, run, sources);
  // The client gives it back by itself after a compaction, and says to continue with it.
  if (clientPlan !== undefined && isCompacted)
    lines.push(
      `The client also gives back the plan ${asWord(clientPlan)}; where it differs from this run, this run counts.`,
    );
  const shortened = (max: number): string[] =>
    lines.map((line) => truncate(line, max));
  const kept = input.reading.length === 0 ? 0 : KEPT_FOR_READING;
  const space = limit - action.text.length - kept - 2;
  const head = sectionOf('head', shrinkToFit(shortened, ESSENTIAL, space));
  if (kept === 0) return [head, action];
  const list = {
    title: 'REQUIRED READING',
    // Paths that differ only in characters that are not shown become one line.
    entries: [
      ...new Set(input.reading.map((entry) => readingLine(entry, inlined))),
    ],
    share: 0,
    shownBy: 'holdfast status',
  };
  return [
    head,
    fitLines(list, limit - joined([head, action]).length - 2),
    action,
  ];
}

function sectionOf(name: string, lines: string[]): Section {
  return { name, text: lines.join('\n'), cut: null };
}

export function headLines(
  title: string,
  run: StoredRun,
  sources: readonly SourceFile[],
): string[] {
  const { state } = run;
  const { workflow, workflow_type: type } = state;
  const template = templateNameOf(state);
  return [
    title,
    '',
    `Workflow: ${oneLine(workflow)}`,
    ...(template === null ? [] : [`Template: ${oneLine(template)}`]),
    ...(type === 'custom' ? [] : [`Type: ${oneLine(type)}`]),
    ...phaseLines(run),
    ...staleLines(state, sources),
  ];
}

export const LET_GO =
  'If this conversation is about something else, run `holdfast release`.';

/** What is to be done with the files, how the reply starts, how the phase ends. */
function actionLines(
  input: GuidanceInput,
  inlined: ReadonlySet<string>,
): string[] {
  const { isCompacted, run, reading, others, isOwn, sources } = input;
  const { workflow, phase, sessions, adopted } = run.state;
  const isFirst =
    phase.current === 1 && sessions?.session_history?.[1] === undefined;
  // A file that somebody wrote by hand has been there before.
  const isNew = !isCompacted && isFirst && adopted === true;
  const included = reading.filter(({ path }) => inlined.has(path)).length;
  const asked = reading.filter(isReadable).length - included;
  const isAnyThere = reading.some(
    (entry) => entry.state === 'host' || isReadable(entry),
  );
  const toDo =
    asked > 0
      ? '; those without a mark still have to be opened with the Read tool.'
      : '; the content of those marked so is below. Open them again with the Read tool if they change.';
  return [
    asked + included > 0 &&
      `The files above are required reading for this workflow${toDo}`,
    `The first reply starts with: ✅ Workflow ${isNew ? 'begun' : 'restored'}: ${oneLine(workflow)}${isCounted(phase) ? `, Phase ${phase.current}/${phase.total}` : ''}`,
    isCompacted &&
      input.confirms === true &&
      'The user decides: name the phase and wait for their word first.',
    `Assume nothing beyond ${isAnyThere ? 'these files and ' : ''}this message.`,
    ...missingLine(input.artifacts),
    finishLine(run, others.length > 0),
    sourceNote(run, sources),
    !isOwn && LET_GO,
  ]
    .filter((step) => typeof step === 'string')
    .map((step, index) => `${index + 1}. ${step}`);
}

export function missingLine(artifacts: readonly DueArtifact[]): string[] {
  const named = artifacts
    .filter(isMissing)
    .map(({ id, loaded }) => `${id} (${loadedText(loaded, '')})`);
  return named.length === 0
    ? []
    : [
        oneLine(
          `Required and not there, so tell the user: ${named.join(', ')}`,
          400,
        ),
      ];
}

/** How the current phase or step ends. The user's terminal holds no run, so the commands for it always name one. */
export function finishLine(run: StoredRun, isNamed = false): string {
  const wait = waitOf(run);
  if (wait?.for === 'approval')
    return `This step waits for the answer of the user, who types ${answerCommands(run)}`;
  const name = isNamed ? ` ${run.runId}` : '';
  if (wait?.for === 'tasks')
    return `Once the tasks of this step are known: holdfast tasks ${wait.loop}${isNamed ? ' --run' : ''}${name}`;
  const { machine, phase } = run.state;
  if (machine === undefined && !isCounted(phase))
    return `When this phase is done: holdfast advance${name} --name "<next phase>"; when all is done: holdfast complete${name}`;
  const isLast = phase.status === 'completed' && phase.current === phase.total;
  return `When done: holdfast ${isLast ? 'complete' : 'advance'}${name}`;
}

/** What the user answers an approval step with; a rejection that would be refused is not among it. */
export const answerCommands = (run: StoredRun): string =>
  waysToAnswer(` ${run.runId}`, isOutOfPivots(run)).replaceAll('`', '');

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
  const shown = oneLine(path, MAX_PATH);
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
    share: (share * maxChars) / 8_000,
    shownBy,
  });
  const reminders = (run.state.key_reminders ?? []).map(
    (text) => `- ${sanitizeLine(text)}`,
  );
  const notes = notesOf(run.state).map(
    (note) => `- ${sanitizeLine(noteText(note))}`,
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
  const earlier = (phase: string): string =>
    isCounted(state.phase)
      ? `phase ${sanitizeLine(phase)}`
      : 'an earlier phase';
  const outputs = Object.entries(state.outputs ?? {}).flatMap(
    ([phase, { text, artefacts }]) => [
      ...(text === undefined
        ? []
        : [`output of ${earlier(phase)}: ${sanitizeLine(text)}`]),
      ...(artefacts === undefined
        ? []
        : [filesLine(earlier(phase), artefacts, paths)]),
    ],
  );
  return [
    ...Object.entries(state.context ?? {})
      .filter(([key]) => !step.hidden.has(`context ${key}`))
      .map(([key, value]) => formatEntry(key, value)),
    // Required files are already listed under REQUIRED READING.
    ...Object.entries(state.artifacts ?? {})
      .filter(
        ([key, path]) =>
          !step.hidden.has(`artifact ${key}`) && !paths.isRequired(path),
      )
      .map(([key, path]) => formatEntry(key, paths.resolve(path))),
    ...outputs.toReversed(),
    ...step.outputs,
  ].map((line) => `- ${line}`);
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
    ...reading
      .filter(isReadable)
      .slice(0, MAX_LOOKUPS)
      .map(({ path }) => ({
        id: path,
        title: path,
        read: () => contentOf(path),
      })),
    ...artifacts.flatMap(({ id, loaded }) => {
      if (loaded.kind !== 'text') return [];
      const place = loaded.path === undefined ? '' : ` (@${loaded.path})`;
      return [{ id, title: `Artifact ${id}${place}`, read: () => loaded.text }];
    }),
  ];
  let left = inlineChars;
  const files: InlinedFile[] = [];
  for (const { id, title, read } of candidates) {
    if (left <= 0 || files.length === MAX_FILES) break;
    const content = read() ?? '';
    const size = files.some((file) => file.content === content)
      ? 0
      : content.length;
    if (content.trim() === '' || size > left) continue;
    left -= size;
    files.push({ id, title, content, block: fenced(content) });
  }
  return files;
}

/** Files with the same content share one section. */
export function contentSections(inlined: readonly InlinedFile[]): Section[] {
  const titles = new Map<string, string[]>();
  for (const { title, block } of inlined)
    titles.set(block, [...(titles.get(block) ?? []), oneLine(title, MAX_PATH)]);
  return [...titles].map(([block, names]) =>
    sectionOf(`content of ${names.join(', ')}`, [names.join(', '), block]),
  );
}

const MAX_ABOUT = 200;

/** One line for each artifact: its path and size, or what to do about it. */
function artifactLine(
  { id, description, loaded }: DueArtifact,
  isInlined: boolean,
): string {
  const about =
    description === undefined ? '' : ` (${quoted(description, MAX_ABOUT)})`;
  const note =
    loaded.kind === 'text' && loaded.note !== undefined
      ? `, ${loaded.note}`
      : '';
  const text = isInlined
    ? 'content below'
    : loadedText(loaded, '`holdfast prime` loads it');
  return truncate(
    `- ${sanitizeLine(`${id}${about}`)}: ${sanitizeLine(text + note)}`,
    400,
  );
}

/** What a guidance leaves out, and why, for people who ask. */
export function leftOutOf({ omitted, input, inlined }: Guidance): string[] {
  const { step, reading, contentOf } = input;
  const ids = new Set(inlined.map(({ id }) => id));
  return [
    ...omitted.map(
      ({ title, shownBy }) =>
        `${title}: left out for lack of space; \`${shownBy}\` shows it`,
    ),
    ...step.unknown.map(
      (key) => `${quoted(key)} should be preserved, but does not exist yet`,
    ),
    ...step.leftBehind.map(
      (id) =>
        `${asWord(id)}: the transition into this step does not preserve it`,
    ),
    ...reading
      .filter((entry) => isReadable(entry) && !ids.has(entry.path))
      .flatMap(({ path }) => {
        const content = contentOf(path);
        if (content?.trim() === '') return [];
        const why =
          content === undefined
            ? 'not a text file, too large, or withheld from agents'
            : `no space for its ${content.length} characters`;
        return [`content of ${asWord(path)}: ${why}; listed for the Read tool`];
      }),
  ];
}
