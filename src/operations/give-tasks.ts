import { HoldfastError } from '../errors.ts';
import { machineOf, withMachine } from '../workflow/run.ts';
import type { GivenTask } from '../workflow/tasks.ts';
import { saveMoved, type Delivery } from './deliver.ts';
import type { Desk } from './desk.ts';
import { requireActive, signed, withRun } from './pick.ts';
import { takeHold } from './take-hold.ts';

/** Gives a loop its tasks, before it is reached, while it waits for them, or more of them while it goes on. */
export function giveTasksTo(
  desk: Desk,
  name: string | undefined,
  loop: string,
  tasks: readonly GivenTask[],
): Delivery {
  return withRun(desk, name, (found, tx) => {
    requireActive(found, 'tasks');
    const { run, taken } = takeHold(desk, tx, found);
    const machine = machineOf(run.state);
    if (machine === null) throw new HoldfastError({ code: 'no_template', run: run.runId });
    machine.setTasks(loop, tasks);
    const moved = { ...withMachine(run.state, machine), adopted: true };
    const event = signed(desk, { event: 'tasks', loop, count: tasks.length, ...taken });
    return saveMoved(desk, tx, run, moved, event);
  });
}
