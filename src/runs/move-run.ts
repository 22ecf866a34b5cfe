import { isNewerFormat, requireKnownFormat } from '../state/store/run-files.ts';
import {
  type Decision,
  type TriggerMatcher,
  decide,
  declaredArtifacts,
  transitionBetween,
} from '../guidance/artifacts/declared.ts';
import {
  type Artifact,
  isAbsent,
  isMissing,
} from '../guidance/artifacts/load-plain.ts';
import {
  type LoadedArtifact,
  lineFor,
  loadArtifact,
  printArtifacts,
} from '../guidance/artifacts/prime.ts';
import { sessionOf } from '../sessions/caller.ts';
import {
  loadedDetails,
  recordAdded,
  recordDue,
  holderOf,
} from '../sessions/holder.ts';
import { type OperationContext, isHolder } from '../sessions/open-project.ts';
import { isActive } from '../sessions/select-run.ts';
import { describeSettings } from '../settings/settings.ts';
import { sourcesByRun } from '../sources/plan-sync.ts';
import { readSyncInput } from '../sources/read-sources.ts';
import { recordEnd, recordSources } from '../sources/source-records.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import {
  blockPhase,
  markSkipped,
  phaseWords,
  recordFailure,
} from '../state/phases.ts';
import { withState } from '../state/run.ts';
import type { Run, RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../machine/machine-state.ts';
import { isStepUndone } from '../machine/machine.ts';
import { contextActionOf, passedBySteps } from '../state/progress.ts';
import {
  machineOf,
  takeContextAction,
  withMachine,
} from '../state/template-run.ts';
import { recordToldWait } from '../templates/waits.ts';
import { digestOf } from '../text/slug.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { withRun } from './change-run.ts';
import { requireActive } from './which-run.ts';

export interface Delivery {
  run: StoredRun;
  /** What the user has to type before the run goes on; null if nothing is due. */
  action: ContextCommand | null;
}

export interface Moved extends Delivery {
  /** The artifacts due at this move; those not yet in the session's context come with their content. */
  artifacts: DueArtifacts;
}

/**
 * Saves a run that was moved, with the artifacts that are due there. The context action that is due counts as requested
 * if the session that works on the run reads this reply; a terminal only shows it. A run with nothing left to do is ended.
 * With `isForSession: false` a person has moved it at a terminal: what is due stays due for the session that works on the
 * run. `isStrict` refuses a move that lacks a required artifact.
 */
export function saveMove(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  after: Run,
  event: NewEvent,
  { isForSession = true, isStrict = false } = {},
): Moved {
  const { run: moved, ...artifacts } = artifactsAtMove(
    context,
    run,
    after,
    isForSession,
  );
  if (isStrict) requireArtifacts(run, artifacts);
  const details = {
    ...passedByDetails(run, moved),
    ...loadedDetails(run.state, moved.state),
  };
  const recorded = { ...event, ...details };
  if (moved.state.status === 'completed')
    return {
      run: endRun(context, tx, moved, moved.state, recorded),
      action: null,
      artifacts,
    };
  const { run: requested, action } = isForSession
    ? takeContextAction(moved, context.now.toISOString())
    : { run: moved, action: null };
  const isRead = isReadByHolder(context, moved.state);
  const saved = isRead ? requested : moved;
  const written = tx.write(saved, saved.state, recorded);
  if (isForSession) recordToldWait(context, written);
  return { run: written, action, artifacts };
}

/** Reports the current step as failed; its template decides what happens. Without one the phase is blocked. */
export const failRun = (
  context: OperationContext,
  name: string | undefined,
  reason: string,
) =>
  withRun(context, name, (run, tx, log) => {
    requireActive(run, 'fail');
    const { phase } = run.state;
    const machine = machineOf(run);
    if (machine === null) {
      const blocked = withState(run, blockPhase(run.state, reason));
      const moved = saveMove(
        context,
        tx,
        run,
        blocked,
        log({ event: 'failed', phase, reason }),
      );
      return { ...moved, failed: `phase ${phaseWords(phase)}`, outcome: null };
    }
    const { state: before, template } = machine;
    const failed = machine.getStatus().progress.text;
    const outcome = machine.fail(reason);
    const event = log({ event: 'failed', phase, failed, reason, ...outcome });
    // A step that was left undone is recorded as skipped; one that is tried again or stopped has the failure.
    const isUndone =
      outcome.outcome === 'skip' &&
      isStepUndone(template, before, machine.state);
    const marked = isUndone
      ? withState(run, markSkipped(run.state, phase.current, reason))
      : run;
    const moved = withMachine(marked, machine);
    const after =
      outcome.outcome === 'skip'
        ? moved
        : withState(moved, recordFailure(moved.state, reason));
    return { ...saveMove(context, tx, run, after, event), failed, outcome };
  });

/** Agents without a session have no holder, and `holdfast run` performs the action itself. */
export function isReadByHolder(
  { caller }: OperationContext,
  state: RunState,
): boolean {
  const session = sessionOf(caller);
  return session === null
    ? caller.kind !== 'person'
    : holderOf(state) === session;
}

/** Archives the run and records what its sources declare now, so that they only offer to start it again. */
export function endRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  state: RunState,
  event: NewEvent,
  purge = false,
): StoredRun {
  requireKnownFormat(run);
  const { input } = readSyncInput(context, tx);
  // Why a run was paused or blocked before is not why it was completed.
  const { status_reason: _reason, ...completed } = {
    ...state,
    status: 'completed' as const,
  };
  const ended = state.status === 'cancelled' ? state : completed;
  const as = state.status === 'cancelled' ? 'cancelled' : 'completed';
  const feeding = sourcesByRun(input).get(run.runId) ?? [];
  const records = recordSources(tx.sourceRecords, [
    { updates: feeding, runId: run.runId },
  ]);
  tx.saveSourceRecords(
    recordEnd(records, withState(run, state), purge ? 'deleted' : as, input),
  );
  return tx.end(run, ended, event, { purge });
}

