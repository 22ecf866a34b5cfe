import type { RunState, StoredRun } from '../state/types.ts';
import { fitLines, fitLists, joined, reserved, type LineList, type Section } from './budget.ts';
import { artifactLines, inlineArtifacts, type DueArtifact } from './artifacts.ts';
import { inlineFiles, type InlinedFile } from './inline.ts';
import { entryLine, oneLine, shortened } from './plain.ts';
import type { ReadingEntry } from './reading-list.ts';
import { outputLines, stepLines, stepTitle } from './step.ts';
import { todoLines, type TodoView } from './todo.ts';
import type { StepView } from '../workflow/run-view.ts';

/** The model surely sees this much, whatever the host does with the rest. */
const ESSENTIAL = 2_000;
/** Where the budget is as small as that, reminders still get a word. */
const KEPT_FOR_LISTS = 400;
const MAX_LINE = 400;
const MAX_NAME = 160;
const MAX_PATH = 240;

/** A file that the host keeps in the context, and the phase that it still says. */
export interface StalePhase {
  path: string;
  says: string;
}

export interface GuidanceInput {
  title: string;
  run: StoredRun;
  /** Null for a run without a template. */
  step: StepView | null;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
  /** The critical artifacts that are due now. */
  artifacts: DueArtifact[];
  /** Null where the run has written to no todo list. */
  todo: TodoView | null;
  others: string[];
  /** Sentences about this session and this run, such as that it may be ignored. */
  notes: string[];
  stalePhase: StalePhase | null;
  maxChars: number;
  inlineChars: number;
}

export interface Guidance {
  text: string;
  sections: Section[];
  /** The files and artifacts whose content is in the text. */
  inlined: InlinedFile[];
  /** What is not in the text at all, and why. */
  leftOut: string[];
}

/** Everything a session needs to go on with a run, most important first, within its budget. */
export function buildGuidance(input: GuidanceInput): Guidance {
  const candidates = contentsFor(input);
  // Contents of files are named for the Read tool as well: they make way for what is nowhere else.
  for (let count = candidates.length; ; count -= 1) {
    const inlined = candidates.slice(0, count);
    const given = new Set(inlined.map(({ id }) => id));
    const first = essentials(input, given);
    const lists = listsOf(input, given);
    const contents = inlined.map(contentSection);
    const room = input.maxChars - joined([...first, ...contents]).length;
    if (count > 0 && room < reserved(lists)) continue;

    const { fitted, omitted } = fitLists(lists, room);
    const [keyReminders, instructions, context, artifacts, ...last] = fitted;
    const sections = [
      ...first,
      keyReminders,
      instructions,
      context,
      artifacts,
      ...contents,
      ...last,
    ].filter((section) => section !== undefined && section !== null);
    const leftOut = [...omitted, ...notInlined(input, inlined)];
    return { text: joined(sections), sections, inlined, leftOut };
  }
}

/** Required files first; artifacts have what those leave. */
function contentsFor({ reading, contentOf, artifacts, inlineChars }: GuidanceInput): InlinedFile[] {
  const files = inlineFiles(reading, contentOf, inlineChars);
  const used = files.reduce((sum, { content }) => sum + content.length, 0);
  return [...files, ...inlineArtifacts(artifacts, inlineChars - used)];
}

/** In the order in which they are given; each is sure of its share, and may have what the others leave. */
function listsOf(
  { run, step, artifacts, todo, others, maxChars }: GuidanceInput,
  given: ReadonlySet<string>,
): LineList[] {
  const scale = maxChars / 8_000;
  const status = 'holdfast status';
  return [
    {
      title: 'Key Reminders',
      lines: reminderLines(run.state),
      share: 900 * scale,
      shownBy: status,
    },
    {
      title: stepTitle(step),
      lines: stepLines(step),
      share: 1_600 * scale,
      shownBy: status,
    },
    { title: 'Context', lines: contextLines(run.state, step), share: 700 * scale, shownBy: status },
    {
      title: 'Critical artifacts',
      lines: artifactLines(artifacts, given),
      share: 600 * scale,
      shownBy: 'holdfast prime --dry-run',
    },
    { title: 'Todo', lines: todoLines(todo), share: 300 * scale, shownBy: 'holdfast todo' },
    {
      title: 'Other active runs',
      lines: others.map((line) => `- ${line}`),
      share: 500 * scale,
      shownBy: 'holdfast list',
    },
  ];
}

function contentSection({ title, block }: InlinedFile): Section {
  const shown = shortened(oneLine(title), MAX_PATH);
  return { name: `content of ${shown}`, text: `${shown}\n${block}`, cut: null };
}

