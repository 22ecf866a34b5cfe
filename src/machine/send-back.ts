import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';
import { enterStep } from './enter-step.ts';
import {
  isPassedBy,
  runArgument,
  type MachineContext,
  type MachineState,
  type Task,
} from './machine-state.ts';
import { loopsOf, stepOf } from './position.ts';
import type { Template } from './template-types.generated.ts';

const DEFAULT_PIVOTS = 6;
const MAX_CONDITION = 200;

export const maxPivots = (template: Pick<Template, 'max_pivots'>): number =>
  template.max_pivots ?? DEFAULT_PIVOTS;

export const isAtPivotLimit = (
  template: Template,
  { pivots = 0 }: MachineState,
): boolean => pivots >= maxPivots(template);

/** How a person answers: in the client, where the session has the run, or in a terminal, which has none. */
export function waysToAnswer(run: string, isOutOfPivots: boolean): string {
  const [inClient, inTerminal] = isOutOfPivots
    ? ['', `\`holdfast complete${run}\`, which ends the run`]
    : [
        ' or `/holdfast:reject <feedback>`',
        `\`holdfast reject${run} --feedback "…"\``,
      ];
  return `\`/holdfast:approve\`${inClient}; in a terminal \`holdfast approve${run}\`, or ${inTerminal}`;
}

export function approvalPending(
  { template, facts }: MachineContext,
  state: MachineState,
): HoldfastError {
  const answers = waysToAnswer(
    runArgument(facts),
    isAtPivotLimit(template, state),
  );
  const message = `step "${state.step}" waits for the user's approval`;
  const hint = `tell the user what to look at and how to answer: ${answers}`;
  return new HoldfastError('approval_pending', message, { hint });
}

/** Goes back to an earlier step. Files that were made since stay; the loops on the way are walked again. */
export function pivot(
  context: MachineContext,
  state: MachineState,
  to: string,
): MachineState {
  const { template, facts } = context;
  const present = stepOf(template, state).index;
  const target = template.steps.findIndex(({ id }) => id === to);
  const aim = template.steps[target];
  if (aim === undefined || target >= present) {
    // The steps to go back to are those that apply to the run now.
    const earlier = template.steps
      .slice(0, present)
      .filter((step) => !isPassedBy(step, state, facts))
      .map(({ id }) => id);
    const message =
      aim === undefined
        ? `this workflow has no step "${to}"`
        : `step "${to}" does not come before the current step "${state.step}"`;
    const none =
      'this is the first step of this run, so there is no earlier one';
    const hint =
      earlier.length > 0 ? `earlier steps: ${earlier.join(', ')}` : none;
    throw new HoldfastError('no_earlier_step', message, { hint });
  }
  if (isPassedBy(aim, state, facts)) {
    const message = `step "${to}" does not apply to this run: its condition is false (${asWord(aim.when ?? '', MAX_CONDITION)})`;
    const hint = `go back to another step, or change what the condition looks at with \`holdfast update${runArgument(facts)} --set <key>=<value>\``;
    throw new HoldfastError('step_passed_by', message, { hint });
  }
  const { pivots = 0, step } = state;
  if (isAtPivotLimit(template, state)) throw tooManyPivots(context, state);
  const tasks = tasksToDoAgain(template, state, target, present);
  const isAgain = ([key]: [string, string]): boolean =>
    template.steps
      .slice(target)
      .some(({ id }) => `${key}.`.startsWith(`${id}.`));
  const all = Object.entries(state.outputs);
  const outputs = Object.fromEntries(all.filter((entry) => !isAgain(entry)));
  const left = { ...state, outputs, tasks, pivots: pivots + 1 };
  const marked = all
    .filter(isAgain)
    .map(([key, text]) => [key, `(sent back) ${text}`]);
  return {
    ...enterStep(context, left, target, step),
    sentBack: Object.fromEntries(marked),
  };
}

/** The step that `on_reject` names, else the one before; if its condition is false now, the nearest before that applies. */
export function rejectionTarget(
  { template, facts }: MachineContext,
  state: MachineState,
): string {
  const { index, step } = stepOf(template, state);
  const named = template.steps.findIndex(({ id }) => id === step.on_reject);
  const target = template.steps
    .slice(0, named < 0 ? index : Math.min(named + 1, index))
    .findLast((earlier) => !isPassedBy(earlier, state, facts));
  if (target !== undefined) return target.id;
  const message = `no step before "${step.id}" applies to this run, so the work cannot be sent back`;
  const hint = `approve it, or end the run with \`holdfast complete${runArgument(facts)}\``;
  throw new HoldfastError('no_step_before', message, { hint });
}

function tooManyPivots(
  { template, facts }: MachineContext,
  state: MachineState,
): HoldfastError {
  const { pivots = 0, step, stepType } = state;
  const run = runArgument(facts);
  const message = `this run was sent back ${pivots === 1 ? 'once' : `${pivots} times`}, and its template allows ${maxPivots(template)}; it stays at step "${step}" and is marked as blocked`;
  const hint =
    stepType === 'approval'
      ? `the user decides: ${waysToAnswer(run, true)}`
      : `tell the user why the work keeps being sent back; \`holdfast status${run}\` shows how to go on, \`holdfast fail${run} --reason "…"\` reports why it cannot be done`;
  return new HoldfastError('too_many_pivots', message, { hint });
}

/** A loop that was skipped with an empty list is asked for its tasks again: else nobody could go back to it. */
function tasksToDoAgain(
  template: Template,
  { tasks }: MachineState,
  target: number,
  present: number,
): MachineState['tasks'] {
  const loops = loopsOf(template);
  const again = new Set(
    template.steps
      .slice(target, present + 1)
      .flatMap(({ id }) => loops.get(id)?.key ?? []),
  );
  const pending = (task: Task): Task => ({ ...task, status: 'pending' });
  return Object.fromEntries(
    Object.entries(tasks)
      .filter(([key, list]) => !again.has(key) || list.length > 0)
      .map(([key, list]) => [key, again.has(key) ? list.map(pending) : list]),
  );
}
