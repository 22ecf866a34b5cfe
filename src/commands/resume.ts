import { hostOf } from '../hosts/hosts.ts';
import { listArchive } from '../state/store/run-files.ts';
import { requireKnownFormat } from '../state/store/state-format.ts';
import { sessionAtWork } from '../headless/session-at-work.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import {
  storeIfDetected,
  findNamedRun,
  findRunAnywhere,
  requireOutsideOwnGate,
  requireRun,
} from '../runs/which-run.ts';
import { ambiguousRunError, unknownRunError } from '../runs/missing-run.ts';
import { isDriven } from '../sessions/client-process.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import {
  heldByOther,
  holdBy,
  otherHolder,
  tellHolder,
  transact,
  withActor,
  writeReleased,
} from '../runs/change-run.ts';
import { recordPendingReads } from '../guidance/reading/pending-reads.ts';
import { renderRestoration } from '../guidance/restore/render-restoration.ts';
import {
  holderOf,
  sessionRecord,
  tellFormerHolder,
  withoutBusyHolder,
} from '../sessions/holder.ts';
import { liveHolder } from '../sessions/liveness.ts';
import { isActive, draftRun, withState } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';
import { phaseWords } from '../state/phase-words.ts';
import { isEnded, unmarkSkipped } from '../state/phases.ts';
import type { NewEvent } from '../state/journal.ts';
import { isArchived } from '../state/paths.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Run, RunState } from '../state/types.ts';
import { isWaitingPhase, withBegunPhase } from '../state/waiting-phase.ts';
import { readSources } from '../sources/read-sources.ts';
import { startedPlans } from '../sources/source-state.ts';
import type { SourceFile } from '../sources/types.ts';
import { isPivotRefused, pivotRefusal } from '../state/progress.ts';
import { machineOf, stateWithMachine } from '../state/template-run.ts';
import { recordToldWait } from '../templates/waits.ts';
import { command, type Shown } from './command.ts';
import type { ResumeDocument, RunDocument } from './json/documents.ts';
import type { CommandContext } from './view/output.ts';
import {
  NO_SESSION,
  continuation,
  resumeText,
  showChange,
} from './view/report-run.ts';
import { statusReport } from './view/status-report.ts';
import {
  forgetLoaded,
  loadedDetails,
  recordAdded,
} from '../state/in-context.ts';
import { PERSON_DECIDES } from '../templates/what-to-type-next.ts';

export const resume = command({
  usage: 'resume [run]',
  about:
    'continue a run here: unpauses or reopens it if need be, and this session takes it, unless a live session holds it',
  examples: ['holdfast resume user-auth'],
  run: (cli, { run }): Shown<ResumeDocument | RunDocument> =>
    show(cli, resumeRun(cli, run, { fromLive: false })),
});

export const takeover = command({
  usage: 'takeover <run>',
  about: 'take a run from a live session, which is told; then as resume',
  examples: ['holdfast takeover user-auth'],
  run: (cli, { run }): Shown<ResumeDocument | RunDocument> => {
    if (cli.session !== null)
      return show(cli, resumeRun(cli, run, { fromLive: true }));
    const message =
      'this terminal is not a Claude Code session that could take the run';
    const hint = `\`holdfast release ${run}\` lets go of it here, so that any session can resume it`;
    throw new HoldfastError('takeover_in_terminal', message, { hint });
  },
});

export const reopen = command({
  usage: 'reopen <run>',
  about: 'bring a run back from the archive',
  examples: ['holdfast reopen user-auth'],
  run: (cli, { run: name }): Shown<RunDocument> => {
    const ended = endedRun(cli, name);
    requireOutsideOwnGate(cli, ended);
    const run = transact(cli, (tx) => reopenIn(cli, tx, ended));
    return showChange(cli, run, {
      done: `Reopened ${run.runId}, at phase ${phaseWords(run.state.phase)}.`,
      ...(cli.session === null ? { next: continuation(cli, run) } : {}),
    });
  },
});

/** A run that was resumed in a terminal, where no session takes it, has no guidance. */
function show(
  cli: CommandContext,
  { run, guidance, released, isBegun = false }: Resumed,
): Shown<ResumeDocument | RunDocument> {
  for (const other of released) cli.output.warn(`released ${other.runId}`);
  if (guidance !== null)
    return {
      data: { ...statusReport(cli, run, []), guidance },
      text: guidance,
    };
  const phase = `phase ${phaseWords(run.state.phase)}`;
  const done = isBegun
    ? `Began ${phase} of ${run.runId}.`
    : `Resumed ${run.runId}, at ${phase}.`;
  return showChange(cli, run, {
    done: sessionAtWork(cli, run) === null ? `${done}\n${NO_SESSION}` : done,
    next: continuation(cli, run),
  });
}

interface Resumed {
  run: Run;
  /** What the session is given; null in a terminal, where no session takes the run. */
  guidance: string | null;
  /** Other runs, which the session held before. */
  released: Run[];
  /** Whether all that was done is to begin the phase. */
  isBegun?: boolean;
}

