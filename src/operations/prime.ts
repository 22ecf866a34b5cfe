import { decide, type Decision } from '../artifacts/decide.ts';
import { declaredArtifacts } from '../artifacts/declared.ts';
import { loadArtifact } from '../artifacts/load.ts';
import { isAbsent, printArtifacts, type LoadedArtifact } from '../artifacts/print.ts';
import { manual } from '../artifacts/triggers.ts';
import type { Loaded } from '../artifacts/types.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { StoredRun } from '../state/types.ts';
import { loadArtifacts, recordPrinted } from './artifacts-at-move.ts';
import type { OperationContext } from './open-project.ts';
import { isHolder } from './target-run.ts';
import { withActor } from './with-run.ts';

const MAX_CHARS = 25_000;

export interface PrimeOptions {
  /** Only these artifacts; all of them if undefined. */
  only?: string[] | undefined;
  /** Load again what was loaded a moment ago. */
  force: boolean;
  maxChars?: number | undefined;
}

export interface PrimedRun {
  run: StoredRun;
  text: string;
  decisions: Decision[];
  given: LoadedArtifact[];
  /** Artifacts that should be loaded but whose content is not in the text, only their name. */
  named: LoadedArtifact[];
  /** Required artifacts that do not exist. */
  absent: LoadedArtifact[];
}

/** Loads the artifacts of the run now; what is printed counts as in context of the session that asks. */
export function primeRun(
  context: OperationContext,
  run: StoredRun,
  options: PrimeOptions,
): PrimedRun {
  const decisions = decideArtifacts(context, run, options);
  const loaded = loadArtifacts(context, run, decisions);
  const { text, given } = printArtifacts(loaded, options.maxChars ?? MAX_CHARS);
  const absent = loaded.filter((one) => one.artifact.required === true && isAbsent(one));
  const written =
    given.length === 0 || !isHolder(context, run) ? run : savePrinted(context, run, given);
  const named = loaded.filter((one) => !given.includes(one));
  return { run: written, text, decisions, given, named, absent };
}

export interface PrimePreview {
  decision: Decision;
  loaded: Loaded;
  lastLoadedAt: string | null;
}

/** What `primeRun` would do, artifact by artifact. Nothing is written. */
export function previewPrime(
  context: OperationContext,
  run: StoredRun,
  options: PrimeOptions,
): PrimePreview[] {
  const { runId, path, state } = run;
  const inContext = state.context_metadata?.artifacts_in_context ?? [];
  return decideArtifacts(context, run, options).map((decision) => {
    const { artifact } = decision;
    const last = inContext.findLast((entry) => entry.artifact_id === artifact.id);
    return {
      decision,
      loaded: loadArtifact(artifact, state, { root: context.root, runId, path }),
      lastLoadedAt: last?.loaded_at ?? null,
    };
  });
}

function decideArtifacts(
  context: OperationContext,
  run: StoredRun,
  { only, force }: PrimeOptions,
): Decision[] {
  const { artifacts, problems } = declaredArtifacts(run.state, context.settings);
  if (problems.length > 0) context.warn({ code: 'artifact_problems', problems });
  requireKnown(
    artifacts.map(({ id }) => id),
    only,
  );
  return decide(artifacts, manual, run.state, {
    now: context.now,
    force,
    ...(only === undefined ? {} : { only }),
    inContext: isHolder(context, run)
      ? (run.state.context_metadata?.artifacts_in_context ?? [])
      : [],
  });
}

function savePrinted(
  context: OperationContext,
  run: StoredRun,
  printed: readonly LoadedArtifact[],
): StoredRun {
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    if (current === undefined) return run;
    const ids = printed.map(({ artifact }) => artifact.id);
    const event = withActor(context, { event: 'primed', artifacts: ids });
    return tx.write(current, recordPrinted(current.state, printed, context.now), event);
  });
}

function requireKnown(ids: string[], only: string[] | undefined): void {
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown === undefined) return;
  throw new HoldfastError({ code: 'unknown_artifact', given: unknown, artifacts: ids });
}
