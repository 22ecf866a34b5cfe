import { HoldfastError } from '../text/holdfast-error.ts';
import { holderOf, resolveSession } from '../sessions/holder.ts';
import { selectRun, type Selection } from '../sessions/choose-run.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { runsOfGates } from '../templates/gates/run-gate.ts';
import { requireCurrentClient } from './driven-run.ts';
import { findDetectedRuns, storeIfDetected } from './detected-run.ts';
import {
  ambiguousRunError,
  findNamedRun,
  missingRunHint,
  notOwnError,
  unknownRunError,
} from './named-run.ts';
import { isRunByAgent, type OperationContext } from './open-project.ts';
import { listArchive } from '../state/store/list-runs.ts';

/** The session that asks. After /clear the client still passes the old id, which stands for its successor. */
export function callerSession(
  { session }: Pick<OperationContext, 'session'>,
  runs: readonly StoredRun[],
): string | null {
  return session === null ? null : resolveSession(session, runs);
}

/** Whether output printed here reaches the context window that the run keeps record of. */
export function isHolder(context: OperationContext, { state }: StoredRun): boolean {
  const holder = holderOf(state);
  return context.session === null
    ? holder === null
    : holder === callerSession(context, context.store.list().runs);
}

/** The run to change: the named one, else the one that is meant. Throws if that is ambiguous. */
export function requireRun(
  runs: readonly StoredRun[],
  name: string | undefined,
  context: OperationContext,
): StoredRun {
  const run =
    name === undefined ? onlyRunToChange(runs, context) : runToChange(runs, name, context);
  requireOutsideOwnGate(context, run);
  requireCurrentClient(context, run);
  return run;
}

/** An archived run is found, but it has to be reopened before it can change. */
function runToChange(
  runs: readonly StoredRun[],
  name: string,
  context: OperationContext,
): StoredRun {
  const found = findRunAnywhere(context, name, runs);
  if (runs.includes(found)) return found;
  const { status = 'completed' } = found.state;
  throw new HoldfastError('run_archived', `${found.runId} is ${status} and in the archive`, {
    hint: `reopen it with \`holdfast reopen ${found.runId}\`, then try again`,
  });
}

function onlyRunToChange(runs: readonly StoredRun[], context: OperationContext): StoredRun {
  const own = rememberedRun(runs, context);
  if (own !== undefined) return own;
  const selection = selectRun(runs, {
    ...context,
    isAgent: isRunByAgent(context),
    purpose: 'write',
  });
  if (selection.kind !== 'run') throw noSingleRunError(context, selection);
  remember(context, selection.run);
  return selection.run;
}

/** Only a caller without a session needs it: a session holds its run. */
export function remember({ session, ownRun }: OperationContext, { runId }: StoredRun): void {
  if (ownRun !== undefined && session === null) ownRun.runId = runId;
}

function rememberedRun(
  runs: readonly StoredRun[],
  { session, ownRun }: OperationContext,
): StoredRun | undefined {
  if (session !== null || ownRun === undefined || ownRun.runId === null) return undefined;
  return runs.find((run) => run.runId === ownRun.runId && isActive(run));
}

/** A gate only checks: if it moved its own run, it would decide what it was asked, or start itself again. */
export function requireOutsideOwnGate(
  { environment }: Pick<OperationContext, 'environment'>,
  { runId }: Pick<StoredRun, 'runId'>,
): void {
  if (runsOfGates(environment).includes(runId))
    throw new HoldfastError(
      'inside_own_gate',
      `this command is part of a gate of ${runId}, and a gate must not change its own run`,
      {
        hint: 'exit with 0 to let the run advance, or with another code to stop it; reading commands are allowed',
      },
    );
}

/**
 * The run to change, without a lock: for checks that come before slow work. A workflow that is only declared so far is
 * stored first.
 */
export function findTargetRun(context: OperationContext, name: string | undefined): StoredRun {
  if (rememberedRun(context.store.list().runs, context) === undefined || name !== undefined)
    storeIfDetected(context, name);
  return requireRun(context.store.list().runs, name, context);
}

export interface RunToRead {
  run: StoredRun;
  /** The other active runs. */
  others: readonly StoredRun[];
  runs: readonly StoredRun[];
}

/** The named run, else the one of this session, else the most recent active run, held or not. */
export function runToRead(context: OperationContext, name?: string): RunToRead {
  const { runs } = context.store.list();
  if (name !== undefined) return { run: findRunAnywhere(context, name, runs), others: [], runs };
  const own = rememberedRun(runs, context);
  if (own !== undefined) {
    const others = byRecency(runs.filter((run) => run !== own && isActive(run)));
    return { run: own, others, runs };
  }
  const selection = selectRun(runs, {
    ...context,
    isAgent: isRunByAgent(context),
    purpose: 'read',
  });
  if (selection.kind === 'run') return { run: selection.run, others: selection.others, runs };
  const detected = findDetectedRuns(context, runs).map(({ run }) => run);
  const [only, ...more] = detected;
  if (only === undefined) throw noSingleRunError(context, selection);
  throw more.length === 0 ? onlyDeclaredError(only) : ambiguousRunError(null, detected);
}

