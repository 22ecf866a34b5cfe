import { HoldfastError } from '../errors/holdfast-error.ts';
import { resolveSession, recordCompletedPhase } from '../sessions/holder.ts';
import { sameJson } from '../util/json.ts';
import { advancePhase, phaseLabel } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Transaction } from '../state/store/store.ts';
import type { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import {
  artifactsForTransition,
  requireArtifacts,
  type TransitionArtifacts,
} from './artifacts-at-move.ts';
import { saveProgress, type Delivery } from './save-run.ts';
import type { OperationContext } from './context.ts';
import { machineWithGates, passGates, requireNotCancelled } from './pass-gates.ts';
import { findTargetRun, requireActive, withActor, withLockedRun } from './with-run.ts';
import { holdIfFree } from './take-hold.ts';

export interface Finished {
  output?: string | undefined;
  artefacts: string[];
  /** The name of the phase that follows, in a run without a template. */
  nextName?: string | undefined;
  /** Even if a required artifact is missing. */
  force?: boolean | undefined;
}

export interface Advanced extends Delivery {
  /** What was finished, in words. */
  finished: string;
  /** What is due at this move: named always, with its content where that is not in the context. */
  artifacts: TransitionArtifacts;
}

/** Finishes the phase or step and goes to the next; past the last one the run is completed. */
export async function advanceRun(
  desk: OperationContext,
  name: string | undefined,
  finished: Finished,
): Promise<Advanced> {
  requireBoundedOutput(finished.output);
  const seen = findTargetRun(desk, name);
  requireActive(seen, 'advance');
  rejectPhaseName(seen, finished);
  const gated = machineWithGates(seen.state);
  if (gated !== null) await passGates(desk, seen.runId, gated);
  return withLockedRun(desk, seen.runId, (found, tx) => {
    requireNotCancelled(desk, found.runId);
    requireActive(found, 'advance');
    rejectPhaseName(found, finished);
    const { run, taken } = holdIfFree(desk, tx, found);
    const now = machineOf(run.state);
    if (gated !== null) requireSamePosition(run, gated, now);
    const made = now === null ? byPhase(run.state, finished) : byStep(run.state, now, finished);
    const details = { ...made.details, ...taken };
    return move(desk, tx, run, { ...made, details }, finished.force === true);
  });
}

const MAX_OUTPUT = 200_000;

/** Outputs are kept in the state file, which every command and hook reads. */
function requireBoundedOutput(output: string | undefined): void {
  if (output === undefined || output.length <= MAX_OUTPUT) return;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--output',
    given: { characters: output.length },
    expected: { kind: 'at_most_characters', max: MAX_OUTPUT, instead: 'artefact' },
  });
}

function rejectPhaseName({ runId: run, state }: StoredRun, { nextName }: Finished): void {
  if (nextName === undefined || state.template === undefined) return;
  throw new HoldfastError({ code: 'template_decides', option: '--name', run });
}

interface Move {
  state: RunState;
  finished: string;
  /** The same for the journal, where the kind of event says the rest. */
  label: string;
  /** What is noted in the record of the session; null where only a part of a step is done. */
  completed: string | null;
  details: object;
}

function byPhase(state: RunState, finished: Finished): Move {
  const label = phaseLabel(state.phase);
  return {
    state: advancePhase(state, finished),
    finished: `phase ${label}`,
    label,
    completed: label,
    details: noted(finished),
  };
}

function byStep(state: RunState, machine: WorkflowStateMachine, finished: Finished): Move {
  const { progress, step } = machine.getStatus();
  machine.advance(finished.output, finished.artefacts);
  const after = machine.getStatus();
  const isLeft = after.step !== step || after.status === 'complete';
  return {
    state: withMachine(state, machine),
    finished: progress.text,
    label: progress.text,
    completed: isLeft ? phaseLabel(state.phase) : null,
    details: noted(finished),
  };
}

function move(
  desk: OperationContext,
  tx: Transaction,
  run: StoredRun,
  made: Move,
  force: boolean,
): Advanced {
  const { finished, completed } = made;
  const artifacts = artifactsForTransition(desk, run, made.state);
  if (!force) requireArtifacts(run, artifacts);
  const recorded =
    desk.session === null || completed === null
      ? artifacts.state
      : recordCompletedPhase(
          artifacts.state,
          resolveSession(desk.session, tx.runs),
          completed,
          desk.now,
        );
  const state = { ...recorded, adopted: true };
  const event = withActor(desk, {
    event: 'advanced',
    finished: made.label,
    phase: state.phase,
    ...made.details,
  });
  return { ...saveProgress(desk, tx, run, state, event), finished, artifacts };
}

/** While a gate ran, somebody else may have moved the run: what was checked is not what would be finished. */
function requireSamePosition(
  run: StoredRun,
  before: WorkflowStateMachine,
  now: WorkflowStateMachine | null,
): void {
  const isSame = now !== null && sameJson(placeIn(before), placeIn(now));
  if (!isSame) throw new HoldfastError({ code: 'moved_meanwhile', run: run.runId });
}

function placeIn(machine: WorkflowStateMachine): object {
  const { step, task, subStep, ralphIteration } = machine.state;
  return { step, task: task?.id, subStep, ralphIteration };
}

function noted({ output, artefacts }: Finished): object {
  return {
    ...(output === undefined ? {} : { output }),
    ...(artefacts.length === 0 ? {} : { artefacts }),
  };
}
