import { formatEntry } from '../text/sanitize.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { templateNameOf } from '../templates/run-view.ts';
import { fitLists, type LineList } from './budget.ts';
import { oneLine, phaseLines, phaseText } from './frame.ts';

const MAX_CHARACTERS = 2_000;
const MAX_ENTRY = 300;
const CUT = '  - … more is in the state file: `holdfast status` shows it';

/** Tells the summariser what it must keep verbatim. */
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
    'A workflow is in progress. Keep the following verbatim in the summary:',
    `- Workflow: ${short(workflow)}${about.length === 0 ? '' : ` (${about.join(', ')})`}, run ${short(state.run_id ?? 'without an id')}`,
    ...phaseLines(state).map((line) => `- ${line}`),
    ...(step === null ? [] : [`- Step: ${short(step)}`]),
    ...(note === null ? [] : [`- ${short(note)}`]),
  ];
  const end = [
    '- Every decision made, every instruction of the user that changes the plan (such as a phase to skip), and every file path that is being worked on.',
    'Do not guess what the required files contain, and do not describe unfinished phases as done.',
  ];
  const lists = [
    list('Required reading, each path as written', state.required_reading),
    list('Key reminders', state.key_reminders ?? []),
    list(
      'Context',
      Object.entries(state.context ?? {}).map(([key, value]) => formatEntry(key, value)),
    ),
  ];
  const { fitted, omitted } = fitLists(
    lists,
    MAX_CHARACTERS - [...head, CUT, ...end].join('\n').length,
  );
  return withinBudget([
    ...head,
    ...fitted.flatMap((section) => section?.text.replace(/^…/m, '  - …').split('\n') ?? []),
    ...(omitted.length === 0 ? [] : [CUT]),
    ...end,
  ]);
}

/** Asks the summariser which of several runs the conversation works on; PostCompact reads the answer. */
export function candidateInstructions(runs: readonly StoredRun[]): string {
  const isOne = runs.length === 1;
  return withinBudget([
    isOne
      ? 'A workflow is in progress, and nothing shows whether this conversation works on it:'
      : 'Several workflows are in progress, and nothing shows which of them this conversation works on:',
    ...runs.map(
      ({ runId, state }) =>
        `  - ${short(runId)}: ${short(state.workflow)}, Phase ${phaseText(state)}`,
    ),
    `If this conversation works on ${isOne ? 'it' : 'one of them'}, put this line into the summary, alone on its line: holdfast run: <id>`,
    `If it ${isOne ? 'does not' : 'works on none of them'}, or that is not clear, leave the line out.`,
  ]);
}

/** Each list has a share, so that a hundred paths leave space for the reminders. */
function list(title: string, entries: string[]): LineList {
  const lines = entries.map((entry) => `  - ${short(entry)}`);
  return { title: `- ${title}:`, lines, share: 450, shownBy: 'holdfast status' };
}

function short(text: string): string {
  return oneLine(text, MAX_ENTRY);
}

/** The last two lines are always kept; if lines before them are cut, a line says so. */
function withinBudget(lines: string[]): string {
  const end = lines.slice(-2);
  const space = MAX_CHARACTERS - [CUT, ...end].join('\n').length - 1;
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, -2)) {
    length += line.length + 1;
    if (length > space) return [...kept, CUT, ...end].join('\n');
    kept.push(line);
  }
  return [...kept, ...end].join('\n');
}
