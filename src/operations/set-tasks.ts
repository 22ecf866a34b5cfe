import { HoldfastError } from '../errors/holdfast-error.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import type { GivenTask } from '../workflow/machine/tasks.ts';
import { liveHolder } from '../sessions/holder.ts';
import { artifactsForTransition, type TransitionArtifacts } from './artifacts-at-move.ts';
import { wasDriven } from './driver-record.ts';
import { holdIfFree, saveProgress, saveUndelivered, type Delivery } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { requireActive } from './target-run.ts';
import { withActor, withRun } from './with-run.ts';

export interface GivenTasks extends Delivery {
  /** A person gives them to a run that `holdfast run` continues, and no session has to be asked for anything. */
  isForDriver: boolean;
  /** What is due if an empty list has led to another step. */
  artifacts: TransitionArtifacts;
}

/** Gives a loop its tasks: before it is reached, while it waits for them, or as additions while it runs. */
export function setLoopTasks(
  context: OperationContext,
  name: string | undefined,
  loop: string,
  tasks: readonly GivenTask[],
): GivenTasks {
  return withRun(context, name, (found, tx) => {
    requireActive(found, 'tasks');
    const { run, taken } = holdIfFree(context, tx, found);
    const machine = machineOf(run.state);
    if (machine === null) throw new HoldfastError({ code: 'no_template', run: run.runId });
    machine.setTasks(loop, tasks);
    const isForDriver =
      context.session === null &&
      liveHolder(run.state, context) === null &&
      wasDriven(context.root, run.runId);
    const given = withMachine(run.state, machine);
    const artifacts = artifactsForTransition(context, run, given, !isForDriver);
    const moved = { ...artifacts.state, adopted: true };
    const event = withActor(context, { event: 'tasks', loop, count: tasks.length, ...taken });
    const delivery = isForDriver
      ? { run: saveUndelivered(context, tx, run, moved, event), action: null }
      : saveProgress(context, tx, run, moved, event);
    return { ...delivery, isForDriver, artifacts };
  });
}
