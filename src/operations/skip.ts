import { HoldfastError } from '../errors/holdfast-error.ts';
import { phaseLabel, skipPhase, markSkipped } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { artifactsForTransition, type TransitionArtifacts } from './artifacts-at-move.ts';
import { holdIfFree, saveProgress, type Delivery } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { requireActive } from './target-run.ts';
import { withActor, withRun } from './with-run.ts';

export interface SkippedRun extends Delivery {
  /** The phase or step that was skipped, for people. */
  skipped: string;
  /** What is due if the run is in another phase or step now. */
  artifacts: TransitionArtifacts;
}

/** Skips the current phase or step, or in a run without a template a later phase. */
export function skipRun(
  context: OperationContext,
  name: string | undefined,
  { phase, reason }: { phase?: number | undefined; reason: string },
): SkippedRun {
  return withRun(context, name, (found, tx) => {
    requireActive(found, 'skip');
    const { run, taken } = holdIfFree(context, tx, found);
    const { current } = run.state.phase;
    const target = phase ?? current;
    requirePhaseAhead(run, target);
    const machine = machineOf(run.state);
    const skipped = labelOf(run.state, target);
    if (machine !== null) {
      if (target !== current) throw notSkippable(run, target, 'template');
      machine.skip();
    }
    const moved =
      machine === null
        ? skipPhase(run.state, target, reason)
        : withMachine(markSkipped(run.state, target, reason), machine);
    const event = withActor(context, {
      event: 'skipped',
      skipped,
      reason,
      phase: moved.phase,
      ...taken,
    });
    const artifacts = artifactsForTransition(context, run, moved);
    const state = { ...artifacts.state, adopted: true };
    return { ...saveProgress(context, tx, run, state, event), skipped, artifacts };
  });
}

function requirePhaseAhead(run: StoredRun, phase: number): void {
  const { current, total } = run.state.phase;
  if (phase > total || phase < 1) {
    throw new HoldfastError({ code: 'phase_out_of_range', phase, total, command: 'skip' });
  }
  if (phase < current) throw notSkippable(run, phase, 'past');
}

function notSkippable(
  { runId, state }: StoredRun,
  phase: number,
  why: 'past' | 'template',
): HoldfastError {
  const { current } = state.phase;
  return new HoldfastError({ code: 'phase_not_skippable', run: runId, phase, current, why });
}

function labelOf({ phase, phases }: RunState, n: number): string {
  const name = n === phase.current ? phase.name : (phases?.[n - 1] ?? '');
  return phaseLabel({ ...phase, current: n, name });
}
