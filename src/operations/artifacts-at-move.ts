import { describeSettings } from '../settings/describe-schema-error.ts';
import {
  declaredArtifacts,
  decide,
  type Decision,
  startOfRun,
  transitionBetween,
  type TriggerMatcher,
} from '../guidance/artifacts/declared.ts';
import { loadArtifact } from '../guidance/artifacts/load.ts';
import {
  isAbsent,
  lineFor,
  printArtifacts,
  type LoadedArtifact,
} from '../guidance/artifacts/print.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { digestOf } from '../text/digest.ts';
import { recordAdded, recordDue } from '../sessions/context-record.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { OperationContext } from './open-project.ts';
import { isHolder } from './target-run.ts';

/** The reply to a move also contains the next instructions, so file contents must not fill it. */
const MAX_CHARS = 10_000;

export interface TransitionArtifacts {
  due: { id: string; state: 'given' | 'in_context' | 'named' | 'missing' }[];
  text: string;
  absent: LoadedArtifact[];
  /** The run after the move; the artifacts printed now are recorded as in context. */
  state: RunState;
}

/**
 * The artifacts triggered by this move, loaded with the state that the run has after it. `isForSession`: the session
 * that works on the run reads the reply to the move; otherwise what is due stays due for it.
 */
export function artifactsForTransition(
  context: OperationContext,
  run: StoredRun,
  after: RunState,
  isForSession = isReplyRead(context),
): TransitionArtifacts {
  const transition = after.status === 'completed' ? null : transitionBetween(run.state, after);
  return transition === null
    ? { due: [], text: '', absent: [], state: after }
    : artifactsFor(context, run, recordDue(after, []), transition, isForSession);
}

/** `holdfast run` moves runs itself, and tells the session only where it stands. */
function isReplyRead({ by }: OperationContext): boolean {
  return by !== 'run';
}

/** The artifacts due when a run starts: the session begins to work on it, and the first phase starts. */
export function artifactsAtStart(context: OperationContext, run: StoredRun): TransitionArtifacts {
  return artifactsFor(context, run, run.state, startOfRun(run.state), isReplyRead(context));
}

function artifactsFor(
  context: OperationContext,
  run: StoredRun,
  after: RunState,
  matcher: TriggerMatcher,
  isForSession: boolean,
): TransitionArtifacts {
  const none = { due: [], text: '', absent: [], state: after };
  const { artifacts, problems } = declaredArtifacts(after, context.settings);
  for (const sentence of describeSettings(problems)) context.warn(sentence);
  const decisions = decide(artifacts, matcher, after, {
    now: context.now,
    force: true,
    inContext: [],
  });
  warnOfConditions(context, decisions);
  const loaded = loadArtifacts(context, { ...run, state: after }, decisions);
  if (loaded.length === 0) return none;
  const isOwn = isForSession && isHolder(context, run);
  const isKnown = (one: LoadedArtifact): boolean => isOwn && isInContext(one, after);
  const known = loaded.filter(isKnown);
  const { text, given } = printArtifacts(
    loaded.filter((one) => !isKnown(one)),
    MAX_CHARS,
    (one) => (isRequiredAbsent(one) ? `Required: ${lineFor(one)}` : lineFor(one)),
  );
  const stateOf = (one: LoadedArtifact): TransitionArtifacts['due'][number]['state'] => {
    if (known.includes(one)) return 'in_context';
    return given.includes(one) ? 'given' : isAbsent(one) ? 'missing' : 'named';
  };
  return {
    due: loaded.map((one) => ({ id: one.artifact.id, state: stateOf(one) })),
    text: [
      ...known.map(
        ({ artifact }) => `Artifact ${sanitizeLine(artifact.id)} is already in context.`,
      ),
      ...(text === '' ? [] : [text]),
    ].join('\n'),
    absent: loaded.filter(isRequiredAbsent),
    state: isOwn
      ? recordPrinted(after, given, context.now)
      : recordDue(
          after,
          loaded.filter((one) => !isInContext(one, after)).map(({ artifact }) => artifact.id),
        ),
  };
}

/** A condition that cannot be read counts as false, which nobody would notice. */
function warnOfConditions({ warn }: OperationContext, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if (decision.verdict === 'load' || decision.skip.kind !== 'condition bad') continue;
    warn(`artifact ${decision.artifact.id} is not loaded: ${decision.skip.why}`);
  }
}

function isRequiredAbsent(one: LoadedArtifact): boolean {
  return one.artifact.required === true && isAbsent(one);
}

/** Regardless of when it was loaded, as long as its content has not changed since. */
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
  throw artifactMissing(absent, {
    hint: `the run was not advanced; create it, or advance without it: \`holdfast advance ${runId} --force\``,
  });
}

export function artifactMissing(
  absent: readonly LoadedArtifact[],
  advice: { hint?: string; details?: string; data?: object },
): HoldfastError {
  const what = absent.map(lineFor).join('; ');
  return new HoldfastError('artifact_missing', `required artifact missing: ${what}`, {
    hint: 'create it, then try again',
    ...advice,
  });
}

/** Loads every artifact that was decided to be loaded. */
export function loadArtifacts(
  { root }: OperationContext,
  run: StoredRun,
  decisions: readonly Decision[],
): LoadedArtifact[] {
  return decisions.flatMap((decision) => {
    if (decision.verdict === 'skip') return [];
    const { artifact, trigger } = decision;
    return [{ artifact, trigger, loaded: loadArtifact(artifact, run, root) }];
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
