import { forgetParts } from '../../guidance/reading/required-reading.ts';
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
import {
  loadedDetails,
  holderOf,
  isGuess,
  liveHolder,
} from '../../sessions/holder.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import { newState, sourceOf, sourcesByRun } from '../../sources/plan-sync.ts';
import { readSyncInput } from '../../sources/read-sources.ts';
import { isGoing, recordSources } from '../../sources/source-records.ts';
import type { SourceFile, SourceUpdate } from '../../sources/types.ts';
import { planOf } from '../../state/phases.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import { templateNameOf } from '../../state/progress.ts';
import { takeContextAction } from '../../state/template-run.ts';
import { recordToldWait } from '../../templates/waits.ts';
import { HoldfastError, badValue } from '../../text/holdfast-error.ts';
import { slugOf } from '../../text/slug.ts';
import { asWord } from '../../text/sanitize.ts';
import { draftRun } from '../../state/run.ts';

const MAX_NAME = 200;

export function parseWorkflowName(
  input: string,
  bad = (expected: string) =>
    badValue('<name>', input.slice(0, MAX_NAME), expected),
): string {
  const name = input.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (name !== '' && name.length <= MAX_NAME) return name;
  throw bad(`a name of 1 to ${MAX_NAME} characters`);
}

export interface StartedRun {
  run: StoredRun;
  /** False if a run is returned that was there before: the session's own, or one that is free. */
  isNew: boolean;
  action: ContextCommand | null;
  /** Runs of the same template that no live session holds, the latest first. */
  unheld: StoredRun[];
  /** The artifacts due when a session starts to work on the run; null if that run was there before. */
  artifacts: DueArtifacts | null;
}

/** `switches` releases the run that the session holds; `prefersFree` returns a free run of the template instead. */
export function startRun(
  context: OperationContext,
  state: RunState,
  options: {
    switches: boolean;
    prefersFree?: boolean;
    plan?: SourceUpdate | null;
  },
): StartedRun {
  const { switches, prefersFree = false, plan: source = null } = options;
  return transact(context, (tx) => {
    const { session } = context;
    const active = tx.runs.filter(isActive);
    const held = active.filter(
      (other) => session !== null && holderOf(other.state) === session,
    );
    const same = held.find(
      (other) =>
        isOfSameTemplate(other.state, state) ||
        isOfSamePlan(other.state, state),
    );
    if (same !== undefined && !switches) {
      remember(context, same);
      const delivery = deliverContextAction(tx, same, context.now);
      recordToldWait(context.registry, session, delivery.run);
      return { ...delivery, isNew: false, unheld: [], artifacts: null };
    }
    requirePlanWithoutRun(tx, state);
    const busy = held.find(({ state: other }) => !isGuess(other));
    if (busy !== undefined && !switches)
      throw new HoldfastError(
        'session_busy',
        `this session already works on ${busy.runId}`,
        {
          hint: 'finish it with `holdfast complete`, or release it: the same command with --switch',
          toolHint:
            'workflow_status shows where it stands; finish it with workflow_advance, or release it with `holdfast release`',
        },
      );
    const unheld = byRecency(
      active.filter(
        (other) =>
          !held.includes(other) &&
          isOfSameTemplate(other.state, state) &&
          liveHolder(other.state, context) === null,
      ),
    );
    const [free] = unheld;
    if (free !== undefined && prefersFree)
      return { run: free, isNew: false, action: null, unheld, artifacts: null };
    for (const other of held) {
      writeReleased(context, context.caller, tx, other);
      context.warn(`released ${other.runId}`);
    }
    for (const other of active)
      if (
        slugOf(other.state.workflow) === slugOf(state.workflow) &&
        !unheld.includes(other)
      )
        context.warn(
          `another run of this workflow is also active: ${other.runId}`,
        );
    const plan = source ?? declaredSource(context, tx, state);
    const begun =
      source !== null || plan === null
        ? state
        : startedFrom(state, plan, context.now);
    const draft = draftRun(begun);
    const { run: requested, action } = takeContextAction(
      draft,
      context.now.toISOString(),
    );
    const own = { by: 'command' as const, own: true as const };
    const isRead = session !== null || isReadByHolder(context.caller, begun);
    const first = isRead ? requested.state : begun;
    const initial =
      session === null ? first : holdBy(context, session, first, own);
    const passed = passedByDetails(null, draft);
    const event = { event: 'started' as const, phase: begun.phase, ...passed };
    const created = tx.create(
      { ...initial, adopted: true },
      withActor(context.caller, event),
    );
    // Parts of files that the session read for another run may be out of its context.
    if (session !== null) forgetParts(tx, session);
    if (plan !== null)
      tx.saveSourceRecords(
        recordSources(tx.sourceRecords, [
          { updates: [plan], runId: created.runId },
        ]),
      );
    const start = startOfRun(created.state);
    const artifacts = triggeredArtifacts(
      context,
      context.caller,
      created,
      start,
    );
    const after = artifacts.run.state;
    const { loaded } = loadedDetails(created.state, after);
    const primed =
      loaded &&
      withActor(context.caller, { event: 'primed', artifacts: loaded });
    const isSame = after === created.state;
    const run = isSame ? created : tx.write(created, after, primed);
    remember(context, run);
    recordToldWait(context.registry, session, run);
    return { run, isNew: true, action, unheld, artifacts };
  });
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
