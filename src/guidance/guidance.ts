import type { RunState, StoredRun } from '../state/types.ts';
import { fitLines, joined, type Section } from './budget.ts';
import { inlineFiles, type InlinedFile } from './inline.ts';
import { entryLine, oneLine, shortened } from './plain.ts';
import type { ReadingEntry } from './reading-list.ts';

/** The model surely sees this much, whatever the host does with the rest. */
const ESSENTIAL = 2_000;
const MAX_LINE = 400;
const MAX_NAME = 160;

export interface GuidanceInput {
  title: string;
  run: StoredRun;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
  others: string[];
  /** Sentences about this session and this run, such as that it may be ignored. */
  notes: string[];
  /** What CLAUDE.local.md still says of the phase, where the state has moved on. */
  stalePhase: string | null;
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
  const inline = inlineFiles(input.reading, input.contentOf, input.inlineChars);
  const scale = input.maxChars / 8_000;
  const rest = [
    reminders(input.run.state, 900 * scale),
    context(input.run.state, 700 * scale),
    otherRuns(input.others, 500 * scale),
  ];
  let files = inline;
  for (;;) {
    const sections = assemble(input, files, rest);
    const text = joined(sections);
    if (text.length <= input.maxChars || files.length === 0)
      return { text, sections, inlined: files };
    files = files.slice(0, -1);
  }
}

function assemble(input: GuidanceInput, files: InlinedFile[], rest: (Section | null)[]): Section[] {
  const inlined = new Set(files.map(({ path }) => path));
  const [keyReminders = null, facts = null, others = null] = rest;
  return [
    ...essentials(input, inlined),
    keyReminders,
    facts,
    ...files.map(({ path, block }) => ({
      name: `content of ${path}`,
      text: `${path}\n${block}`,
      cut: null,
    })),
    others,
  ].filter((section) => section !== null);
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
  const room = ESSENTIAL - head.text.length - action.text.length - 4;
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
          `This replaces the Phase line of CLAUDE.local.md, which still says ${shortened(oneLine(stalePhase), 80)}.`,
        ]),
  ];
}

export function phaseWords({ phase }: RunState): string {
  return `${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${name(phase.name)}`}`;
}

function name(text: string): string {
  return shortened(oneLine(text), MAX_NAME);
}

function readingLine({ path, state }: ReadingEntry, inlined: ReadonlySet<string>): string {
  const shown = shortened(oneLine(path), 240);
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
          ? 'The files above are required reading for this workflow; their content is below.'
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

function reminders(state: RunState, cap: number): Section | null {
  const lines = (state.key_reminders ?? []).map(
    (text) => `- ${shortened(oneLine(text), MAX_LINE)}`,
  );
  return listed('Key Reminders', lines, cap);
}

function context(state: RunState, cap: number): Section | null {
  const entries = Object.entries(state.context ?? {}).map(([key, value]) => entryLine(key, value));
  const outputs = Object.entries(state.outputs ?? {}).flatMap(([phase, { text, artefacts }]) => [
    ...(text === undefined ? [] : [`output of phase ${oneLine(phase)}: ${oneLine(text)}`]),
    ...(artefacts === undefined
      ? []
      : [`made in phase ${oneLine(phase)}: ${artefacts.map(oneLine).join(', ')}`]),
  ]);
  const artifacts = Object.entries(state.artifacts ?? {}).map(([key, path]) =>
    entryLine(key, path),
  );
  const lines = [...entries, ...artifacts, ...outputs.toReversed()];
  return listed(
    'Context',
    lines.map((line) => `- ${shortened(line, MAX_LINE)}`),
    cap,
  );
}

function otherRuns(lines: string[], cap: number): Section | null {
  return lines.length === 0
    ? null
    : fitLines(
        'other runs',
        'Other active runs',
        lines.map((line) => `- ${line}`),
        cap,
        'holdfast list',
      );
}

function listed(title: string, lines: string[], cap: number): Section | null {
  return lines.length === 0 ? null : fitLines(title, title, lines, cap, 'holdfast status');
}
