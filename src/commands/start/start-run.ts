import { startOfRun } from '../../guidance/artifacts/declared.ts';
import {
  holdBy,
  transact,
  withActor,
  writeReleased,
} from '../../runs/change-run.ts';
import {
  type DueArtifacts,
  triggeredArtifacts,
} from '../../runs/due-artifacts.ts';
import { isReadByHolder, passedByDetails } from '../../runs/move-run.ts';
import { deliverContextAction } from '../../runs/view-run.ts';
import { remember } from '../../runs/which-run.ts';
import { holderOf, isGuess } from '../../sessions/holder.ts';
import { liveHolder } from '../../sessions/liveness.ts';
import type { Caller } from '../../sessions/caller.ts';
import type { OperationContext, Project } from '../../sessions/open-project.ts';
import { isActive, draftRun } from '../../state/run.ts';
import { byRecency } from '../../state/recency.ts';
import { newState, sourceOf, sourcesByRun } from '../../sources/plan-sync.ts';
import { readSyncInput } from '../../sources/read-sources.ts';
import { isGoing, recordSources } from '../../sources/source-records.ts';
import type { SourceFile, SourceUpdate } from '../../sources/types.ts';
import { planOf } from '../../state/plan-of-run.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { RunState, Run } from '../../state/types.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import { templateNameOf } from '../../state/progress.ts';
import { takeContextAction } from '../../state/template-run.ts';
import { recordToldWait } from '../../templates/waits.ts';
import { HoldfastError, badValue } from '../../text/holdfast-error.ts';
import { slugOf } from '../../text/slug.ts';
import { asWord } from '../../text/sanitize.ts';
import { loadedDetails } from '../../state/in-context.ts';

const MAX_NAME_CHARS = 200;

export function parseWorkflowName(
  input: string,
  bad = (expected: string): HoldfastError =>
    badValue('<name>', input.slice(0, MAX_NAME_CHARS), expected),
): string {
  const name = input.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (name !== '' && name.length <= MAX_NAME_CHARS) return name;
  throw bad(`a name of 1 to ${MAX_NAME_CHARS} characters`);
}

export interface StartedRun {
  run: Run;
  /** False if a run is returned that was there before: the session's own, or one that is free. */
  isNew: boolean;
  action: ContextCommand | null;
  /** Runs of the same template that no live session holds, the latest first. */
  unheld: Run[];
  /** The artifacts due when a session starts to work on the run; null if that run was there before. */
  artifacts: DueArtifacts | null;
}

interface StartOptions {
  /** Releases the run that the session holds. */
  switches: boolean;
  /** Returns a free run of the template, if there is one, instead of a new run. */
  prefersFree?: boolean;
  /** The plan that the run is started from. */
  plan?: SourceUpdate | null;
}

/** Starts a run with this state; or returns one that is there already, if that is the one to continue. */
export function startRun(
  context: OperationContext,
  state: RunState,
  { switches, prefersFree = false, plan: source = null }: StartOptions,
): StartedRun {
  return transact(context, (tx) => {
    const active = tx.runs.filter(isActive);
    const held = active.filter((other) => isHeldHere(context, other));
    const own = held.find((other) => isSameWork(other.state, state));
    if (own !== undefined && !switches) return continued(context, tx, own);

    requirePlanWithoutRun(tx, state);
    if (!switches) requireNoFirmHold(held);
    const unheld = unheldRunsOf(context, active, held, state);
    const [free] = unheld;
    if (free !== undefined && prefersFree)
      return { run: free, isNew: false, action: null, unheld, artifacts: null };

    releaseHeld(context, tx, held);
    warnOfSameName(context, active, unheld, state);
    return { ...createRun(context, tx, state, source), isNew: true, unheld };
  });
}

const isHeldHere = ({ session }: OperationContext, { state }: Run): boolean =>
  session !== null && holderOf(state) === session;

/** Whether a session that runs the one and asks for the other means the run that it has. */
const isSameWork = (running: RunState, wanted: RunState): boolean =>
  isOfSameTemplate(running, wanted) || isOfSamePlan(running, wanted);

/** The run that the session works on already, with the context action that is due there. */
function continued(
  context: OperationContext,
  tx: Transaction,
  own: Run,
): StartedRun {
  remember(context, own);
  const delivery = deliverContextAction(tx, own, context.now);
  recordToldWait(context.registry, context.session, delivery.run);
  return { ...delivery, isNew: false, unheld: [], artifacts: null };
}

/** A hold that is only a guess does not count: the session may never have known of that run. */
function requireNoFirmHold(held: readonly Run[]): void {
  const busy = held.find(({ state }) => !isGuess(state));
  if (busy === undefined) return;
  const message = `this session already works on ${busy.runId}`;
  throw new HoldfastError('session_busy', message, {
    hint: 'finish it with `holdfast complete`, or release it: the same command with --switch',
    toolHint:
      'workflow_status shows where it stands; finish it with workflow_advance, or release it with `holdfast release`',
  });
}

/** Runs of the same template that no live session holds, the latest first. */
function unheldRunsOf(
  context: Project,
  active: readonly Run[],
  held: readonly Run[],
  wanted: RunState,
): Run[] {
  const unheld = active.filter((other) => {
    if (held.includes(other)) return false;
    if (!isOfSameTemplate(other.state, wanted)) return false;
    return liveHolder(other.state, context) === null;
  });
  return byRecency(unheld);
}