/** Stored and archived runs, for commands that only read. */
export function allRuns({ store }: OperationContext): StoredRun[] {
  const { runs } = store.list();
  const present = new Set(runs.map((run) => run.runId));
  return [...runs, ...listArchive(store.root).runs.filter((run) => !present.has(run.runId))];
}

/** The stored run of that name, else the archived one. */
export function findRunAnywhere(
  context: OperationContext,
  name: string,
  runs: readonly StoredRun[] = context.store.list().runs,
): StoredRun {
  const stored = findNamedRun(context, runs, name);
  const found =
    stored.kind === 'unknown'
      ? findNamedRun(context, listArchive(context.store.root).runs, name)
      : stored;
  if (found.kind === 'run') return found.run;
  throw found.kind === 'ambiguous'
    ? ambiguousRunError(name, found.runs)
    : notStoredError(context, name, runs, found.near);
}

/** No stored or archived run has the name, but a declared workflow may. */
function notStoredError(
  context: OperationContext,
  name: string,
  runs: readonly StoredRun[],
  archivedNear: readonly StoredRun[],
): HoldfastError {
  const detected = findDetectedRuns(context, runs);
  const found = findNamedRun(context, runs, name, detected);
  switch (found.kind) {
    case 'run':
      return onlyDeclaredError(found.run);
    case 'ambiguous':
      return ambiguousRunError(name, found.runs);
    default: {
      const near = found.near.length > 0 ? found.near : archivedNear;
      return unknownRunError(context, name, near, [...runs, ...detected.map(({ run }) => run)]);
    }
  }
}

function onlyDeclaredError({ runId, state }: StoredRun): HoldfastError {
  const source = state.source?.path ?? 'a file';
  return new HoldfastError(
    'only_declared',
    `${runId} is only declared in ${source}; it has no state file yet`,
    {
      hint: `\`holdfast status ${runId}\` shows it; the first command that changes it stores it, or in a Claude Code session \`holdfast resume ${runId}\``,
    },
  );
}

export function requireActive(run: StoredRun, command: string): void {
  const failure = notActive(run, command);
  if (failure !== null) throw failure;
}

/** Null for an active run. */
export function notActive({ runId, state }: StoredRun, command: string): HoldfastError | null {
  const { status = 'in_progress' } = state;
  if (status === 'in_progress') return null;
  return new HoldfastError('not_active', `${runId} is ${status}`, {
    hint:
      status === 'completed'
        ? `archive it with \`holdfast complete ${runId}\``
        : `resume it with \`holdfast resume ${runId}\`, then ${command}`,
  });
}

function noSingleRunError(
  context: OperationContext,
  selection: Exclude<Selection, { kind: 'run' }>,
): HoldfastError {
  if (selection.kind === 'ambiguous') return ambiguousRunError(null, selection.runs);
  if (selection.kind === 'not_own') return notOwnError(context, selection.runs);
  return noWorkflowError(context, selection.inactive);
}

/** `inactive`: the runs that a session could resume. */
export function noWorkflowError(
  context: OperationContext,
  inactive: readonly StoredRun[],
): HoldfastError {
  const listing = context.store.list();
  const ended = endedRun(context);
  const also = inactive.map(({ runId, state }) => `${runId} (${state.status})`).join(', ');
  const [message, others, forTools] =
    ended !== undefined
      ? [
          `no active workflow here: ${ended.runId}, the run of this session, is ${ended.state.status ?? 'completed'}`,
          `bring it back with \`holdfast reopen ${ended.runId}\`, or start another with \`holdfast start <name> --phases "A,B,C"\``,
          `start another with workflow_start, or bring it back with \`holdfast reopen ${ended.runId}\``,
        ]
      : also !== ''
        ? [
            'no active workflow here',
            `not active: ${also}; name one, or resume it with \`holdfast resume <run>\``,
            `start one with workflow_start, or continue one that is not active with \`holdfast resume <run>\`: ${also}`,
          ]
        : ['no active workflow here', null, 'start one with workflow_start'];
  return new HoldfastError('no_workflow', message, {
    hint: missingRunHint(
      [listing],
      others,
      'start one with `holdfast start <name> --phases "A,B,C"`',
    ),
    ...(listing.unreadable.length === 0 ? { toolHint: forTools } : {}),
  });
}

/** Somebody else may have ended the run of the session. */
function endedRun(context: OperationContext): StoredRun | undefined {
  const archived = byRecency(listArchive(context.store.root).runs);
  const session = callerSession(context, archived);
  return archived.find(({ state }) => session !== null && holderOf(state) === session);
}
