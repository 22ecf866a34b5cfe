import { HoldfastError } from '../errors/holdfast-error.ts';
import type { StoredRun } from '../state/types.ts';
import { ownEntry, type MachineState, type Task } from '../workflow/machine/machine-state.ts';
import { loopOfStep, stepOf } from '../workflow/machine/position.ts';
import { findLoopStep } from '../workflow/machine/set-tasks.ts';
import { parseRun } from '../workflow/run.ts';
import type { OperationContext } from './open-project.ts';
import { findTargetRun, runToRead } from './target-run.ts';

export interface LoopTasks {
  run: StoredRun;
  tasks: readonly Task[];
  /** The id of the task in progress, if it is one of these. */
  current: string | null;
}

/** The tasks of a loop, named by its own id or by that of a step that walks it. Nothing is written. */
export function loopTasks(
  context: OperationContext,
  name: string | undefined,
  loop: string,
): LoopTasks {
  const { run } = runToRead(context, name);
  const { machine, step, key } = findLoop(run, loop);
  return {
    run,
    tasks: ownEntry(machine.tasks, key) ?? [],
    current: step === machine.step ? (machine.task?.id ?? null) : null,
  };
}

/** Throws if the run to change has no such loop, before anybody has to write a list of tasks for it. */
export function requireLoop(
  context: OperationContext,
  name: string | undefined,
  loop: string,
): void {
  findLoop(findTargetRun(context, name), loop);
}

function findLoop(
  { runId, state }: StoredRun,
  loop: string,
): { machine: MachineState; step: string; key: string } {
  const parsed = parseRun(state);
  if (parsed.kind !== 'template') throw new HoldfastError({ code: 'no_template', run: runId });
  const { template, machine } = parsed;
  const step = findLoopStep(template, stepOf(template, machine).index, loop);
  return { machine, step: step.id, key: loopOfStep(template, step).key };
}
