import type { Decision } from '../artifacts/decide.ts';
import { loadArtifact } from '../artifacts/load.ts';
import type { LoadedArtifact } from '../artifacts/print.ts';
import { recordAdded } from '../sessions/context-record.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';

/** Loads every artifact that was decided to be loaded. */
export function loadArtifacts(
  { root }: OperationContext,
  { runId, state }: StoredRun,
  decisions: readonly Decision[],
): LoadedArtifact[] {
  return decisions.flatMap((decision) => {
    if (decision.verdict === 'skip') return [];
    const { artifact, trigger } = decision;
    return [{ artifact, trigger, loaded: loadArtifact(artifact, state, { root, runId }) }];
  });
}

/** Records the printed artifacts as in context. */
export function recordPrinted(
  state: RunState,
  printed: readonly LoadedArtifact[],
  now: Date,
): RunState {
  const files = printed.flatMap(({ artifact, trigger, loaded }) =>
    loaded.kind === 'text' ? [{ id: artifact.id, content: loaded.text, trigger }] : [],
  );
  return recordAdded(state, files, now);
}
