import { HoldfastError } from '../errors/holdfast-error.ts';
import { applyEdits, hasEdits, type Edits } from '../state/edits.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { parseRun } from '../workflow/run.ts';
import type { OperationContext } from './open-project.ts';
import { withActor, withRun } from './with-run.ts';

/** A run that was edited, and its state before. */
export interface UpdatedRun extends StoredRun {
  before: RunState;
}

/** Edits a run by hand. `changes` is what the user asked for, for the journal. */
export function updateRun(
  context: OperationContext,
  name: string | undefined,
  edits: Edits,
  changes: object,
): UpdatedRun {
  if (!hasEdits(edits)) throw new HoldfastError({ code: 'nothing_to_change' });
  return withRun(context, name, (found, tx) => {
    const { runId, state: before } = found;
    requireOwnPhases(runId, before, edits);
    const state = { ...applyEdits(before, edits), adopted: true };
    const event = withActor(context, { event: 'updated', changes });
    return { ...tx.write(found, state, event), before };
  });
}

/** A template decides the phases of its run; by hand it can only be blocked or unblocked. */
function requireOwnPhases(run: string, state: RunState, edits: Edits): void {
  // Also throws for a template run whose state is broken, before anything is written.
  if (parseRun(state).kind === 'phases') return;
  const option = phaseOption(edits);
  if (option === null) return;
  throw new HoldfastError({ code: 'template_decides', option, run });
}

function phaseOption({ phase, phases, name, status }: Edits): string | null {
  if (phases !== undefined) return '--phases';
  if (phase !== undefined) return '--phase';
  if (name !== undefined) return '--name';
  return status === 'completed' || status === 'not_started' ? `--status ${status}` : null;
}
