import { asWord, quoted } from '../text/sanitize.ts';
import { noteText, notesOf } from '../state/notes.ts';
import { phaseWords } from '../state/phase-words.ts';
import type { Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { stepLabel, templateNameOf } from '../state/progress.ts';
import { fitLines, fitLists, joined, type LineList } from './fit-lists.ts';
import { oneLine, phaseLines } from './frame.ts';

/** Of a whole text for the summariser, and of the brief for a sub-agent. */
const MAX_CHARS = 2_000;
const MAX_BRIEF_CHARS = 1_500;
const MAX_ENTRY_CHARS = 300;
/** What each list of the brief is guaranteed. */
const BRIEF_LIST_CHARS = 350;

/** By it, the PreCompact hook knows that the module has given the summariser its text. */
export const SUMMARY_LEAD =
  'A workflow is in progress. Keep the following verbatim in the summary:';

/** So that the summary has its space for what holdfast does not know. */
const GIVEN_BACK =
  'Afterwards holdfast gives back the phase, notes, reminders, context and required reading by itself, so the summary need not copy them.';
const ASKED_FOR = 'What holdfast does not know, and the summary should hold:';
const ASKED = [
  '- where exactly the work stands: what is finished, what is half done and in which files, what comes next',
  '- what the user said last, their instructions that still count, and decisions that no note has',
] as const;
const CAUTION =
  'Do not guess what the required files contain, and do not describe unfinished phases as done.';

/** The same in one paragraph, because the client prints it on the screen after a typed /compact. */
export function shortSummaryInstructions(
  run: Run,
  earlyWork: string | null = null,
): string {
  const { state } = run;
  const waiting = waitingLines(run, earlyWork).map((line) => ` ${line}`);
  const step = stepLabel(run);
  const where = `${quoted(phaseLines(run).join('; '), 600)}${step === null ? '' : `, ${asWord(step, 200)}`}`;
  return `${SUMMARY_LEAD} workflow ${asWord(state.workflow, 160)}, run ${short(state.run_id ?? 'without an id')}, ${where}. ${GIVEN_BACK} ${ASKED_FOR} ${ASKED.join('; ').replaceAll('- ', '')}.${waiting.join('')}`;
}

export function summaryInstructions(
  run: Run,
  note: string | null = null,
  earlyWork: string | null = null,
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
    ...waitingLines(run, earlyWork).map((line) => `- ${line}`),
  ];
  if (step !== null) head.push(`- Step: ${short(step)}`);
  if (note !== null) head.push(`- ${short(note)}`);
  return withinBudget(head, [GIVEN_BACK, ASKED_FOR, ...ASKED, CAUTION]);
}

/** That nobody has begun the phase or step, and what speaks against it. */
function waitingLines(run: Run, earlyWork: string | null): string[] {
  if (!isWaitingPhase(run.state)) return [];
  const what = run.kind === 'template' ? 'step' : 'phase';
  const begins = `Nobody has begun this ${what}; once the user says so, \`holdfast resume\` begins it.`;
  return earlyWork === null
    ? [begins]
    : [
        `Once the user says so, \`holdfast resume\` begins this ${what}. ${earlyWork}`,
      ];
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
function list(title: string, entries: string[], share: number): LineList {
  const lines = entries.map((entry) => `- ${short(entry)}`);
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
