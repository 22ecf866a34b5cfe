import { asWord, formatEntry, quoted } from '../text/sanitize.ts';
import { noteText, notesOf } from '../state/notes.ts';
import {
  isCounted,
  phaseLabel,
  phaseWords,
  phaseNumber,
} from '../state/phase-words.ts';
import type { Run, RunState } from '../state/types.ts';
import { stepLabel, templateNameOf } from '../state/progress.ts';
import { fitLines, fitLists, joined, type LineList } from './fit-lists.ts';
import { oneLine, phaseLines } from './frame.ts';

/** Of a whole text for the summariser, and of the brief for a sub-agent. */
const MAX_CHARS = 2_000;
const MAX_BRIEF_CHARS = 1_500;
const MAX_ENTRY_CHARS = 300;
/** What each list is guaranteed. */
const LIST_CHARS = 450;
const BRIEF_LIST_CHARS = 350;

/** By it, the PreCompact hook knows that the module has given the summariser its text. */
export const SUMMARY_LEAD =
  'A workflow is in progress. Keep the following verbatim in the summary:';

/** The same in one paragraph, because the client prints it on the screen after a typed /compact. */
export function shortSummaryInstructions(run: Run): string {
  const { state } = run;
  const step = stepLabel(run);
  const where = `${quoted(phaseLines(run).join('; '), 800)}${step === null ? '' : `, ${asWord(step, 300)}`}`;
  return `${SUMMARY_LEAD} workflow ${asWord(state.workflow, 160)}, run ${short(state.run_id ?? 'without an id')}, ${where}; every decision, every instruction of the user that changes the plan, and every file path that is being worked on.`;
}

export function summaryInstructions(
  run: Run,
  note: string | null = null,
): string {
  const { state } = run;
  const step = stepLabel(run);
  const { workflow, workflow_type: type } = state;
  const template = templateNameOf(state);
  const kinds: string[] = [];
  if (template !== null) kinds.push(`template ${short(template)}`);
  if (type !== 'custom') kinds.push(short(type));
  const about = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  const runId = short(state.run_id ?? 'without an id');
  const head = [
    SUMMARY_LEAD,
    `- Workflow: ${short(workflow)}${about}, run ${runId}`,
    ...phaseLines(run).map((line) => `- ${line}`),
  ];
  if (step !== null) head.push(`- Step: ${short(step)}`);
  if (note !== null) head.push(`- ${short(note)}`);
  const end = [
    '- Every decision made, every instruction of the user that changes the plan (such as a phase to skip), and every file path that is being worked on.',
    'Do not guess what the required files contain, and do not describe unfinished phases as done.',
  ];
  const context = Object.entries(state.context ?? {});
  const lists = Object.entries({
    'Required reading, each path as written': state.required_reading,
    'Key reminders': state.key_reminders ?? [],
    'Decisions and dead ends': notesOf(state).map(noteText),
    Context: context.map(([key, value]) => formatEntry(key, value)),
  }).map(([title, entries]) => list(`- ${title}:`, entries, LIST_CHARS, '  '));
  const { fitted } = fitLists(
    lists,
    MAX_CHARS - [...head, ...end].join('\n').length,
  );
  const parts: string[] = [];
  for (const section of fitted) {
    // What tells how many entries are left out is indented as they are.
    if (section !== null)
      parts.push(...section.text.replace(/^…/m, '  - …').split('\n'));
  }
  return withinBudget([...head, ...parts], end);
}

/** Asks the summariser which of several runs the conversation works on; PostCompact reads the answer. */
export function candidateInstructions(runs: readonly Run[]): string {
  const head = [
    'Workflows are in progress, and nothing shows whether this conversation works on any of these:',
    ...runs.map(
      ({ runId, state: { workflow, phase } }) =>
        `  - ${short(runId)}: ${asWord(workflow)}, Phase ${phaseWords(phase, ' - ')}`,
    ),
  ];
  return withinBudget(head, [
    'If it works on one, put this line into the summary, alone on its line: holdfast run: <id>',
    'If it does not, or that is not clear, leave the line out.',
  ]);
}

