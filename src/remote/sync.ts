import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import type { StoredRun } from '../state/types.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import type { Conflict } from './merge-fields.ts';
import { RunObjects } from './objects.ts';
import { toSnapshot } from './portable.ts';
import {
  localRun,
  reconcileRun,
  requireNoSecrets,
  storedRuns,
  type Reconciliation,
} from './reconcile.ts';
import { isPrunable } from './prunable.ts';
import { moveEnded } from './move-ended.ts';
import { endedRef, runRef } from './ref-names.ts';
import { listRefs, onRemote, refToPush, updateRefs, type RunRefs } from './refs.ts';
import type { SnapshotDefect } from './snapshot.ts';
import { fetchRuns, pushRefs, type TransportFailure } from './transport.ts';

export interface SyncReport {
  remote: string;
  /** Runs that the remote has now as they are here. */
  sent: string[];
  /** Runs that were not here before. */
  arrived: string[];
  /** Runs that other machines had changed. */
  updated: string[];
  /** Runs that ended on another machine. */
  ended: string[];
  /** Runs that a session on another machine has taken from one here. */
  taken_over: string[];
  conflicts: ({ run: string } & Conflict)[];
  /** Refs that this version cannot read. */
  skipped: { run: string; defect: SnapshotDefect }[];
  /** Runs whose history on the remote was replaced. */
  rewritten: string[];
}

export interface SyncOptions {
  timeoutMs: number;
  progress: (line: string) => void;
  /** Whether changes made here are sent; `sync on` only receives. */
  sends: boolean;
}

const MAX_TRIES = 3;

/** Fetches, merges and pushes. What was committed here stays if any of that fails. */
export async function syncRuns(
  context: OperationContext,
  options: SyncOptions,
): Promise<SyncReport> {
  const clone = requireOn(openClone(context), context);
  const work: Reconciliation = { context, clone, objects: new RunObjects(clone.git) };
  const report = emptyReport(clone.remote);
  checkSecrets(work);
  if (options.sends) reconcileAll(work, report);
  for (let attempt = 1; ; attempt += 1) {
    options.progress(`fetching runs from ${clone.remote} …`);
    await fetchAll(work, options, report);
    forgetPruned(work);
    options.progress('merging …');
    reconcileAll(work, report);
    const behind = options.sends ? await pushAll(work, options, report) : [];
    if (behind.length === 0) break;
    if (attempt === MAX_TRIES)
      throw new HoldfastError({
        code: 'sync_contended',
        remote: clone.remote,
        runs: behind,
        tries: MAX_TRIES,
        report,
      });
  }
  if (options.sends) await moveEnded(work, options.timeoutMs);
  return report;
}

function emptyReport(remote: string): SyncReport {
  return {
    remote,
    sent: [],
    arrived: [],
    updated: [],
    ended: [],
    taken_over: [],
    conflicts: [],
    skipped: [],
    rewritten: [],
  };
}

/** All runs are checked before the first is committed, so that one message names every field. */
function checkSecrets({ context, clone }: Reconciliation): void {
  requireNoSecrets(
    [...storedRuns(context).values()].map((run) => ({
      runId: run.runId,
      snapshot: toSnapshot(localRun(context, run), null, clone.place),
    })),
  );
}

/** Brings every run together with what is known of it elsewhere. */
function reconcileAll(work: Reconciliation, report: SyncReport): void {
  const { context, clone, objects } = work;
  const stored = storedRuns(context);
  const refs = listRefs(clone);
  const ids = [...new Set([...stored.keys(), ...refs.keys()])].filter((id) =>
    needsWork(stored.get(id), refs.get(id) ?? {}),
  );
  objects.load(
    ids.flatMap((runId) => {
      const { local, tracking, ended, base } = refs.get(runId) ?? {};
      return [local, tracking, ended, base].flatMap((ref) =>
        ref === undefined ? [] : [{ id: ref.commit, runId }],
      );
    }),
  );
  for (const runId of ids) {
    let isFirst = true;
    const outcome = reconcileRun(work, runId, () => {
      const fresh = isFirst
        ? { stored, refs }
        : { stored: storedRuns(context), refs: listRefs(clone, [runId]) };
      isFirst = false;
      return {
        stored: fresh.stored.get(runId) ?? context.store.archivedRun(runId),
        refs: fresh.refs.get(runId) ?? {},
      };
    });
    switch (outcome.kind) {
      case 'arrived':
        add(report.arrived, runId);
        break;
      case 'updated':
        add(report.updated, runId);
        if (outcome.isEnded) add(report.ended, runId);
        if (outcome.isTakenOver) add(report.taken_over, runId);
        report.conflicts.push(
          ...outcome.conflicts.map((conflict) => ({ run: runId, ...conflict })),
        );
        break;
      case 'skipped':
        if (report.skipped.every(({ run }) => run !== runId))
          report.skipped.push({ run: runId, defect: outcome.defect });
        break;
      default:
    }
  }
}

