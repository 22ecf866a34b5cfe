import { HoldfastError } from '../errors/holdfast-error.ts';
import { loadedDetails } from '../sessions/context-record.ts';
import { holderOf, liveHolder } from '../sessions/holder.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import { planOf } from '../state/started-plan.ts';
import { recordSources } from '../sync/source-records.ts';
import type { SourceUpdate } from '../sync/types.ts';
import { slugOf } from '../util/slug.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../workflow/machine/machine-state.ts';
import { templateNameOf } from '../workflow/run-view.ts';
import { takeContextAction } from '../workflow/template-run.ts';
import { artifactsAtStart, type TransitionArtifacts } from './artifacts-at-move.ts';
import { deliverContextAction, holdBy, passedByDetails } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession, remember } from './target-run.ts';
import { transact, withActor, writeReleased } from './with-run.ts';
import { isoTime } from '../util/iso-time.ts';

export const MAX_NAME = 200;

/** A workflow name on one line; null if it is blank or too long. */
export function parseWorkflowName(given: string): string | null {
  const name = given.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return name === '' || name.length > MAX_NAME ? null : name;
}

export interface StartedRun {
  run: StoredRun;
  /** False if the session already runs this template or plan; then that run is returned. */
  isNew: boolean;
  action: ContextCommand | null;
  /** Runs of the same template that no live session holds, the latest first. */
  unheld: StoredRun[];
  /** The artifacts due when a session starts to work on the run; null if that run was there before. */
  artifacts: TransitionArtifacts | null;
}

export interface StartOptions {
  /** Releases the run that the session holds. */
  switches: boolean;
  /** The plan that the run follows from now on. */
  plan?: SourceUpdate | null;
}

export function startRun(
  context: OperationContext,
  state: RunState,
  options: StartOptions,
): StartedRun {
  return transact(context, (tx) => {
    const session = callerSession(context, tx.runs);
    const held = tx.runs.filter(
      (other) => session !== null && isActive(other) && holderOf(other.state) === session,
    );
    const same = held.find(
      (other) => isOfSameTemplate(other.state, state) || isOfSamePlan(other.state, state),
    );
    if (same !== undefined && !options.switches) {
      remember(context, same);
      const delivery = deliverContextAction(context, tx, same);
      return { ...delivery, isNew: false, unheld: [], artifacts: null };
    }
    requirePlanWithoutRun(tx, state);
    if (held[0] !== undefined && !options.switches) {
      throw new HoldfastError({ code: 'session_busy', run: held[0].runId });
    }
    for (const other of held) {
      writeReleased(context, tx, other, session);
      context.warn({ code: 'run_released', run: other.runId });
    }
    const unheld = byRecency(
      tx.runs.filter(
        (other) =>
          isActive(other) &&
          !held.includes(other) &&
          isOfSameTemplate(other.state, state) &&
          liveHolder(other.state, context) === null,
      ),
    );
    warnAboutDuplicates(context, tx, state, unheld);
    const { state: requested, action } = takeContextAction(state, isoTime(context.now));
    const initial = session === null ? requested : holdBy(context, session, requested, 'command');
    const created = tx.create(
      initial,
      withActor(context, { event: 'started', phase: state.phase, ...passedByDetails(null, state) }),
    );
    if (options.plan)
      tx.saveSourceRecords(
        recordSources(tx.sourceRecords, [{ ...options.plan, runId: created.runId }]),
      );
    const artifacts = artifactsAtStart(context, created);
    const run =
      artifacts.state === created.state
        ? created
        : tx.write(created, artifacts.state, primedEvent(context, created.state, artifacts.state));
    remember(context, run);
    return { run, isNew: true, action, unheld, artifacts };
  });
}

/** Undefined if nothing was given. */
function primedEvent(
  context: OperationContext,
  before: RunState,
  after: RunState,
): NewEvent | undefined {
  const { loaded } = loadedDetails(before, after);
  return loaded === undefined
    ? undefined
    : withActor(context, { event: 'primed', artifacts: loaded });
}

function isOfSamePlan(running: RunState, wanted: RunState): boolean {
  return planOf(running) !== undefined && planOf(running) === planOf(wanted);
}

/** A plan feeds one run: two would both move when it is ticked off. */
function requirePlanWithoutRun(tx: Transaction, state: RunState): void {
  const [other] = byRecency(tx.runs.filter((run) => isOfSamePlan(run.state, state)));
  const plan = planOf(state);
  if (other === undefined || plan === undefined) return;
  const status = other.state.status ?? 'in_progress';
  throw new HoldfastError({ code: 'plan_has_run', plan, run: other.runId, status });
}

/** A template may be changed between two starts, so its name counts. */
function isOfSameTemplate(running: RunState, wanted: RunState): boolean {
  const names = [running, wanted].map(templateNameOf);
  const [first, second] = names.map((name) => (name === null ? null : slugOf(name)));
  return first !== null && first === second;
}

function warnAboutDuplicates(
  context: OperationContext,
  tx: Transaction,
  state: RunState,
  reported: readonly StoredRun[],
): void {
  const slug = slugOf(state.workflow);
  for (const other of tx.runs) {
    if (isActive(other) && slugOf(other.state.workflow) === slug && !reported.includes(other))
      context.warn({ code: 'duplicate_run', run: other.runId });
  }
}
