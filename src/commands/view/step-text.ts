import { contextActionText, requestText } from '../../guidance/context-action-text.ts';
import type { RunState } from '../../state/types.ts';
import type { Colors } from '../../text/colors.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine, sanitizeLinesWithFeedback } from '../../text/sanitize.ts';
import { loopsOf } from '../../templates/machine/loops.ts';
import { ownEntry, type ContextCommand, type Task } from '../../templates/machine/machine-state.ts';
import type { Status } from '../../templates/machine/status.ts';
import { inspectRun } from '../../templates/run-view.ts';
import { foldAround, paragraphs, section } from './output.ts';
import type { StatusReport } from './status-report.ts';

/** `ownAgent` is the agent that the session itself is. */
export function agentLine(step: Status | null, ownAgent: string | null): string {
  if (step === null || step.agent === null) return '';
  return `${sanitizeLine(step.agent)} (${step.agent === ownAgent ? 'this session' : 'delegate it'})`;
}

/** What to do now: the instructions, or the context action that comes first. */
export function stepText(
  { bold }: Colors,
  { step, context_action: pending }: Pick<StatusReport, 'step' | 'context_action'>,
  action: ContextCommand | null,
): string {
  if (step === null) return '';
  if (action !== null) {
    return section(bold('First'), [
      `${requestText(action)} Then run \`holdfast status\` for the instructions. If no user is there to do it, run it anyway.`,
    ]);
  }
  return paragraphs([
    pending === null ? '' : section(bold('Before this step'), [contextActionText(pending)]),
    section(
      bold('Instructions'),
      step.instructions === '' ? [] : sanitizeLinesWithFeedback(step.instructions),
    ),
  ]);
}

/** The tasks of the loop that the run is in, as a check list. */
export function taskSection(state: RunState, colors: Colors): string {
  const view = inspectRun(state);
  if (view.kind !== 'template') return '';
  const loop = loopsOf(view.template).get(view.status.step);
  const tasks = loop === undefined ? [] : (ownEntry(view.machine.tasks, loop.key) ?? []);
  return taskList(tasks, view.status.task?.id ?? null, colors);
}

export function taskList(tasks: readonly Task[], current: string | null, colors: Colors): string {
  const done = tasks.filter(({ status }) => status === 'done').length;
  const lines = foldAround(tasks, {
    current: tasks.findIndex(({ id }) => id === current),
    line: (task) => taskLine(task, task.id === current, colors),
    hidden: (hidden, side) =>
      side === 'before' ? pluralize(hidden.length, 'earlier task') : `${hidden.length} more`,
  });
  return section(colors.bold(`Tasks (${done} of ${tasks.length} done)`), lines);
}

function taskLine({ title, status }: Task, isCurrent: boolean, colors: Colors): string {
  const text = `${isCurrent ? '▸' : ' '} [${BOXES[status]}] ${sanitizeLine(title)}`;
  if (status === 'done') return colors.green(text);
  if (status === 'failed') return colors.red(`${text} (failed)`);
  return isCurrent ? colors.bold(text) : text;
}

const BOXES: Record<Task['status'], string> = {
  done: 'x',
  failed: '!',
  pending: ' ',
  in_progress: ' ',
};
