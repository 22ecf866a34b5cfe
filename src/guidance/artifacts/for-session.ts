import type { DueArtifact, Loaded } from './types.ts';
import { canonicalPath } from '../../files/runtime-paths.ts';
import { digestOf } from '../../text/slug.ts';
import type { Settings } from '../../settings/settings.ts';
import { holderOf, sessionRecord } from '../../sessions/holder.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { hasBegunStepAt } from '../../templates/run-view.ts';
import {
  declaredArtifacts,
  decide,
  afterCompaction,
  atSessionStart,
  entryIntoStep,
  type TriggerMatcher,
} from './declared.ts';
import { loadPlain, toBePrimed } from './load-plain.ts';
import { targetOf } from './placeholders.ts';

/** What a session that has lost its context is given of the run's artifacts; no file is given twice. */
export function artifactsForSession(
  { runId, path: stateFile, state }: StoredRun,
  around: { root: string; now: Date; source: string; settings: Settings; required: string[] },
): DueArtifact[] {
  const { root, now, source, settings, required } = around;
  const { artifacts } = declaredArtifacts(state, settings);
  const occasion = source === 'compact' ? afterCompaction : atSessionStart;
  const entry = entryOf(state, source, now);
  const either: TriggerMatcher = (triggers) => occasion(triggers) ?? entry?.(triggers);
  const decisions = decide(artifacts, either, state, { now, force: true, inContext: [] });
  const given = new Set(required);
  return decisions.flatMap(({ artifact, verdict }) => {
    if (verdict === 'skip') return [];
    const plain = loadPlain(artifact, state, { root, runId, path: stateFile });
    const path = 'path' in plain && plain.path !== undefined ? `@${plain.path}` : null;
    if (path !== null && given.has(path)) return [];
    if (path !== null) given.add(path);
    const isOfEntry = plain.kind === 'text' && occasion(artifact.reload_triggers) === undefined;
    const loaded: Loaded = isOfEntry ? toBePrimed(artifact) : plain;
    return [{ id: artifact.id, description: artifact.description, loaded }];
  });
}

/**
 * The triggers of the step that begins with this compaction or clear; null if none does. What they name was given
 * before the conversation lost it, so it is named again.
 */
function entryOf(state: RunState, source: string, now: Date): TriggerMatcher | null {
  const begun = source === 'startup' ? startOfSession(state) : now.toISOString();
  return begun !== undefined && hasBegunStepAt(state, begun) ? entryIntoStep(state) : null;
}

/** `holdfast run` clears by a fresh session. */
function startOfSession(state: RunState): string | undefined {
  const holder = holderOf(state);
  return holder === null ? undefined : sessionRecord(state, holder)?.started_at;
}

/** What a session that has its conversation still no longer has of it, or not as it is now. */
export function artifactsLost(
  run: StoredRun,
  around: Parameters<typeof artifactsForSession>[1],
): string[] {
  const inContext = run.state.context_metadata?.artifacts_in_context ?? [];
  return artifactsForSession(run, around).flatMap(({ id, loaded }) => {
    if (loaded.kind !== 'text') return [];
    const known = inContext.findLast((entry) => entry.artifact_id === id)?.digest;
    return known === digestOf(loaded.text)
      ? []
      : [loaded.path === undefined ? id : `@${loaded.path}`];
  });
}

/** The artifacts of a run that a file is: who reads it has them in the context. */
export function artifactsReadFrom(
  run: StoredRun,
  path: string,
  project: { root: string; settings: Settings },
): string[] {
  return artifactFiles(run, project).flatMap((artifact) =>
    artifact.path === path ? [artifact.id] : [],
  );
}

/** The artifacts of a run that are files, with their paths as `canonicalPath` gives them. */
export function artifactFiles(
  { runId, path: stateFile, state }: StoredRun,
  { root, settings }: { root: string; settings: Settings },
): { id: string; path: string }[] {
  return declaredArtifacts(state, settings).artifacts.flatMap((artifact) => {
    const target = targetOf(artifact, state, { root, runId, path: stateFile });
    return target.kind === 'path'
      ? [{ id: artifact.id, path: canonicalPath(root, target.text) }]
      : [];
  });
}