/** For the journal: the steps that this move passed by, because their conditions were false. */
export function passedByDetails(
  before: Run | null,
  after: Run,
): { passed_by?: string[] } {
  const passedBefore = new Set(
    (before === null ? [] : passedBySteps(before)).map(({ id }) => id),
  );
  const passed = passedBySteps(after).filter(({ id }) => !passedBefore.has(id));
  return passed.length === 0 ? {} : { passed_by: passed.map(({ id }) => id) };
}

/** Marks a due context action as requested in the same write, so that it is asked for only once. */
export function deliverContextAction(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
): Delivery {
  const { run: requested, action } = takeContextAction(
    run,
    context.now.toISOString(),
  );
  const saved = action === null ? run : tx.write(requested, requested.state);
  return { run: saved, action };
}

/** Showing a run to its holder requests the context action that is due; for anyone else nothing changes. */
export function viewRun(context: OperationContext, run: StoredRun): Delivery {
  const delivery = deliverIfDue(context, run);
  recordToldWait(context, delivery.run);
  return delivery;
}

function deliverIfDue(context: OperationContext, run: StoredRun): Delivery {
  const { session } = context;
  const isDue = (each: StoredRun): boolean =>
    session !== null &&
    holderOf(each.state) === session &&
    isActive(each) &&
    !isNewerFormat(each.state) &&
    contextActionOf(each)?.state === 'due';
  if (!isDue(run)) return { run, action: null };
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    return current !== undefined && isDue(current)
      ? deliverContextAction(context, tx, current)
      : { run: current ?? run, action: null };
  });
}

export interface DueArtifacts {
  due: { id: string; state: 'given' | 'in_context' | 'named' | 'missing' }[];
  text: string;
  /** Those that are required and missing. */
  absent: LoadedArtifact[];
}

/** With the run after the move; the artifacts printed now are recorded as in context. */
type DueWithRun = DueArtifacts & { run: Run };

export function artifactsAtMove(
  context: OperationContext,
  run: StoredRun,
  after: Run,
  isForSession: boolean,
): DueWithRun {
  const transition =
    after.state.status === 'completed'
      ? null
      : transitionBetween(run.state, after.state);
  if (transition === null) return { due: [], text: '', absent: [], run: after };
  const moved = withState(after, recordDue(after.state, []));
  return triggeredArtifacts(context, moved, transition, isForSession);
}

