import { HoldfastError } from '../errors/holdfast-error.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import type { GivenTask } from '../workflow/machine/tasks.ts';
import { holdIfFree, saveProgress, type Delivery } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { requireActive } from './target-run.ts';
import { withActor, withRun } from './with-run.ts';

/** Gives a loop its tasks: before it is reached, while it waits for them, or as additions while it runs. */
export function setLoopTasks(
  context: OperationContext,
  name: string | undefined,
  loop: string,
  tasks: readonly GivenTask[],
): Delivery {
  return withRun(context, name, (found, tx) => {
    requireActive(found, 'tasks');
    const { run, taken } = holdIfFree(context, tx, found);
    const machine = machineOf(run.state);
    if (machine === null) throw new HoldfastError({ code: 'no_template', run: run.runId });
    machine.setTasks(loop, tasks);
    const moved = { ...withMachine(run.state, machine), adopted: true };
    const event = withActor(context, { event: 'tasks', loop, count: tasks.length, ...taken });
    return saveProgress(context, tx, run, moved, event);
  });
}
