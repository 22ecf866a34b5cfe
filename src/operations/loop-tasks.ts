import { HoldfastError } from '../errors/holdfast-error.ts';
import type { StoredRun } from '../state/types.ts';
import { loopsOf } from '../workflow/machine/loops.ts';
import { ownEntry, type MachineState, type Task } from '../workflow/machine/machine-state.ts';
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
  const walkers = [...loopsOf(template)].filter(([step, walked]) =>
    [step, walked.loop].includes(loop),
  );
  const found = walkers.find(([step]) => step === machine.step) ?? walkers[0];
  if (found === undefined) {
    const loops = [...new Set([...loopsOf(template).values()].map((walked) => walked.loop))];
    throw new HoldfastError({ code: 'unknown_loop', given: loop, loops });
  }
  const [step, { key }] = found;
  return { machine, step, key };
}
