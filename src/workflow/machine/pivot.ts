import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isPassedBy, runIdIn, type MachineContext } from './conditions.ts';
import { enterStep } from './enter-step.ts';
import { loopsOf } from './loops.ts';
import type { MachineState, Task } from './machine-state.ts';
import { closestMatch } from '../../util/closest-match.ts';
import { positionOf, stepOf } from './position.ts';
import type { Template } from '../template/template-types.generated.ts';

const DEFAULT_PIVOTS = 6;

export function maxPivots({
  max_pivots: max = DEFAULT_PIVOTS,
}: Pick<Template, 'max_pivots'>): number {
  return max;
}

/** Whether the run cannot be sent back any more. */
export function isAtPivotLimit(template: Template, { pivots = 0 }: MachineState): boolean {
  return pivots >= maxPivots(template);
}

/** For a move that only the user's answer allows. */
export function approvalPending(
  { template, facts }: MachineContext,
  state: MachineState,
): HoldfastError {
  const canReject = !isAtPivotLimit(template, state);
  const run = runIdIn(facts);
  return new HoldfastError({ code: 'approval_pending', step: state.step, canReject, run });
}

/** Goes back to an earlier step. What was made since stays; the loops on the way are walked again. */
export function pivot(context: MachineContext, state: MachineState, to: string): MachineState {
  const { template, facts } = context;
  const present = stepOf(template, state).index;
  const target = template.steps.findIndex(({ id }) => id === to);
  const aim = template.steps[target];
  if (aim === undefined || target >= present) throw noEarlierStep(context, state, present, to);
  if (isPassedBy(aim, state, facts))
    throw new HoldfastError({
      code: 'step_passed_by',
      step: to,
      when: aim.when ?? '',
      run: runIdIn(facts),
    });
  const { pivots = 0, step } = state;
  if (isAtPivotLimit(template, state)) throw tooManyPivots(context, state);
  const tasks = tasksToDoAgain(template, state, target, present);
  return enterStep(context, { ...state, tasks, pivots: pivots + 1 }, target, step);
}

/**
 * The step that a rejected approval goes back to: the one that `on_reject` names, else the step before. A step whose
 * condition is false now has nothing to do, so the nearest one before it that applies takes its place.
 */
export function rejectionTarget({ template, facts }: MachineContext, state: MachineState): string {
  const { index, step } = stepOf(template, state);
  const named = template.steps.findIndex(({ id }) => id === step.on_reject);
  const last = named < 0 ? index - 1 : Math.min(named, index - 1);
  const target = template.steps
    .slice(0, last + 1)
    .findLast((earlier) => !isPassedBy(earlier, state, facts));
  if (target === undefined)
    throw new HoldfastError({ code: 'no_step_before', step: step.id, run: runIdIn(facts) });
  return target.id;
}

function tooManyPivots({ template, facts }: MachineContext, state: MachineState): HoldfastError {
  const { pivots = 0, step } = state;
  const place = positionOf(template, state);
  const waitsFor = place.kind === 'waiting' ? { tasks: place.loop.key } : null;
  return new HoldfastError({
    code: 'too_many_pivots',
    pivots,
    max: maxPivots(template),
    step,
    waitsFor: place.kind === 'approval' ? 'approval' : waitsFor,
    run: runIdIn(facts),
  });
}

/** The steps to go back to are those that apply to the run now. */
function noEarlierStep(
  { template: { steps }, facts }: MachineContext,
  state: MachineState,
  present: number,
  given: string,
): HoldfastError {
  const ids = steps.map(({ id }) => id);
  const earlier = steps
    .slice(0, present)
    .filter((step) => !isPassedBy(step, state, facts))
    .map(({ id }) => id);
  const near = closestMatch(given, earlier);
  return new HoldfastError({
    code: 'no_earlier_step',
    given,
    step: ids[present] ?? '',
    isKnown: ids.includes(given),
    earlier,
    ...(near === undefined ? {} : { near }),
  });
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
    template.steps.slice(target, present + 1).flatMap(({ id }) => loops.get(id)?.key ?? []),
  );
  const pending = (task: Task): Task => ({ ...task, status: 'pending' });
  return Object.fromEntries(
    Object.entries(tasks)
      .filter(([key, list]) => !again.has(key) || list.length > 0)
      .map(([key, list]) => [key, again.has(key) ? list.map(pending) : list]),
  );
}