function releaseHeld(
  context: OperationContext,
  tx: Transaction,
  held: readonly Run[],
): void {
  for (const other of held) {
    writeReleased(context, context.caller, tx, other);
    context.warn(`released ${other.runId}`);
  }
}

/** Those that nobody holds are told in the reply itself. */
function warnOfSameName(
  context: Project,
  active: readonly Run[],
  unheld: readonly Run[],
  { workflow }: RunState,
): void {
  for (const other of active) {
    const hasName = slugOf(other.state.workflow) === slugOf(workflow);
    if (!hasName || unheld.includes(other)) continue;
    context.warn(`another run of this workflow is also active: ${other.runId}`);
  }
}

/** Stores the run, takes it for the session, and loads what is due when a session starts to work on it. */
function createRun(
  context: OperationContext,
  tx: Transaction,
  state: RunState,
  source: SourceUpdate | null,
): Pick<StartedRun, 'run' | 'action' | 'artifacts'> {
  const { session, caller, now } = context;
  const plan = source ?? declaredSource(context, tx, state);
  // A plan that was named is in the state already.
  const isDeclared = source === null && plan !== null;
  const begun = isDeclared ? startedFrom(state, plan, now) : state;

  const draft = draftRun(begun);
  const { run: requested, action } = takeContextAction(
    draft,
    now.toISOString(),
  );
  // The action counts as requested only if the session that performs it reads this reply.
  const isRead = session !== null || isReadByHolder(caller, begun);
  const first = isRead ? requested.state : begun;
  const initial =
    session === null
      ? first
      : holdBy(context, session, first, { by: 'command', own: true });
  const started = {
    event: 'started' as const,
    phase: begun.phase,
    ...passedByDetails(null, draft),
  };
  const created = tx.create(
    { ...initial, adopted: true },
    withActor(caller, started),
  );
  if (plan !== null) {
    const feeds = [{ updates: [plan], runId: created.runId }];
    tx.saveSourceRecords(recordSources(tx.sourceRecords, feeds));
  }

  const trigger = startOfRun(created.state);
  const artifacts = triggeredArtifacts(context, caller, created, trigger);
  const run = withLoaded(caller, tx, created, artifacts.run.state);
  remember(context, run);
  recordToldWait(context.registry, session, run);
  return { run, action, artifacts };
}

/** Records the artifacts that the session was just given. */
function withLoaded(
  caller: Caller,
  tx: Transaction,
  created: Run,
  after: RunState,
): Run {
  if (after === created.state) return created;
  const { loaded } = loadedDetails(created.state, after);
  const primed =
    loaded && withActor(caller, { event: 'primed', artifacts: loaded });
  return tx.write(created, after, primed);
}

/** The file that declares a workflow of this name and feeds no run: what it says now is where the run starts. */
function declaredSource(
  context: OperationContext,
  tx: Transaction,
  { workflow, source }: RunState,
): SourceUpdate | null {
  if (source?.kind !== 'cli' || source['plan'] !== undefined) return null;
  const { input } = readSyncInput(context, tx);
  const slug = slugOf(workflow);
  const fed = new Set<SourceFile>([...sourcesByRun(input).values()].flat());
  const declaring = input.sources
    .filter(isGoing)
    .filter(
      (file) =>
        file.state === 'active' &&
        slugOf(file.said.workflow) === slug &&
        !fed.has(file),
    );
  return declaring.length === 1 ? (declaring[0] ?? null) : null;
}

/** What the command gives comes on top of what the file declares; phases of its own come instead. */
function startedFrom(
  state: RunState,
  update: SourceUpdate,
  now: Date,
): RunState {
  const declared = newState(update, now);
  const { workflow, workflow_type: type } = state;
  const { skipped: _skipped, undone: _undone, ...others } = declared;
  return {
    ...(state.phases === undefined
      ? { ...state, ...declared }
      : { ...others, ...state }),
    workflow,
    workflow_type: type === 'custom' ? declared.workflow_type : type,
    created_at: state.created_at,
    required_reading: [
      ...new Set([...declared.required_reading, ...state.required_reading]),
    ],
    context: { ...declared.context, ...state.context },
    key_reminders: [
      ...new Set([
        ...(declared.key_reminders ?? []),
        ...(state.key_reminders ?? []),
      ]),
    ],
    source: { ...sourceOf(update), written: true },
  };
}

const isOfSamePlan = (running: RunState, wanted: RunState): boolean =>
  planOf(running) !== undefined && planOf(running) === planOf(wanted);

/** A plan feeds one run: two would both move when it is ticked off. */
function requirePlanWithoutRun(tx: Transaction, state: RunState): void {
  const [other] = byRecency(
    tx.runs.filter((run) => isOfSamePlan(run.state, state)),
  );
  const plan = planOf(state);
  if (other === undefined || plan === undefined) return;
  const { status = 'in_progress' } = other.state;
  const run = other.runId;
  const message = `${asWord(plan)} already has a run: ${run}${status === 'in_progress' ? '' : ` (${status})`}`;
  const hint = `continue it with \`holdfast resume ${run}\`, or end it with \`holdfast cancel ${run} --reason "…"\` first`;
  throw new HoldfastError('plan_has_run', message, { hint });
}

/** A template may be changed between two starts, so its name counts. */
function isOfSameTemplate(running: RunState, wanted: RunState): boolean {
  const [name, other] = [templateNameOf(running), templateNameOf(wanted)];
  return name !== null && other !== null && slugOf(name) === slugOf(other);
}
