import { asWord, formatEntry, quoted } from '../text/sanitize.ts';
import { noteText, notesOf } from '../state/notes.ts';
import { isCounted, phaseLabel, phaseWords } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { templateNameOf } from '../templates/run-view.ts';
import { fitLines, fitLists, joined, type LineList } from './fit-lists.ts';
import { oneLine, phaseLines } from './frame.ts';

const MAX_CHARACTERS = 2_000;

/** By it, the PreCompact hook knows that the module has given the summariser its text. */
export const SUMMARY_LEAD =
  'A workflow is in progress. Keep the following verbatim in the summary:';

/** The same in one paragraph, because the client prints it on the screen after a typed /compact. */
export function shortSummaryInstructions(
  state: RunState,
  step: string | null,
): string {
  const where = `${quoted(phaseLines(state).join('; '), 800)}${step === null ? '' : `, ${asWord(step, 300)}`}`;
  return `${SUMMARY_LEAD} workflow ${asWord(state.workflow, 160)}, run ${short(state.run_id ?? 'without an id')}, ${where}; every decision, every instruction of the user that changes the plan, and every file path that is being worked on.`;
}

export function summaryInstructions(
  state: RunState,
  step: string | null = null,
  note: string | null = null,
): string {
  const { workflow, workflow_type: type } = state;
  const template = templateNameOf(state);
  const about = [
    ...(template === null ? [] : [`template ${short(template)}`]),
    ...(type === 'custom' ? [] : [short(type)]),
  ];
  const head = [
    SUMMARY_LEAD,
    `- Workflow: ${short(workflow)}${about.length === 0 ? '' : ` (${about.join(', ')})`}, run ${short(state.run_id ?? 'without an id')}`,
    ...phaseLines(state).map((line) => `- ${line}`),
    ...(step === null ? [] : [`- Step: ${short(step)}`]),
    ...(note === null ? [] : [`- ${short(note)}`]),
  ];
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
  }).map(([title, entries]) => list(`- ${title}:`, entries, 450, '  '));
  const { fitted } = fitLists(
    lists,
    MAX_CHARACTERS - [...head, ...end].join('\n').length,
  );
  const parts = fitted.flatMap(
    (section) => section?.text.replace(/^…/m, '  - …').split('\n') ?? [],
  );
  return withinBudget([...head, ...parts], end);
}

/** Asks the summariser which of several runs the conversation works on; PostCompact reads the answer. */
export function candidateInstructions(runs: readonly StoredRun[]): string {
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
export function subagentBrief(state: RunState): string {
  const head = [
    'THE WORKFLOW THAT THIS TASK IS PART OF',
    '',
    `Workflow: ${oneLine(state.workflow)}`,
    ...phaseLines(state).map(short),
    'The session that gave the task moves the workflow: leave `holdfast advance` to it.',
  ].join('\n');
  const lists = Object.entries({
    'Key Reminders': state.key_reminders ?? [],
    'Decisions and dead ends': notesOf(state).map(noteText),
    'Files that govern the work; read those that the task touches':
      state.required_reading,
  }).map(([title, entries]) => list(title, entries, 350));
  const { fitted } = fitLists(lists, 1_500 - head.length);
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

const short = (text: string): string => oneLine(text, 300);

/** `end` is always kept; if lines before it are cut, a line says so. */
function withinBudget(
  [title = '', ...entries]: string[],
  end: string[],
): string {
  const space = MAX_CHARACTERS - end.join('\n').length - 1;
  const all = { title, entries, share: 0, shownBy: 'holdfast status' };
  return [fitLines(all, space).text, ...end].join('\n');
}

/** A fact counts as kept if the summary has the first words of it. */
const COMPARED = 120;
const MAX_LISTED = 30;

/** Which declared facts the summary of a compaction has kept: phase, required reading, reminders and decisions. */
export function compareSummary(summary: string, state: RunState) {
  const text = plain(summary);
  const {
    phase,
    required_reading: reading,
    key_reminders: reminders = [],
  } = state;
  const numbers = isCounted(phase)
    ? `${phase.current}/${phase.total}`
    : phaseLabel(phase);
  // What it is, how it is shown, and the words of which one must be there.
  const facts = [
    ['phase', phaseLabel(phase), phase.name, numbers],
    ...reading.map((path) => ['reading', path, path.slice(1)]),
    ...reminders.map((each) => ['reminder', each, each]),
    ...notesOf(state).map(({ text: note }) => ['decision', note, note]),
  ];
  const lost = facts.filter(
    ([, , ...words]) =>
      !words
        .map(plain)
        .some((word) => word !== '' && text.includes(word.slice(0, COMPARED))),
  );
  return {
    kept: facts.length - lost.length,
    of: facts.length,
    // Those that only the guidance brought back, each with what it is.
    lost: lost
      .slice(0, MAX_LISTED)
      .map(([what, shown = '']) => `${what} ${oneLine(shown, 80)}`),
  };
}

/** Without what a summary may write differently: emphasis, quotes, upper case, line breaks. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[*_`"'’“”]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