/** The artifacts due at a trigger, loaded with the run as it is after it. */
export function triggeredArtifacts(
  context: OperationContext,
  run: Run,
  matcher: TriggerMatcher,
  isForSession = true,
): DueWithRun {
  const loaded = considerArtifacts(
    context,
    run,
    matcher,
    ({ artifact, verdict, why }) => {
      // A condition that cannot be read counts as false, which nobody would notice.
      if (verdict === 'condition bad')
        context.warn(`artifact ${artifact.id} is not loaded: ${why}`);
      return verdict === 'load';
    },
  );
  if (loaded.length === 0) return { due: [], text: '', absent: [], run };
  // `holdfast run` moves runs itself, and tells the session only where it stands.
  const isOwn =
    isForSession && context.caller.kind !== 'driver' && isHolder(context, run);
  const fresh = loaded.filter(({ since }) => since === undefined);
  const inContext = loaded.filter((one) => isOwn && !fresh.includes(one));
  const { text, given } = printArtifacts(
    loaded.filter((one) => !inContext.includes(one)),
    MAX_CHARS,
  );
  const stateOf = (one: Considered): DueArtifacts['due'][number]['state'] => {
    if (inContext.includes(one)) return 'in_context';
    return given.includes(one) ? 'given' : isAbsent(one) ? 'missing' : 'named';
  };
  const lines = inContext.map(
    ({ id }) => `Artifact ${sanitizeLine(id)} is already in context.`,
  );
  const ids = fresh.map(({ id }) => id);
  const names = loaded.map(({ id }) => id).join(', ');
  const absent = loaded.filter(isMissing);
  return {
    due: loaded.map((one) => ({ id: one.id, state: stateOf(one) })),
    // After a person has moved the run, the session that works on it loads the content itself.
    text: (isForSession
      ? [...lines, ...(text === '' ? [] : [text])]
      : [
          `Due at this step: ${names}. In the session, holdfast status names what it has to load.`,
          ...absent.map((one) => `Required: ${lineFor(one)}`),
        ]
    ).join('\n'),
    absent,
    run: withState(
      run,
      isOwn
        ? recordPrinted(run.state, given, context.now)
        : recordDue(run.state, ids),
    ),
  };
}

/** The reply to a move also contains the next instructions, so file contents must not fill it. */
const MAX_CHARS = 10_000;

/** An artifact as it is now, and whether it is to be loaded: `trigger` is what fired, or why it is not. */
export interface Considered extends Artifact, LoadedArtifact {
  verdict: Decision['verdict'];
  /** When the session was given the content that it has now; undefined if it was not. */
  since: string | undefined;
}

/** Those artifacts of the run and the settings whose trigger fires and that are wanted: no other is read. */
export function considerArtifacts(
  context: OperationContext,
  run: StoredRun,
  matcher: TriggerMatcher,
  isWanted: (decision: Decision) => boolean = () => true,
): Considered[] {
  const { artifacts, problems } = declaredArtifacts(
    run.state,
    context.settings,
  );
  for (const sentence of describeSettings(problems)) context.warn(sentence);
  const entries = run.state.context_metadata?.artifacts_in_context ?? [];
  const wanted = decide(artifacts, matcher, run.state).filter(isWanted);
  return wanted.map(({ artifact, verdict, why: trigger }) => {
    const loaded = loadArtifact(artifact, run, context.root);
    const entry = entries.findLast((each) => each.artifact_id === artifact.id);
    const isSame =
      loaded.kind === 'text' && entry?.digest === digestOf(loaded.text);
    return {
      ...artifact,
      verdict,
      trigger,
      loaded,
      since: isSame ? entry?.loaded_at : undefined,
    };
  });
}

export function requireArtifacts(
  { runId }: StoredRun,
  { absent }: DueArtifacts,
): void {
  if (absent.length === 0) return;
  throw artifactMissing(absent, {
    hint: `the run was not advanced; ${remedyFor(absent)}, or advance without it: \`holdfast advance ${runId} --force\``,
  });
}

export function artifactMissing(
  absent: readonly LoadedArtifact[],
  advice: { hint?: string; details?: string; data?: object },
): HoldfastError {
  const what = absent.map(lineFor).join('; ');
  return new HoldfastError(
    'artifact_missing',
    `required artifact missing: ${what}`,
    {
      hint: `${remedyFor(absent)}, then try again`,
      ...advice,
    },
  );
}

const remedyFor = (absent: readonly LoadedArtifact[]): string =>
  absent.some(({ loaded }) => loaded.kind === 'missing')
    ? 'create it'
    : 'replace it by a text of at most 1 MB inside the project that agents may read';

export function recordPrinted(
  state: RunState,
  printed: readonly LoadedArtifact[],
  now: Date,
): RunState {
  const files = printed.flatMap(({ id, trigger, loaded }) =>
    loaded.kind === 'text' ? [{ id, content: loaded.text, trigger }] : [],
  );
  return recordAdded(state, files, now);
}
