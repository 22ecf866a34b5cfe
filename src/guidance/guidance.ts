import type { RunState, StoredRun } from '../state/types.ts';
import { fitLines, joined, type Section } from './budget.ts';
import { inlineFiles, type InlinedFile } from './inline.ts';
import { entryLine, oneLine, shortened } from './plain.ts';
import type { ReadingEntry } from './reading-list.ts';

/** The model surely sees this much, whatever the host does with the rest. */
const ESSENTIAL = 2_000;
const MAX_LINE = 400;
const MAX_NAME = 160;
const MAX_PATH = 240;
/** A section with less room than this would say nothing. */
const MIN_SECTION = 60;

/** A file that the host keeps in the context, and the phase that it still says. */
export interface StalePhase {
  path: string;
  says: string;
}

export interface GuidanceInput {
  title: string;
  run: StoredRun;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
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
  /** The files whose content is in the text. */
  inlined: InlinedFile[];
}

/** Everything a session needs to go on with a run, most important first, within its budget. */
export function buildGuidance(input: GuidanceInput): Guidance {
  const candidates = inlineFiles(input.reading, input.contentOf, input.inlineChars);
  for (let count = candidates.length; ; count -= 1) {
    const inlined = candidates.slice(0, count);
    const sections = assemble(input, inlined);
    const text = joined(sections);
    if (text.length <= input.maxChars || count === 0) return { text, sections, inlined };
  }
}

function assemble(input: GuidanceInput, files: InlinedFile[]): Section[] {
  const { state } = input.run;
  const sections = essentials(input, new Set(files.map(({ path }) => path)));
  const contents = files.map(({ path, block }): Section => {
    const title = shortened(oneLine(path), MAX_PATH);
    return { name: `content of ${title}`, text: `${title}\n${block}`, cut: null };
  });
  const scale = input.maxChars / 8_000;
  // Each gets its share at most, and the last ones what is left: none starves the next.
  let left = input.maxChars - joined([...sections, ...contents]).length;
  const fitted = (lines: string[], title: string, share: number, shownBy: string): Section[] => {
    const cap = Math.min(share * scale, left - 2);
    if (lines.length === 0 || cap < MIN_SECTION) return [];
    const section = fitLines(title, title, lines, cap, shownBy);
    left -= section.text.length + 2;
    return [section];
  };
  const status = 'holdfast status';
  const keyReminders = fitted(reminderLines(state), 'Key Reminders', 900, status);
  const context = fitted(contextLines(state), 'Context', 700, status);
  const others = input.others.map((line) => `- ${line}`);
  const otherRuns = fitted(others, 'Other active runs', 500, 'holdfast list');
  return [...sections, ...keyReminders, ...context, ...contents, ...otherRuns];
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
  const room = Math.min(ESSENTIAL, input.maxChars) - head.text.length - action.text.length - 4;
  const lines = input.reading.map((entry) => readingLine(entry, inlined));
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
    ...(stalePhase === null
      ? []
      : [
          `This replaces the Phase line of ${shortened(oneLine(stalePhase.path), 80)}, which still says ${shortened(oneLine(stalePhase.says), 80)}.`,
        ]),
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
  return inlined.has(path) ? `${shown} (content below)` : shown;
}

function actionLines(
  { run, reading, notes }: GuidanceInput,
  inlined: ReadonlySet<string>,
): string[] {
  const { workflow, phase } = run.state;
  const isAskedFor = ({ path, state }: ReadingEntry): boolean =>
    !inlined.has(path) && (state === 'unread' || state === 'changed' || state === 'in_context');
  const toOpen = reading.some(isAskedFor);
  const given = reading.some(({ path }) => inlined.has(path));
  const files =
    toOpen && given
      ? 'The files above are required reading for this workflow: those whose content is not below are to be opened with the Read tool now.'
      : toOpen
        ? 'The files above are required reading for this workflow and are to be opened with the Read tool now.'
        : given
          ? 'The files above are required reading for this workflow; their content is below, and the Read tool opens them again if they change.'
          : null;
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

function contextLines(state: RunState): string[] {
  const facts = Object.entries(state.context ?? {}).map(([key, value]) => entryLine(key, value));
  const files = Object.entries(state.artifacts ?? {}).map(([key, path]) => entryLine(key, path));
  const outputs = Object.entries(state.outputs ?? {}).flatMap(([phase, { text, artefacts }]) => [
    ...(text === undefined ? [] : [`output of phase ${oneLine(phase)}: ${oneLine(text)}`]),
    ...(artefacts === undefined
      ? []
      : [`made in phase ${oneLine(phase)}: ${artefacts.map(oneLine).join(', ')}`]),
  ]);
  return [...facts, ...files, ...outputs.toReversed()].map(
    (line) => `- ${shortened(line, MAX_LINE)}`,
  );
}