/** The session that asks takes the run, from a live one only with `fromLive`. Without a name, a paused run is meant first. */
function resumeRun(
  context: CommandContext,
  name: string | undefined,
  { fromLive }: { fromLive: boolean },
): Resumed {
  const meant = name ?? pausedRun(context);
  storeIfDetected(context, meant, (run) => requireResumable(context, run));
  const pick = (runs: readonly Run[]): Run => {
    const run =
      meant === undefined
        ? requireRun(runs, undefined, context)
        : findRunAnywhere(context, meant, runs);
    requireResumable(context, run);
    return run;
  };

  // Sources are read before the lock is taken, because that takes time.
  const { runs: stored } = context.store.list();
  const started = startedPlans([...stored, pick(stored)]);
  const { detect } = context.settings;
  const { sources } = readSources(context.root, detect, { started });

  return transact(context, (tx) => {
    const found = pick(tx.runs);
    const isOver = isArchived(found) || isEnded(found.state);
    const run = isOver ? reopenIn(context, tx, found) : found;
    const { session } = context;
    if (session !== null)
      return takeRun(context, tx, run, { session, sources, fromLive });
    if (isOver) return { run, guidance: null, released: [] };
    // In a terminal there is no session to take the run; it can only be begun or made active again.
    if (isActive(run)) return beginInTerminal(context, tx, run);
    const state = withoutBusyHolder(reactivated(run), tx.runs);
    const event = withActor(context.caller, { event: 'resumed' });
    return { run: tx.write(run, state, event), guidance: null, released: [] };
  });
}

/** Refuses what resuming would not change: an active run in a terminal; and what its driver or its gates decide. */
function requireResumable(context: CommandContext, run: Run): void {
  requireOutsideOwnGate(context, run);
  const isFailed = run.state.status === 'failed';
  if (isFailed && isDriven(context.environment, run.runId))
    throw new HoldfastError('driven_run_failed', `${run.runId} has failed`, {
      hint: PERSON_DECIDES,
    });

  const isActiveHere = isActive(run) && !isArchived(run);
  if (context.session !== null || !isActiveHere) return;
  // A person begins a phase that waits for their word also in a terminal.
  if (isWaitingPhase(run.state)) return;
  const message = `${run.runId} is active, and this terminal is not a Claude Code session that could take it`;
  const hint = `${resumeText(context, run.runId)}, or name its session with --session <id>`;
  throw new HoldfastError('no_session', message, { hint });
}

/** Begins the phase that waits for the user's word, for the session that works on the run, if there is one. */
function beginInTerminal(
  context: OperationContext,
  tx: Transaction,
  run: Run,
): Resumed {
  const holder = otherHolder(context, context.caller, run);
  const begun = tx.write(
    run,
    withBegunPhase(run.state),
    withActor(context.caller, { event: 'begun', phase: run.state.phase }),
  );
  if (holder !== null)
    tellHolder(context, tx, run, holder, { command: 'resume' });
  return { run: begun, guidance: null, released: [], isBegun: true };
}

interface TakeOptions {
  session: string;
  sources: SourceFile[];
  /** Also from another session that is live. */
  fromLive: boolean;
}

/** Gives the run to a session, which lets go of all others, and makes the text that brings it into its context. */
function takeRun(
  context: OperationContext,
  tx: Transaction,
  run: Run,
  { session, sources, fromLive }: TakeOptions,
): Resumed {
  requireKnownFormat(run);
  const former = otherLiveHolder(context, run, session);
  if (former !== null && !fromLive) throw heldByOther(context, run, former);
  const { released, runs } = releaseOthers(context, tx, run, session);

  const active = withBegunPhase(isActive(run) ? run.state : reactivated(run));
  const held = holdBy(context, session, active, { by: 'command', own: true });
  const request = {
    ...context,
    runs,
    session,
    sources,
    source: 'startup',
    isAttended: true,
  };
  const rendered = renderRestoration(
    { kind: 'full', run: withState(run, held), reason: { rule: 'named' } },
    request,
  );
  const inlined = rendered.inlined.map((file) => ({
    ...file,
    trigger: 'session_start',
  }));
  const state = recordAdded(forgetLoaded(held), inlined, context.now);

  const event = resumeEvent(run, holderOf(run.state) === session, former);
  const recorded = { ...event, ...loadedDetails(held, state) };
  const resumed = tx.write(run, state, withActor(context.caller, recorded));
  tellFormerHolder(tx, run, session, context.now);
  // Only Claude Code is reminded.
  if (hostOf(context.environment) === 'claude')
    recordPendingReads(tx, session, rendered);
  recordToldWait(context.registry, session, resumed);
  return { run: resumed, guidance: rendered.text ?? '', released };
}

