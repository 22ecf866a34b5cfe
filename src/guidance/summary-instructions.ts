import { formatEntry, sanitizeLine, truncate } from '../util/sanitize.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { templateNameOf } from '../workflow/run-view.ts';
import { phaseLines } from './frame.ts';

const MAX_CHARACTERS = 2_000;
const MAX_ENTRY = 300;

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
  const lines = [
    'A workflow is in progress. Keep the following verbatim in the summary:',
    `- Workflow: ${short(workflow)}${about.length === 0 ? '' : ` (${about.join(', ')})`}, run ${short(state.run_id ?? 'without an id')}`,
    ...phaseLines(state).map((line) => `- ${line}`),
    ...(step === null ? [] : [`- Step: ${short(step)}`]),
    ...(note === null ? [] : [`- ${short(note)}`]),
    ...list('Required reading, each path as written', state.required_reading),
    ...list('Key reminders', state.key_reminders ?? []),
    ...list(
      'Context',
      Object.entries(state.context ?? {}).map(([key, value]) => formatEntry(key, value)),
    ),
    '- Every decision made, every instruction of the user that changes the plan (such as a phase to skip), and every file path that is being worked on.',
    'Do not guess what the required files contain, and do not describe unfinished phases as done.',
  ];
  return withinBudget(lines);
}

/** Asks the summariser which of several runs the conversation works on; PostCompact reads the answer. */
export function candidateInstructions(runs: readonly StoredRun[]): string {
  const isOne = runs.length === 1;
  return withinBudget([
    isOne
      ? 'A workflow is in progress, and nothing shows whether this conversation works on it:'
      : 'Several workflows are in progress, and nothing shows which of them this conversation works on:',
    ...runs.map(
      ({ runId, state: { workflow, phase } }) =>
        `  - ${short(runId)}: ${short(workflow)}, Phase ${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${short(phase.name)}`}`,
    ),
    `If this conversation works on ${isOne ? 'it' : 'one of them'}, put this line into the summary, alone on its line: holdfast run: <id>`,
    `If it ${isOne ? 'does not' : 'works on none of them'}, or that is not clear, leave the line out.`,
  ]);
}

function list(title: string, entries: string[]): string[] {
  return entries.length === 0
    ? []
    : [`- ${title}:`, ...entries.map((entry) => `  - ${short(entry)}`)];
}

function short(text: string): string {
  return truncate(sanitizeLine(text), MAX_ENTRY);
}

/** The last two lines are always kept; if lines before them are cut, a line says so. */
function withinBudget(lines: string[]): string {
  const end = lines.slice(-2);
  const cut = '  - … more is in the state file: `holdfast status` shows it';
  const space = MAX_CHARACTERS - [cut, ...end].join('\n').length - 1;
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, -2)) {
    length += line.length + 1;
    if (length > space) return [...kept, cut, ...end].join('\n');
    kept.push(line);
  }
  return [...kept, ...end].join('\n');
}