function notInlined(
  { reading, contentOf, inlineChars }: GuidanceInput,
  inlined: InlinedFile[],
): string[] {
  const given = new Set(inlined.map(({ id }) => id));
  return reading.flatMap(({ path, state }) => {
    if (given.has(path) || state === 'missing' || state === 'outside' || state === 'host')
      return [];
    const content = contentOf(path);
    if (content?.trim() === '') return [];
    const why =
      content === undefined
        ? 'it is no text, or too large'
        : content.length > inlineChars
          ? `its ${content.length} characters are more than the ${inlineChars} for contents`
          : `there was no room for its ${content.length} characters`;
    return [
      `content of ${shortened(oneLine(path), MAX_PATH)}: ${why}; it is named for the Read tool`,
    ];
  });
}

/** Title to ACTION REQUIRED: together they fit into what the model sees in any case. */
function essentials(input: GuidanceInput, inlined: ReadonlySet<string>): Section[] {
  const head: Section = { name: 'head', text: headLines(input).join('\n'), cut: null };
  const action: Section = {
    name: 'ACTION REQUIRED',
    text: actionLines(input, inlined).join('\n'),
    cut: null,
  };
  if (input.reading.length === 0) return [head, action];
  const limit = Math.min(ESSENTIAL, input.maxChars - KEPT_FOR_LISTS);
  const room = limit - head.text.length - action.text.length - 4;
  // Names that differ in what cannot be shown are one request.
  const lines = [...new Set(input.reading.map((entry) => readingLine(entry, inlined)))];
  const reading = fitLines('REQUIRED READING', 'REQUIRED READING', lines, room, 'holdfast status');
  return [head, reading, action];
}

function headLines({ title, run, stalePhase }: GuidanceInput): string[] {
  const { workflow, workflow_type: type, phase } = run.state;
  return [
    title,
    '',
    `Workflow: ${name(workflow)}`,
    `Type: ${name(type)}`,
    `Phase: ${phaseWords(run.state)} (${phase.status})`,
    ...staleLines(stalePhase),
  ];
}

export function staleLines(stale: StalePhase | null): string[] {
  if (stale === null) return [];
  const file = shortened(oneLine(stale.path), 80);
  return [
    `This replaces the Phase line of ${file}, which still says ${shortened(oneLine(stale.says), 80)}.`,
  ];
}

export function phaseWords({ phase }: RunState): string {
  return `${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${name(phase.name)}`}`;
}

function name(text: string): string {
  return shortened(oneLine(text), MAX_NAME);
}

export function readingLine({ path, state }: ReadingEntry, inlined: ReadonlySet<string>): string {
  const shown = shortened(oneLine(path), MAX_PATH);
  if (state === 'host') return `loaded by the host: ${shown}`;
  if (state === 'missing') return `${shown} (missing)`;
  if (state === 'outside') return `${shown} (outside the project)`;
  if (inlined.has(path)) return `${shown} (content below)`;
  return shown === path ? shown : `${shown} (\`holdfast status --json\` has its exact name)`;
}

function actionLines(
  { run, reading, notes }: GuidanceInput,
  inlined: ReadonlySet<string>,
): string[] {
  const { workflow, phase } = run.state;
  const isAskedFor = ({ path, state }: ReadingEntry): boolean =>
    !inlined.has(path) && (state === 'unread' || state === 'changed' || state === 'in_context');
  const asked = reading.filter(isAskedFor).length;
  const files =
    asked === 0
      ? !reading.some(({ path }) => inlined.has(path))
        ? null
        : 'The files above are required reading for this workflow; their content is below, and the Read tool opens them again if they change.'
      : asked === reading.length
        ? 'The files above are required reading for this workflow and are to be opened with the Read tool now.'
        : 'The files above are required reading for this workflow: those without a mark are to be opened with the Read tool now.';
  const steps = [
    files,
    `The reply then begins: ✅ Workflow restored: ${name(workflow)}, Phase ${phase.current}/${phase.total}`,
    reading.length === 0
      ? 'Nothing is assumed about this workflow that is not stated here.'
      : 'Nothing is assumed about this workflow that is not in these files or stated here.',
    'When done: holdfast advance',
    ...notes,
  ].filter((step) => step !== null);
  return ['ACTION REQUIRED', ...steps.map((step, index) => `${index + 1}. ${step}`)];
}

function reminderLines(state: RunState): string[] {
  return (state.key_reminders ?? []).map((text) => `- ${shortened(oneLine(text), MAX_LINE)}`);
}

function contextLines(state: RunState, step: StepView | null): string[] {
  const facts = Object.entries(state.context ?? {}).map(([key, value]) => entryLine(key, value));
  const files = Object.entries(state.artifacts ?? {}).map(([key, path]) => entryLine(key, path));
  const outputs = Object.entries(state.outputs ?? {}).flatMap(([phase, { text, artefacts }]) => [
    ...(text === undefined ? [] : [`output of phase ${oneLine(phase)}: ${oneLine(text)}`]),
    ...(artefacts === undefined
      ? []
      : [`made in phase ${oneLine(phase)}: ${artefacts.map(oneLine).join(', ')}`]),
  ]);
  return [...facts, ...files, ...outputs.toReversed(), ...outputLines(step)].map(
    (line) => `- ${shortened(line, MAX_LINE)}`,
  );
}