/** The live session that holds an active run, unless it is this one. */
function otherLiveHolder(
  context: OperationContext,
  run: Run,
  session: string,
): string | null {
  if (!isActive(run)) return null;
  const holder = liveHolder(run.state, context);
  return holder === session ? null : holder;
}

/** A session holds one run: the others that it held are released. `runs` are all runs as they are then, for the guidance. */
function releaseOthers(
  context: OperationContext,
  tx: Transaction,
  run: Run,
  session: string,
): { released: Run[]; runs: Run[] } {
  const others = tx.runs.filter((other) => other !== run && isActive(other));
  const released = byRecency(others).filter(
    ({ state }) => holderOf(state) === session,
  );
  const freed = new Map<Run, Run>();
  for (const other of released)
    freed.set(other, writeReleased(context, context.caller, tx, other));
  const runs = tx.runs.map((other) => freed.get(other) ?? other);
  return { released, runs };
}

/** What the call has done first of all: the session that holds the run begins its phase, another one takes it. */
function resumeEvent(
  run: Run,
  isHeld: boolean,
  former: string | null,
): NewEvent {
  if (!isActive(run)) return { event: 'resumed' };
  if (isHeld && isWaitingPhase(run.state))
    return { event: 'begun', phase: run.state.phase };
  return { event: 'claimed', from: former };
}

/** A run whose step failed continues at that step. */
function reactivated(run: Run): RunState {
  const machine = machineOf(run);
  let before = run.state;
  if (machine !== null && machine.state.status === 'failed') {
    machine.reopen();
    before = stateWithMachine(before, machine);
  }
  const { status_reason: _reason, ...rest } = before;
  const state: RunState = { ...rest, status: 'in_progress', adopted: true };
  const active = withState(run, state);
  return isPivotRefused(active)
    ? { ...state, status_reason: pivotRefusal(active) }
    : state;
}

/** The paused or failed run that this session worked on; in a terminal, that of any session. */
function pausedRun({ store, session }: OperationContext): string | undefined {
  const isPaused = ({ state }: Run): boolean =>
    (state.status === 'paused' || state.status === 'failed') &&
    (session === null || sessionRecord(state, session) !== undefined);
  const paused = byRecency(store.list().runs.filter(isPaused));
  if (paused.length > 1) throw ambiguousRunError(null, paused, true);
  return paused[0]?.runId;
}

/** Brings a run that has ended back to where it stood. No other session holds it until one resumes it. */
function reopenIn(
  context: OperationContext,
  tx: Transaction,
  { runId }: Run,
): Run {
  const event = withActor(context.caller, { event: 'reopened' });
  const change = (state: RunState) =>
    withoutBusyHolder(reopened(state, context.session), tx.runs);
  const stored = tx.runs.find((other) => other.runId === runId);
  if (stored !== undefined && isEnded(stored.state))
    return tx.write(stored, change(stored.state), event);
  if (stored !== undefined) throw notEnded(runId);
  const run = tx.restoreArchived(runId, event, change);
  if (run === undefined) throw notEnded(runId);
  return run;
}

/** The run of that name that has ended: in the archive, else as a state file. One that has not is named in the refusal. */
function endedRun(context: OperationContext, name: string): Run {
  const archived = listArchive(context.store.root).runs;
  const found = findNamedRun(context, archived, name);
  if (found !== null) return found;
  const stored = findNamedRun(context, context.store.list().runs, name);
  if (stored === null) throw unknownRunError(context, name, archived, true);
  if (isEnded(stored.state)) return stored;
  throw notEnded(stored.runId);
}

function notEnded(runId: string): HoldfastError {
  return new HoldfastError('not_archived', `${runId} has not ended`, {
    hint: `\`holdfast status ${runId}\` shows where it stands`,
  });
}

/** Fields of conflicts between machines: where the run stood on another one counts no more once it is reopened. */
const FIELDS_OF_PLACE = new Set(['status', 'status_reason', 'position']);

/** The last phase or step is in progress again, also if it was skipped. The session that ended the run may still be live. */
function reopened(ended: RunState, session: string | null): RunState {
  const machine = machineOf(draftRun(ended));
  machine?.reopen();
  const {
    status_reason: _reason,
    ended_early: _early,
    conflicts = [],
    ...state
  } = machine === null ? ended : stateWithMachine(ended, machine);
  const { phase, skipped = {}, sessions = {} } = state;
  const isPhaseOver =
    phase.status === 'completed' ||
    Object.hasOwn(skipped, String(phase.current));
  const status = isPhaseOver ? 'in_progress' : phase.status;

  const result: RunState = {
    ...unmarkSkipped(state, (n) => n !== phase.current),
    phase: { ...phase, status },
    status: 'in_progress',
    adopted: true,
    sessions: {
      ...sessions,
      current_session_id: holderOf(state) === session ? session : null,
    },
  };
  const open = conflicts.filter(({ field }) => !FIELDS_OF_PLACE.has(field));
  if (open.length > 0) result.conflicts = open;
  return result;
}