/** A run that ended, is the same everywhere and is not stored here any more has nothing to do. */
function needsWork(stored: StoredRun | undefined, refs: RunRefs): boolean {
  if (stored !== undefined) return true;
  const { local, base } = refs;
  const commits = new Set([local, onRemote(refs), base].flatMap((ref) => ref?.commit ?? []));
  return !(commits.size === 1 && (local ?? onRemote(refs))?.isEnded === true);
}

function add(list: string[], runId: string): void {
  if (!list.includes(runId)) list.push(runId);
}

async function fetchAll(
  work: Reconciliation,
  { timeoutMs }: SyncOptions,
  report: SyncReport,
): Promise<void> {
  const { clone } = work;
  const known = knownHere(work);
  const result = await fetchRuns(clone, known, timeoutMs);
  if (result.kind === 'failed') throw transportError(clone, result, report);
  if (result.kind === 'done') return;
  // What the remote had is part of the run here, so nothing is lost by forgetting it; then the new history is merged.
  for (const runId of result.runIds) add(report.rewritten, runId);
  forgetTracking(clone, result.runIds);
  const again = await fetchRuns(clone, known, timeoutMs);
  if (again.kind === 'failed') throw transportError(clone, again, report);
}

/** The runs that were ever here, and whose end or last changes on another machine concern this one. */
function knownHere({ context, clone }: Reconciliation): string[] {
  const synced = [...listRefs(clone)].flatMap(([runId, { local, base }]) =>
    local === undefined && base === undefined ? [] : [runId],
  );
  return [...new Set([...storedRuns(context).keys(), ...synced])];
}

function forgetTracking(clone: SyncedClone, runIds: readonly string[]): void {
  const refs = listRefs(clone);
  updateRefs(
    clone,
    runIds.flatMap((runId) => {
      const known = refs.get(runId) ?? {};
      return (['tracking', 'ended'] as const).flatMap((kind) => {
        const from = known[kind]?.commit;
        return from === undefined ? [] : [{ kind, runId, from, to: null }];
      });
    }),
  );
}

/** Another machine has pruned these runs; sending them again would bring them back. */
function forgetPruned({ context, clone, objects }: Reconciliation): void {
  const gone = [...listRefs(clone)].flatMap(([runId, known]) => {
    const { local, base } = known;
    return local?.isEnded === true && onRemote(known) === undefined ? [{ runId, local, base }] : [];
  });
  objects.load(gone.map(({ runId, local }) => ({ id: local.commit, runId })));
  const changes = gone
    .filter(({ runId, local }) => {
      const { reading } = objects.read(local.commit, runId);
      return reading.kind === 'snapshot' && isPrunable(reading.snapshot, context.now);
    })
    .flatMap(({ runId, local, base }) => [
      { kind: 'local' as const, runId, from: local.commit, to: null },
      ...(base === undefined
        ? []
        : [{ kind: 'base' as const, runId, from: base.commit, to: null }]),
    ]);
  updateRefs(clone, changes);
}

interface Waiting {
  runId: string;
  /** Which of the two refs of the remote gets it. */
  kind: 'tracking' | 'ended';
  from: string | undefined;
  to: string;
}

/** Returns the runs that the remote has changed meanwhile. */
async function pushAll(
  { clone }: Reconciliation,
  { timeoutMs, progress }: SyncOptions,
  report: SyncReport,
): Promise<string[]> {
  const refs = listRefs(clone);
  const skipped = new Set(report.skipped.map(({ run }) => run));
  const waiting = [...refs].flatMap(([runId, known]): Waiting[] => {
    const kind = refToPush(known);
    const to = known.local?.commit;
    if (kind === null || to === undefined || skipped.has(runId)) return [];
    return [{ runId, kind, from: known[kind]?.commit, to }];
  });
  if (waiting.length === 0) return [];
  progress(
    `sending ${waiting.length === 1 ? '1 run' : `${waiting.length} runs`} to ${clone.remote} …`,
  );
  const result = await pushRefs(
    clone,
    waiting.map(({ runId, kind, to }) => {
      const ref = kind === 'ended' ? endedRef(clone.project, runId) : runRef(clone.project, runId);
      return { runId, ref, to };
    }),
    timeoutMs,
  );
  // If this fails, the next fetch brings it.
  for (const change of waiting)
    if (result.accepted.includes(change.runId)) updateRefs(clone, [change]);
  for (const runId of result.accepted) add(report.sent, runId);
  if (result.failure !== null) throw transportError(clone, result.failure, report);
  const [refused] = result.refused;
  if (refused !== undefined)
    throw transportError(clone, { problem: 'refused', reason: refused.reason }, report);
  return result.behind;
}

function transportError(
  { remote }: SyncedClone,
  { problem, reason }: TransportFailure,
  report: SyncReport,
): HoldfastError {
  return new HoldfastError({ code: 'sync_transport', remote, problem, reason, report });
}
