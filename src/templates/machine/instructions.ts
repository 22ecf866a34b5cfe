import { unreachable } from '../../text/unreachable.ts';
import { runIdIn, type MachineContext } from './conditions.ts';
import type { MachineState } from './machine-state.ts';
import { isAtPivotLimit } from './pivot.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { Position } from './position.ts';

/** What to do at this position. */
export function instructionsAt(
  context: MachineContext,
  state: MachineState,
  position: Position,
): string {
  const own = position.step.instructions;
  const fill = (text: string): string => fillPlaceholders(text, state, null);
  switch (position.kind) {
    case 'action':
    case 'ralph':
      return fill(own ?? '');
    case 'approval':
      return joined(own === undefined ? own : fill(own), approvalSentence(context, state));
    case 'waiting':
      return joined(own === undefined ? own : fill(own), waitingSentence(position.loop.key));
    case 'task':
      return fillPlaceholders(joined(own, position.subStep.instructions), state, position.task);
    default:
      return unreachable(position);
  }
}

/** The user's terminal holds no run, so the commands for it name theirs. */
function approvalSentence({ template, facts }: MachineContext, state: MachineState): string {
  const id = runIdIn(facts);
  const run = id === null ? '' : ` ${id}`;
  const other = isAtPivotLimit(template, state)
    ? `\`holdfast complete${run}\` ends the run; the work cannot be sent back any more`
    : `\`holdfast reject${run} --feedback "…"\` sends the work back`;
  return `This step waits for the user: \`holdfast approve${run}\` continues, ${other}. Only the user can run them, in a terminal of their own. Tell the user what to look at, then stop.`;
}

function waitingSentence(key: string): string {
  return `This step waits for its tasks: set them with \`holdfast tasks ${key}\` or the tool workflow_set_tasks (loop_id "${key}").`;
}

function joined(own: string | undefined, rest: string): string {
  return own === undefined ? rest : `${own.trimEnd()}\n\n${rest}`;
}
