import { loadedDetails, recordAdded, recordDue } from '../sessions/context-record.ts';
import { isActive } from '../sessions/select-run.ts';
import type { ContextCommand } from '../templates/machine/machine-state.ts';
import { contextActionOf, passedBySteps } from '../templates/run-view.ts';
import { takeContextAction } from '../templates/template-run.ts';
import { callerSession, type OperationContext, isHolder } from '../sessions/open-project.ts';
import { holderOf } from '../sessions/holder.ts';
import { readSyncInput } from '../sources/read-sources.ts';
import type { NewEvent } from '../state/journal.ts';
import { recordEnd, recordSources } from '../sources/source-records.ts';
import type { Transaction } from '../state/store/store.ts';
import { sourcesFor } from '../sources/plan-sync.ts';
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
import type { RunState, StoredRun } from '../state/types.ts';
import { sanitizeLine } from '../text/sanitize.ts';

export interface Delivery {
  run: StoredRun;
  /** What the user has to type before the run goes on; null if nothing is due. */
  action: ContextCommand | null;
}

/** Saves a run that was moved and requests the context action due there. A run with nothing left to do is ended. */
export function saveProgress(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): Delivery {
  const recorded = moveDetails(run.state, moved, event);
  if (moved.status === 'completed') {
    return { run: endRun(context, tx, run, moved, recorded, false), action: null };
  }
  const { state, action } = takeContextAction(moved, context.now.toISOString());
  return { run: tx.write(run, state, recorded), action };
}

/** For a person at a terminal: a context action stays due, because only the session that works on the run needs it. */
export function saveUndelivered(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): StoredRun {
  const recorded = moveDetails(run.state, moved, event);
  return moved.status === 'completed'
    ? endRun(context, tx, run, moved, recorded, false)
    : tx.write(run, moved, recorded);
}

function moveDetails(before: RunState, after: RunState, event: NewEvent): NewEvent {
  return { ...event, ...passedByDetails(before, after), ...loadedDetails(before, after) };
}

/** For the journal: the steps that this move passed by, because their conditions were false. */
export function passedByDetails(
  before: RunState | null,
  after: RunState,
): { passed_by?: string[] } {
  const known = new Set((before === null ? [] : passedBySteps(before)).map(({ id }) => id));
  const passed = passedBySteps(after).filter(({ id }) => !known.has(id));
  return passed.length === 0 ? {} : { passed_by: passed.map(({ id }) => id) };
}

/** Marks a due context action as requested in the same write, so that it is asked for only once. */
export function deliverContextAction(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
): Delivery {
  const { state, action } = takeContextAction(run.state, context.now.toISOString());
  return { run: action === null ? run : tx.write(run, state), action };
}

/** Showing a run to its holder requests the context action that is due; for anyone else nothing changes. */
export function viewRun(
  context: OperationContext,
  run: StoredRun,
  runs: readonly StoredRun[],
): Delivery {
  const session = callerSession(context, runs);
  if (session === null || !isDueFor(session, run)) return { run, action: null };
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    if (current === undefined) return { run, action: null };
    return isDueFor(session, current)
      ? deliverContextAction(context, tx, current)
      : { run: current, action: null };
  });
}

function isDueFor(session: string, run: StoredRun): boolean {
  return (
    holderOf(run.state) === session && isActive(run) && contextActionOf(run.state)?.state === 'due'
  );
}

/** Archives the run and records what its sources declare now, so that they only offer to start it again. */
export function endRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: NewEvent,
  purge: boolean,
): StoredRun {
  const { input } = readSyncInput(context, tx);
  const ended = state.status === 'cancelled' ? state : asCompleted(state);
  const as = state.status === 'cancelled' ? 'cancelled' : 'completed';
  const records = recordSources(tx.sourceRecords, sourcesFor(run, input), run.runId);
  tx.saveSourceRecords(recordEnd(records, { ...run, state }, purge ? 'deleted' : as, input));
  return tx.end(run, ended, event, { purge });
}

/** Why a run was paused or blocked before is not why it was completed. */
function asCompleted({ status_reason: _reason, ...state }: RunState): RunState {
  return { ...state, status: 'completed' };
}

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
  { runId, path, state }: StoredRun,
  decisions: readonly Decision[],
): LoadedArtifact[] {
  return decisions.flatMap((decision) => {
    if (decision.verdict === 'skip') return [];
    const { artifact, trigger } = decision;
    return [{ artifact, trigger, loaded: loadArtifact(artifact, state, { root, runId, path }) }];
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
