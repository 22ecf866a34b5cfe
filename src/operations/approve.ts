import { HoldfastError } from '../errors/holdfast-error.ts';
import type { StoredRun } from '../state/types.ts';
import type { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { artifactsForTransition, type TransitionArtifacts } from './artifacts-at-move.ts';
import { requireBoundedOutput, requireSamePosition } from './advance.ts';
import { saveUndelivered } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { gateDetails, machineWithGates, passGates } from './pass-gates.ts';
import { requirePerson } from './require-person.ts';
import { findTargetRun, requireActive } from './target-run.ts';
import { withActor, withLockedRun } from './with-run.ts';

export interface Approved {
  run: StoredRun;
  /** The approval step, for people. */
  approved: string;
  /** What the session that works on the run needs for the next step; it is told by `status`. */
  artifacts: TransitionArtifacts;
}

/** The user accepts what an approval step shows, and the run goes on; the note is kept as the step's output. */
export async function approveRun(
  context: OperationContext,
  name: string | undefined,
  note: string | undefined,
): Promise<Approved> {
  requirePerson(context, 'approve', name);
  requireBoundedOutput('--note', note);
  const target = findTargetRun(context, name);
  requireApprovalIn(target);
  const gated = machineWithGates(target.state);
  // Gates may take minutes, so they run before the lock is taken.
  const gates = gated === null ? [] : await passGates(context, target.runId, gated, 'approve');
  return withLockedRun(context, target.runId, (run, tx) => {
    const machine = requireApprovalIn(run);
    if (gated !== null) requireSamePosition(run, gated, machine);
    const { step } = machine.state;
    const approved = machine.getStatus().progress.text;
    machine.approve(note);
    const moved = withMachine(run.state, machine);
    const artifacts = artifactsForTransition(context, run, moved, false);
    const state = { ...artifacts.state, adopted: true };
    const event = withActor(context, {
      event: 'approved',
      step,
      phase: state.phase,
      ...(note === undefined ? {} : { note }),
      ...gateDetails(gates),
    });
    return { run: saveUndelivered(context, tx, run, state, event), approved, artifacts };
  });
}

function requireApprovalIn(run: StoredRun): WorkflowStateMachine {
  requireActive(run, 'approve');
  const machine = machineOf(run.state);
  if (machine?.state.stepType === 'approval') return machine;
  const step = machine?.state.step ?? null;
  throw new HoldfastError({ code: 'no_approval', step, run: run.runId });
}
