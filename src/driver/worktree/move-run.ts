import { randomUUID } from 'node:crypto';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { currentRun } from '../../operations/drive.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import {
  receiveRun,
  recordArrival,
  sendRun,
  takeBack,
  undoSend,
} from '../../operations/relocate.ts';
import { movedFrom } from '../../state/moved.ts';
import type { StoredRun } from '../../state/types.ts';
import { heldBySession, requireDrivable } from '../prepare.ts';
import { DriverRecord } from '../record/driver-record.ts';
import { isRunningClient } from '../record/running-process.ts';
import { NO_SESSIONS } from '../step/step-session.ts';
import { locateRun, type RunLocation } from './locate-run.ts';
import { bringLog } from './records.ts';
import {
  createWorktree,
  findWorktree,
  isUnchanged,
  removeLeftover,
  removeWorktree,
  type Worktree,
} from './worktree.ts';

/** A context of the moment for the project in that folder. */
export type OpenFolder = (root: string) => OperationContext;

/**
 * Moves a run to a worktree, which is created for it. Throws with the run where it was. `prepare` throws if nothing can
 * be driven there.
 */
export function moveToWorktree<T>(
  runId: string,
  worktree: Worktree,
  open: OpenFolder,
  prepare: () => T,
): { run: StoredRun; setup: T } {
  const { origin, root, base } = worktree;
  return asDriver(origin, runId, (record) => {
    const { client, gateFailures } = record.memory;
    if (client !== null && isRunningClient(client))
      throw new HoldfastError({ code: 'client_at_work', run: runId, pid: client.pid });
    const here = open(origin);
    const id = randomUUID();
    const sent = sendRun(here, runId, { path: root, id }, (run) => requireDrivable(here, run));
    let arrived: { run: StoredRun; setup: T };
    try {
      createWorktree(worktree);
      const setup = prepare();
      const journal = here.store.journal(sent);
      arrived = {
        setup,
        run: receiveRun(open(root), { run: sent, journal }, { path: origin, id, base }),
      };
    } catch (error) {
      if (locateRun(sent, origin, open).kind === 'not_sent') {
        undoSend(open(origin), runId);
        removeWorktree(worktree);
      }
      throw error;
    }
    recordArrival(open(origin), runId);
    // A conversation belongs to its folder, so none is resumed in the other one.
    record.update({ sessions: NO_SESSIONS, gateFailures: null });
    asDriver(root, runId, (there) => there.update({ gateFailures }));
    return arrived;
  });
}

/**
 * Brings a run whose move was interrupted to one place, and says which. Throws `second_driver` if another process is just
 * moving it.
 */
export function settleMove({ runId }: StoredRun, root: string, open: OpenFolder): RunLocation {
  return asDriver(root, runId, () => {
    const run = currentRun(open(root), runId);
    const place: RunLocation = run === null ? { kind: 'here' } : locateRun(run, root, open);
    switch (place.kind) {
      case 'there':
        if (!place.hasArrived) recordArrival(open(root), runId);
        return place;
      case 'returning':
      case 'finished':
        finishReturn(place, root, open);
        return place;
      case 'not_sent':
        undoSend(open(root), runId);
        removeLeftover(root, place.path);
        return place;
      default:
        return place;
    }
  });
}

function finishReturn(
  { path, run }: Extract<RunLocation, { kind: 'returning' | 'finished' }>,
  root: string,
  open: OpenFolder,
): void {
  const { runId, state } = run;
  takeBack(open(root), { run, journal: open(path).store.journal(run) });
  const worktree = findWorktree(root, path, movedFrom(state)?.base ?? '');
  if (worktree === null) return;
  bringLog(worktree, runId);
  if (isEmpty(open(path), runId, worktree)) removeWorktree(worktree);
}

/** What became of a run and its worktree after a driver has stopped. */
export interface Return {
  isRemoved: boolean;
  /** Where the run is now. */
  run: 'back' | 'there';
}

/** Whether `returnFromWorktree` would bring the run back. */
export function isReturning(
  runId: string,
  worktree: Worktree,
  open: OpenFolder,
  { mayRemove }: { mayRemove: boolean },
): boolean {
  const there = open(worktree.root);
  return isFinished(currentRun(there, runId)) || (mayRemove && isEmpty(there, runId, worktree));
}

/**
 * Brings a run back from its worktree if it is finished, or if nothing was changed there, and removes the worktree if
 * nothing was. Throws if somebody else works on the run by now.
 */
export function returnFromWorktree(
  runId: string,
  worktree: Worktree,
  open: OpenFolder,
  { mayRemove }: { mayRemove: boolean },
): Return {
  const { origin, root } = worktree;
  const run = currentRun(open(root), runId);
  const canRemove = mayRemove && isEmpty(open(root), runId, worktree);
  if (run === null || (!isFinished(run) && !canRemove)) return { isRemoved: false, run: 'there' };
  const isOver = isFinished(run);
  const back = asDriver(
    origin,
    runId,
    (record) => {
      const taken = isOver
        ? takeFrom(open, worktree, run)
        : sendBack(open, worktree, runId, record);
      if (taken !== null) bringLog(worktree, runId);
      return taken;
    },
    { isOver },
  );
  if (back === null) return { isRemoved: false, run: 'there' };
  return { isRemoved: canRemove && removeWorktree(worktree), run: 'back' };
}

function takeFrom(open: OpenFolder, { origin, root }: Worktree, run: StoredRun): StoredRun | null {
  return takeBack(open(origin), { run, journal: open(root).store.journal(run) });
}

function sendBack(
  open: OpenFolder,
  worktree: Worktree,
  runId: string,
  record: DriverRecord,
): StoredRun | null {
  const { origin, root } = worktree;
  return asDriver(root, runId, (there) => {
    const sent = sendRun(open(root), runId, { path: origin, id: randomUUID() }, (run) => {
      const failure = heldBySession(open(root), run);
      if (failure !== null) throw new HoldfastError(failure);
    });
    const back = takeFrom(open, worktree, sent);
    if (back === null) undoSend(open(root), runId);
    else record.update({ gateFailures: there.memory.gateFailures, sessions: NO_SESSIONS });
    return back;
  });
}

/** Other runs in it are not finished, or nobody knows. */
function isEmpty(there: OperationContext, runId: string, worktree: Worktree): boolean {
  const { runs, unreadable } = there.store.list();
  return (
    unreadable.length === 0 && runs.every((run) => run.runId === runId) && isUnchanged(worktree)
  );
}

function isFinished(run: StoredRun | null): boolean {
  return run?.state.status === 'completed' || run?.state.status === 'cancelled';
}

/** Nobody else can drive the run in that checkout meanwhile. */
function asDriver<T>(
  root: string,
  runId: string,
  work: (record: DriverRecord) => T,
  { isOver } = { isOver: false },
): T {
  const record = DriverRecord.acquire(root, runId);
  try {
    return work(record);
  } finally {
    record.release({ isOver, keepsClient: true });
  }
}
