import { HoldfastError } from '../errors/holdfast-error.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import type { GivenTask } from '../workflow/machine/tasks.ts';
import { saveProgress, type Delivery } from './save-run.ts';
import type { OperationContext } from './context.ts';
import { requireActive, withActor, withRun } from './with-run.ts';
import { holdIfFree } from './take-hold.ts';

/** Gives a loop its tasks, before it is reached, while it waits for them, or more of them while it goes on. */
export function setLoopTasks(
  desk: OperationContext,
  name: string | undefined,
  loop: string,
  tasks: readonly GivenTask[],
): Delivery {
  return withRun(desk, name, (found, tx) => {
    requireActive(found, 'tasks');
    const { run, taken } = holdIfFree(desk, tx, found);
    const machine = machineOf(run.state);
    if (machine === null) throw new HoldfastError({ code: 'no_template', run: run.runId });
    machine.setTasks(loop, tasks);
    const moved = { ...withMachine(run.state, machine), adopted: true };
    const event = withActor(desk, { event: 'tasks', loop, count: tasks.length, ...taken });
    return saveProgress(desk, tx, run, moved, event);
  });
}
