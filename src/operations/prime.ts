import { declaredArtifacts } from '../artifacts/declared.ts';
import { decide, type Decision } from '../artifacts/decide.ts';
import { loadArtifact } from '../artifacts/load.ts';
import { isAbsent, printArtifacts, type LoadedArtifact } from '../artifacts/print.ts';
import { manual } from '../artifacts/triggers.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { recordAdded } from '../sessions/context-record.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';
import { isHolder } from './is-holder.ts';
import { withActor } from './with-run.ts';

const MAX_CHARS = 25_000;

export interface PrimeOptions {
  /** Only these artifacts; all where it is left out. */
  only?: string[] | undefined;
  /** Also what was loaded a moment ago. */
  force: boolean;
  maxChars?: number | undefined;
}

export interface Primed {
  run: StoredRun;
  text: string;
  decisions: Decision[];
  given: LoadedArtifact[];
  /** The others that had to be loaded: they stand in the text by their name. */
  named: LoadedArtifact[];
  /** Required, and nothing of it could be brought. */
  absent: LoadedArtifact[];
}

/** What priming the run would do, artifact by artifact. Nothing is written. */
export function planPrime(
  desk: OperationContext,
  run: StoredRun,
  options: PrimeOptions,
): Decision[] {
  const { artifacts, problems } = declaredArtifacts(run.state, desk.settings);
  for (const problem of problems) desk.warn(problem);
  requireKnown(
    artifacts.map(({ id }) => id),
    options.only,
  );
  const { now } = desk;
  const inContext = isHolder(desk, run)
    ? (run.state.context_metadata?.artifacts_in_context ?? [])
    : [];
  return decide(artifacts, manual, run.state, {
    now,
    force: options.force,
    ...(options.only === undefined ? {} : { only: options.only }),
    inContext,
  });
}

/** Loads the artifacts of the run now; what was printed counts as being in the context of the session that asks. */
export function primeRun(desk: OperationContext, run: StoredRun, options: PrimeOptions): Primed {
  const decisions = planPrime(desk, run, options);
  const loaded = loadArtifacts(desk, run, decisions);
  const { text, given } = printArtifacts(loaded, options.maxChars ?? MAX_CHARS);
  const absent = loaded.filter((one) => one.artifact.required === true && isAbsent(one));
  const written = given.length === 0 || !isHolder(desk, run) ? run : keep(desk, run, given);
  const named = loaded.filter((one) => !given.includes(one));
  return { run: written, text, decisions, given, named, absent };
}

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

/** The state with what was given counted as being in the context. */
export function recordPrinted(
  state: RunState,
  given: readonly LoadedArtifact[],
  now: Date,
): RunState {
  const files = given.flatMap(({ artifact, trigger, loaded }) =>
    loaded.kind === 'text' ? [{ id: artifact.id, content: loaded.text, trigger }] : [],
  );
  return recordAdded(state, files, now);
}

function keep(desk: OperationContext, run: StoredRun, given: readonly LoadedArtifact[]): StoredRun {
  return desk.store.transaction((tx) => {
    const now = tx.reread(run);
    if (now === undefined) return run;
    const ids = given.map(({ artifact }) => artifact.id);
    const event = withActor(desk, { event: 'primed', artifacts: ids });
    return tx.write(now, recordPrinted(now.state, given, desk.now), event);
  });
}

function requireKnown(ids: string[], only: string[] | undefined): void {
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown === undefined) return;
  throw new HoldfastError({ code: 'unknown_artifact', given: unknown, artifacts: ids });
}