/** What a sub-agent has to know of the run that its session works on. */
export function subagentBrief(run: Run): string {
  const { state } = run;
  const head = [
    'THE WORKFLOW THAT THIS TASK IS PART OF',
    '',
    `Workflow: ${oneLine(state.workflow)}`,
    ...phaseLines(run).map(short),
    'The session that gave the task moves the workflow: leave `holdfast advance` to it.',
  ].join('\n');
  const lists = Object.entries({
    'Key Reminders': state.key_reminders ?? [],
    'Decisions and dead ends': notesOf(state).map(noteText),
    'Files that govern the work; read those that the task touches':
      state.required_reading,
  }).map(([title, entries]) => list(title, entries, BRIEF_LIST_CHARS));
  const { fitted } = fitLists(lists, MAX_BRIEF_CHARS - head.length);
  return joined([
    { text: head },
    ...fitted.filter((section) => section !== null),
  ]);
}

/** Each list has a share, so that a hundred paths leave space for the reminders. */
function list(
  title: string,
  entries: string[],
  share: number,
  indent = '',
): LineList {
  const lines = entries.map((entry) => `${indent}- ${short(entry)}`);
  return { title, entries: lines, share, shownBy: 'holdfast status' };
}

function short(text: string): string {
  return oneLine(text, MAX_ENTRY_CHARS);
}

/** `end` is always kept; if lines before it are cut, a line says so. */
function withinBudget(
  [title = '', ...entries]: string[],
  end: string[],
): string {
  const space = MAX_CHARS - end.join('\n').length - 1;
  const all = { title, entries, share: 0, shownBy: 'holdfast status' };
  return [fitLines(all, space).text, ...end].join('\n');
}

/** A fact counts as kept if the summary has so many characters of it. */
const COMPARED_CHARS = 120;
const MAX_LISTED = 30;
const MAX_SHOWN_CHARS = 80;

/** What a summary has kept of a run. */
export interface SummaryComparison {
  kept: number;
  of: number;
  /** Those that only the guidance brought back, each with what it is. */
  lost: string[];
}

interface Fact {
  kind: 'phase' | 'reading' | 'reminder' | 'decision';
  shown: string;
  /** One of these must be in the summary. */
  words: string[];
}

/** Which declared facts the summary of a compaction has kept: phase, required reading, reminders and decisions. */
export function compareSummary(
  summary: string,
  state: RunState,
): SummaryComparison {
  const facts = factsOf(state);
  const text = plain(summary);
  const isKept = ({ words }: Fact): boolean =>
    words.map(plain).some((word) => {
      const beginning = word.slice(0, COMPARED_CHARS);
      return word !== '' && text.includes(beginning);
    });
  const lost = facts.filter((fact) => !isKept(fact));
  return {
    kept: facts.length - lost.length,
    of: facts.length,
    lost: lost
      .slice(0, MAX_LISTED)
      .map(({ kind, shown }) => `${kind} ${oneLine(shown, MAX_SHOWN_CHARS)}`),
  };
}

function factsOf(state: RunState): Fact[] {
  const {
    phase,
    required_reading: reading,
    key_reminders: reminders = [],
  } = state;
  const label = phaseLabel(phase);
  const numbers = isCounted(phase) ? phaseNumber(phase) : label;
  const facts: Fact[] = [
    { kind: 'phase', shown: label, words: [phase.name, numbers] },
  ];
  // A summary need not write the `@` of a path.
  for (const path of reading)
    facts.push({ kind: 'reading', shown: path, words: [path.slice(1)] });
  for (const text of reminders)
    facts.push({ kind: 'reminder', shown: text, words: [text] });
  for (const { text } of notesOf(state))
    facts.push({ kind: 'decision', shown: text, words: [text] });
  return facts;
}

/** Without what a summary may write differently: emphasis, quotes, upper case, line breaks. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[*_`"'’“”]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
