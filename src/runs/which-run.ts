import {
  ambiguousRunError,
  onlyDeclaredError,
  selectionError,
  unknownRunError,
  shortList,
} from './missing-run.ts';
import {
  requireCurrentClient,
  runsOfGates,
} from '../sessions/client-process.ts';
import {
  type OperationContext,
  isHolder,
  projectPath,
  type Project,
} from '../sessions/open-project.ts';
import { channelOf } from '../sessions/caller.ts';
import { mayMeanHeldRun } from '../sessions/rights.ts';
import { findRun, hasName } from '../sessions/select-run.ts';
import { isActive } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';
import { syncRuns } from '../sources/apply-sync.ts';
import { findDetectedRuns, previewSync } from '../sources/project-sources.ts';
import { phaseWords } from '../state/phase-words.ts';
import { listArchive } from '../state/store/run-files.ts';
import type { Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import { ownEntry } from '../text/json.ts';
import { type Selection, selectRun } from '../sessions/own-run.ts';

/** The run to change: the named one, else the one that is meant. Throws if that is ambiguous. */
export function requireRun(
  runs: readonly Run[],
  name: string | undefined,
  context: OperationContext,
): Run {
  const run =
    name === undefined
      ? ownRunToChange(runs, context)
      : findRunAnywhere(context, name, runs);
  // An archived run is found, but it has to be reopened before it can change.
  if (!runs.includes(run)) throw runArchived(run);
  requireOutsideOwnGate(context, run);
  requireCurrentClient(context, run);
  return run;
}

export function runArchived({ runId, state }: Run): HoldfastError {
  const message = `${runId} is ${state.status ?? 'completed'} and in the archive`;
  const hint = `reopen it with \`holdfast reopen ${runId}\`, then try again`;
  return new HoldfastError('run_archived', message, { hint });
}

function ownRunToChange(runs: readonly Run[], context: OperationContext): Run {
  const selection = select(runs, context, 'write');
  if (selection.kind !== 'run') throw selectionError(context, selection);
  remember(context, selection.run);
  return selection.run;
}

/** To read, the result is a run, or none is active. A caller without a session means the run that it has used before. */
export function select(
  runs: readonly Run[],
  context: OperationContext,
  purpose: 'read' | 'write',
): Selection {
  const runId = context.session === null ? context.ownRun?.runId : undefined;
  const run = runs.find((each) => each.runId === runId && isActive(each));
  if (run === undefined)
    return selectRun(runs, {
      ...context,
      mayMeanHeldRun: mayMeanHeldRun(context.caller),
      purpose,
    });
  const others = byRecency(
    runs.filter((other) => other !== run && isActive(other)),
  );
  return { kind: 'run', run, others };
}

/** Only a caller without a session needs it: a session holds its run. */
export function remember(
  { session, ownRun }: OperationContext,
  { runId }: Run,
): void {
  if (ownRun !== undefined && session === null) ownRun.runId = runId;
}

/** A gate only checks: if it moved its own run, it would decide what it was asked, or start itself again. */
export function requireOutsideOwnGate(
  { environment }: Pick<Project, 'environment'>,
  { runId }: Pick<Run, 'runId'>,
): void {
  if (!runsOfGates(environment).includes(runId)) return;
  const message = `this command is part of a gate of ${runId}, and a gate must not change its own run`;
  throw new HoldfastError('inside_own_gate', message, {
    hint: 'exit with 0 to let the run advance, or with another code to stop it; reading commands are allowed',
  });
}

/** Without a lock, for checks before slow work. A workflow that is only declared so far is stored first. */
export function findTargetRun(
  context: OperationContext,
  name: string | undefined,
): Run {
  storeIfDetected(context, name);
  return requireRun(context.store.list().runs, name, context);
}

/** The named run, else the one of this session, else the most recent active run, held or not; with the other active runs. */
export function runToRead(
  context: OperationContext,
  name?: string,
): { run: Run; others: readonly Run[] } {
  const { runs } = context.store.list();
  if (name !== undefined)
    return { run: findRunAnywhere(context, name, runs), others: [] };
  const selection = select(runs, context, 'read');
  if (selection.kind === 'run') return selection;
  const detected = findDetectedRuns(context, runs);
  const [only, ...more] = detected;
  if (only === undefined) throw selectionError(context, selection);
  throw more.length === 0
    ? onlyDeclaredError(only)
    : ambiguousRunError(null, detected);
}

/** The same, and where the run may not be the one that is meant, the caller is told of the others. */
export function runToShow(context: OperationContext, name?: string): Run {
  const { run, others } = runToRead(context, name);
  if (
    others.length > 0 &&
    (context.session === null || !isHolder(context, run))
  )
    context.warn(
      `this is about ${run.runId}; also active: ${shortList(others.map(({ runId }) => runId))}; name one to choose it`,
    );
  return run;
}

export function findRunAnywhere(
  context: OperationContext,
  name: string,
  runs: readonly Run[] = context.store.list().runs,
): Run {
  const found =
    findNamedRun(context, runs, name) ??
    findNamedRun(context, listArchive(context.store.root).runs, name);
  if (found !== null) return found;
  // No stored or archived run has the name, but a declared workflow may.
  const { detected, sourceRecords } = previewSync(
    context,
    runs,
    () => undefined,
  );
  const all = [...runs, ...detected];
  const declared = findNamedRun(context, all, name, sourceRecords);
  if (declared !== null) throw onlyDeclaredError(declared);
  throw unknownRunError(context, name, all);
}

export function requireActive(run: Run, command: string): void {
  const failure = notActive(run, command);
  if (failure !== null) throw failure;
}

/** Refuses to finish or fail a phase that waits for the user's word: nobody has begun it. */
export function requireBegun({ runId, state }: Run): void {
  if (!isWaitingPhase(state)) return;
  const message = `phase ${phaseWords(state.phase)} of ${runId} has not begun: it waits for the user's word; nothing was changed`;
  const hint = `\`holdfast resume ${runId}\` begins it once the user says so`;
  throw new HoldfastError('phase_waits', message, { hint });
}

/** Null for an active run. */
export function notActive(
  { runId, state }: Run,
  command: string,
): HoldfastError | null {
  const { status = 'in_progress' } = state;
  if (status === 'in_progress') return null;
  return new HoldfastError('not_active', `${runId} is ${status}`, {
    hint:
      status === 'completed'
        ? `archive it with \`holdfast complete ${runId}\``
        : `resume it with \`holdfast resume ${runId}\`, then ${command}`,
  });
}

/** If the command means a workflow that is only declared so far, its sources are taken over first, as at a compaction. */
export function storeIfDetected(
  context: OperationContext,
  name: string | undefined,
  /** Throws if the command refuses the run: then nothing is stored. */
  requireAllowed: (meant: Run) => void = () => undefined,
): void {
  const { runs } = context.store.list();
  if (name !== undefined && runs.some(({ runId }) => runId === name.trim()))
    return;
  const preview = previewSync(context, runs, () => undefined);
  const { detected } = preview;
  if (detected.length === 0) return;
  const meant = meantRun(context, runs, preview, name);
  if (meant === null || !detected.includes(meant)) return;
  requireAllowed(meant);
  const stored = storeDeclared(context, preview, meant);
  if (stored === null) return;
  const file = asWord(meant.state.source?.path ?? 'a file');
  context.warn(
    `stored ${quoted(stored.state.workflow)} as ${stored.runId}; it was only declared in ${file}`,
  );
}

/** One sync stores only so many runs, so it is repeated until the one that is meant is among them, or nothing is added. */
function storeDeclared(
  { store, caller }: Pick<OperationContext, 'store' | 'caller'>,
  { input }: Pick<ReturnType<typeof previewSync>, 'input'>,
  meant: Run,
): Run | null {
  const { unreadable } = store.list();
  const by = channelOf(caller);
  const isMeant = ({ runId, state }: Run): boolean => {
    const isSameSource = state.source?.path === meant.state.source?.path;
    const isSameName = state.workflow === meant.state.workflow;
    return runId === meant.runId || (isSameSource && isSameName);
  };
  for (let count = -1; ;) {
    const runs = syncRuns(store, input, { by, unreadable });
    const stored = runs.find(isMeant);
    if (stored !== undefined) return stored;
    if (runs.length <= count) return null;
    count = runs.length;
  }
}

/** The run that a command which changes one would change, stored or not; null if no run matches. Nothing is written. */
export function previewTarget(
  context: OperationContext,
  name: string | undefined,
): Run | null {
  const { runs } = context.store.list();
  const preview = previewSync(context, runs, () => undefined);
  return meantRun(context, runs, preview, name);
}

/** Null if no run matches. */
function meantRun(
  context: OperationContext,
  runs: readonly Run[],
  { detected, sourceRecords }: ReturnType<typeof previewSync>,
  name: string | undefined,
): Run | null {
  const all = [...runs, ...detected];
  if (name !== undefined)
    return findNamedRun(context, all, name, sourceRecords);
  const found = select(all, context, 'write');
  if (found.kind === 'ambiguous' || found.kind === 'not_own')
    throw selectionError(context, found);
  return found.kind === 'run' ? found.run : null;
}

/** Throws if several have the name, which may also be the path of a source, even of a second one merged into the run. */
export function findNamedRun(
  context: OperationContext,
  runs: readonly Run[],
  name: string,
  sourceRecords = context.store.sourceRecords(),
): Run | null {
  const found = findRun(runs, name);
  const { store } = context;
  // The beginning of a name does not mean its run if a run in the archive, or one that is not, has that whole name.
  if (found.kind !== 'unknown' && found.isPrefix)
    if (
      [...store.list().runs, ...listArchive(store.root).runs].some((run) =>
        hasName(run, name),
      )
    )
      return null;
  if (found.kind === 'run') return found.run;
  if (found.kind === 'ambiguous') throw ambiguousRunError(name, found.runs);
  if (name.trim() === '') return null;
  const path = projectPath(context, name.trim().replace(/^@/, ''));
  const recorded = ownEntry(sourceRecords, path)?.run_id;
  const [first, ...more] = runs.filter(
    (run) => run.state.source?.path === path || run.runId === recorded,
  );
  if (more.length > 0)
    throw ambiguousRunError(
      name,
      byRecency([...more, ...(first ? [first] : [])]),
    );
  return first ?? null;
}
