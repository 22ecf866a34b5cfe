import type { OperationContext } from '../sessions/open-project.ts';
import { listArchive } from '../state/store/run-files.ts';
import type { Run } from '../state/types.ts';
import type { Answer } from '../machine/machine-state.ts';
import { noApproval, type WorkflowStateMachine } from '../machine/machine.ts';
import { machineOf } from '../state/template-run.ts';
import { answerGiven, waitChanged, waitIdOf } from '../templates/waits.ts';
import { findRunAnywhere, findTargetRun, requireActive } from './which-run.ts';

/** The command that gives an answer, and how that answer is recorded. */
export type Verb = 'approve' | 'reject';
export const ANSWERS: Readonly<Record<Verb, Answer['as']>> = {
  approve: 'approved',
  reject: 'rejected',
};

/** The run in which this was answered in this way before, also one that has ended since; null if there is none. */
export function runAnsweredBefore(
  context: OperationContext,
  name: string | undefined,
  verb: Verb,
  wait: string,
): Run | null {
  const { store } = context;
  const runs =
    name === undefined
      ? [...store.list().runs, ...listArchive(store.root).runs]
      : [findRunAnywhere(context, name)];
  return runs.find((run) => answerGiven(run, wait) === ANSWERS[verb]) ?? null;
}

/** The run that is meant, which has to wait for an answer, and for this one if one is named. */
export function findWaitingRun(
  context: OperationContext,
  name: string | undefined,
  verb: Verb,
  wait: string | undefined,
): { run: Run; wait: string } {
  const run = findTargetRun(context, name);
  requireActive(run, verb);
  const now = waitIdOf(run);
  if (wait !== undefined && wait !== now) throw waitChanged(run, wait);
  if (now === null)
    throw noApproval(machineOf(run)?.state.step ?? null, run.runId);
  return { run, wait: now };
}

/** The machine of a run in which this still waits; null if it was answered in this way meanwhile. */
export function machineAtWait(
  run: Run,
  verb: Verb,
  wait: string,
): WorkflowStateMachine | null {
  if (answerGiven(run, wait) === ANSWERS[verb]) return null;
  requireActive(run, verb);
  const machine = machineOf(run);
  if (machine === null || waitIdOf(run) !== wait) throw waitChanged(run, wait);
  return machine;
}
