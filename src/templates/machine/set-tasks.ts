import { HoldfastError } from '../../text/holdfast-error.ts';
import { runIdIn, runOption, type MachineContext } from './conditions.ts';
import { enterNextTask, enterStep } from './enter-step.ts';
import { loopsOf } from './loops.ts';
import { ownEntry, type MachineState } from './machine-state.ts';
import { loopOfStep, stepOf } from './position.ts';
import { mergeTasks, type GivenTask } from './tasks.ts';
import type { Step, Template } from '../template-types.generated.ts';

/** Sets the tasks of a loop that comes later, waits for them or is running; `id` names the loop or its step. */
export function giveTasks(
  context: MachineContext,
  state: MachineState,
  id: string,
  given: readonly GivenTask[],
): MachineState {
  const { template } = context;
  const current = stepOf(template, state);
  const step = stepMeant(context, current.index, id);
  const { key } = loopOfStep(template, step);
  const isAhead = step.id !== current.step.id;
  const known = isAhead ? [] : (ownEntry(state.tasks, key) ?? []);
  const tasks = mergeTasks(known, given);
  if (tasks.length === 0 && step.gate !== undefined)
    throw new HoldfastError(
      'gate_not_skipped',
      `step "${step.id}" has a gate, so an empty list for "${id}" cannot skip it`,
      { hint: 'set at least one task; the gate runs after the last one' },
    );
  const stored = { ...state, tasks: { ...state.tasks, [key]: tasks } };
  if (isAhead || state.task !== undefined) return stored;
  return (
    enterNextTask(template, stored, step, state.cameFrom) ??
    enterStep(context, stored, current.index + 1, step.id)
  );
}

/** A loop that is over takes no tasks. */
function stepMeant({ template, facts }: MachineContext, current: number, id: string): Step {
  const meant = findLoopStep(template, current, id);
  if (template.steps.indexOf(meant) >= current) return meant;
  throw new HoldfastError(
    'loop_over',
    `"${id}" takes no more tasks: step "${meant.id}" is finished`,
    {
      hint: `go back to it with \`holdfast pivot ${meant.id} --feedback "…"${runOption(runIdIn(facts))}\`, or start another run for them: \`holdfast start --template <name>\``,
    },
  );
}

/**
 * The step whose tasks are meant by the id of a loop or of a step: the current one first, then the next one that walks
 * the loop, then the step of that name, then one that is over.
 */
export function findLoopStep(template: Template, current: number, id: string): Step {
  const loops = loopsOf(template);
  const walks = (step: Step): boolean => loops.get(step.id)?.loop === id;
  const isNamed = (step: Step): boolean => step.id === id && loops.has(id);
  const [present, ...ahead] = template.steps.slice(current);
  if (present !== undefined && (walks(present) || isNamed(present))) return present;
  const past = template.steps.slice(0, current);
  const meant =
    ahead.find(walks) ??
    ahead.find(isNamed) ??
    past.find(isNamed) ??
    past.findLast((step) => walks(step));
  if (meant !== undefined) return meant;
  const known = new Set([...loops.values()].map(({ loop }) => loop));
  throw new HoldfastError('unknown_loop', `this workflow has no loop "${id}"`, {
    hint:
      known.size > 0
        ? `available: ${[...known].join(', ')}`
        : 'it has no loops, so it takes no tasks',
  });
}
