import { declaredArtifacts } from '../artifacts/declared.ts';
import { decide } from '../artifacts/decide.ts';
import { isAbsent, lineFor, printArtifacts, type LoadedArtifact } from '../artifacts/print.ts';
import { transitionBetween } from '../artifacts/transition.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { digestOf } from '../io/digest.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';
import { isHolder } from './is-holder.ts';
import { loadArtifacts, recordPrinted } from './prime.ts';

/** The reply to a move also says what is to be done next: contents have to leave room for that. */
const MAX_CHARS = 10_000;

export interface TransitionArtifacts {
  due: { id: string; state: 'given' | 'in_context' | 'named' | 'missing' }[];
  text: string;
  absent: LoadedArtifact[];
  /** The run after the move, with what was given counted as being in the context. */
  state: RunState;
}

/** The artifacts whose trigger is this move, loaded as the run will be after it. */
export function artifactsForTransition(
  desk: OperationContext,
  run: StoredRun,
  after: RunState,
): TransitionArtifacts {
  const nothing = { due: [], text: '', absent: [], state: after };
  const occasion = after.status === 'completed' ? null : transitionBetween(run.state, after);
  if (occasion === null) return nothing;
  const { artifacts, problems } = declaredArtifacts(after, desk.settings);
  for (const problem of problems) desk.warn(problem);
  const decisions = decide(artifacts, occasion, after, {
    now: desk.now,
    force: true,
    inContext: [],
  });
  const loaded = loadArtifacts(desk, { ...run, state: after }, decisions);
  if (loaded.length === 0) return nothing;
  const isHere = isHolder(desk, run);
  const isKnown = (one: LoadedArtifact): boolean => isHere && isInContext(one, after);
  const known = loaded.filter(isKnown);
  const { text, given } = printArtifacts(
    loaded.filter((one) => !isKnown(one)),
    MAX_CHARS,
  );
  const stateOf = (one: LoadedArtifact): TransitionArtifacts['due'][number]['state'] => {
    if (known.includes(one)) return 'in_context';
    return given.includes(one) ? 'given' : isAbsent(one) ? 'missing' : 'named';
  };
  return {
    due: loaded.map((one) => ({ id: one.artifact.id, state: stateOf(one) })),
    text: [
      ...known.map(({ artifact }) => `Artifact ${sanitizeLine(artifact.id)} is in the context.`),
      ...(text === '' ? [] : [text]),
    ].join('\n'),
    absent: loaded.filter((one) => one.artifact.required === true && isAbsent(one)),
    state: isHere ? recordPrinted(after, given, desk.now) : after,
  };
}

/** However long ago it was loaded, but with the content that it has now. */
function isInContext(
  { artifact, loaded }: LoadedArtifact,
  { context_metadata }: RunState,
): boolean {
  if (loaded.kind !== 'text') return false;
  const entries = context_metadata?.artifacts_in_context ?? [];
  const entry = entries.findLast(({ artifact_id: id }) => id === artifact.id);
  return entry !== undefined && entry.digest === digestOf(loaded.text);
}

export function requireArtifacts({ runId }: StoredRun, { absent }: TransitionArtifacts): void {
  if (absent.length === 0) return;
  const what = absent.map(lineFor);
  throw new HoldfastError({
    code: 'artifact_missing',
    what,
    forced: `holdfast advance ${runId} --force`,
  });
}
