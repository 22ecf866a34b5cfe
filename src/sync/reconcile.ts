import { machineOfHolder } from '../sessions/holder.ts';
import { isEnded } from '../state/phases.ts';
import type { RunState, Run } from '../state/types.ts';
import { applyMerge, receiveRun } from './apply.ts';
import { sameContent, UnreadableRun, type Side } from './commits.ts';
import { planRun } from './plan.ts';
import { updateRefs } from './refs.ts';
import { addOnce, type SyncReport } from './report.ts';
import {
  ownRun,
  reopenWork,
  secretsOf,
  type OwnRun,
  type Work,
} from './work.ts';

/** Brings every run together with what is known of it elsewhere. Without sending, only those that were never here. */
export function reconcileAll(
  work: Work,
  sends: boolean,
  report: SyncReport,
): void {
  const runIds = new Set([...work.stored.keys(), ...work.refs.keys()]);
  for (const runId of runIds) {
    if (!isToReconcile(work, runId, sends)) continue;
    const reason = reconcileRun(work, runId, report);
    if (reason === null) continue;
    const isNamed = report.skipped.some(({ run }) => run === runId);
    if (!isNamed) report.skipped.push({ run: runId, reason });
  }
}

function isToReconcile(
  { stored, refs }: Work,
  runId: string,
  sends: boolean,
): boolean {
  const { local, tracking, base } = refs.get(runId) ?? {};
  const isKnownHere = stored.has(runId) || base !== undefined;
  if (isKnownHere) return sends;
  // A run that ended elsewhere and was never here has nothing to do.
  const known = local ?? tracking;
  return known?.isEnded !== true;
}

/** Each further one only if another process changed the run meanwhile. */
const MAX_ATTEMPTS = 5;

/** Null, or why the run was left as it is: one that cannot be read never stops the others. */
function reconcileRun(
  work: Work,
  runId: string,
  report: SyncReport,
): string | null {
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (tryReconcile(work, runId, report)) return null;
      reopenWork(work);
    }
    return 'another process kept changing it';
  } catch (error) {
    if (error instanceof UnreadableRun) return error.message;
    throw error;
  }
}

/**
 * Brings the state file, the ref of this clone and what is known of the remote together. Safe to be killed at any
 * point: objects come first, then the ref, then the file, then the note that they are in step. False if something
 * changed meanwhile.
 */
function tryReconcile(work: Work, runId: string, report: SyncReport): boolean {
  const refs = work.refs.get(runId) ?? {};
  const own = ownRun(work, runId);

  // Before any commit, so that no secret is ever in the history of a ref.
  const secrets = secretsOf(work, runId, own);
  const ofOthers = report.secrets.filter(({ run }) => run !== runId);
  report.secrets = [...ofOthers, ...secrets];
  // To try again would not help.
  if (secrets.length > 0) return true;

  const commit = planRun(work.commits, own, refs);
  if (commit === undefined) return true;
  const target = work.commits.read(commit);
  if (own !== null && sameContent(own.mine, target.snapshot))
    return moveRefs(work, runId, commit, ['local', 'base']);
  if (own === null && refs.base === undefined)
    return receive(work, runId, target, report);

  if (!moveRefs(work, runId, commit, ['local'])) return false;
  // Deleted by hand (`own` is null), or purged here (`own` stands for what it last was): it stays away, and so does
  // `base`, because no file here is in step with the commit.
  if (own?.stored === undefined) return true;
  return apply(work, own.stored, own, target, report);
}

/** The run was never in step with a state file of this worktree. */
function receive(
  work: Work,
  runId: string,
  { commit, snapshot }: Side,
  report: SyncReport,
): boolean {
  if (isEnded(snapshot.state)) return true;
  if (!moveRefs(work, runId, commit, ['local'])) return false;
  receiveRun(work, runId, snapshot);
  addOnce(report.arrived, runId);
  return moveRefs(work, runId, commit, ['base']);
}

function apply(
  work: Work,
  stored: Run,
  { mine }: OwnRun,
  { commit, snapshot }: Side,
  report: SyncReport,
): boolean {
  const { runId } = stored;
  const conflicts = applyMerge(work, stored, mine, snapshot);
  if (conflicts === null) return false;

  addOnce(report.updated, runId);
  if (isEnded(snapshot.state) && !isEnded(stored.state))
    addOnce(report.ended, runId);
  if (hasChangedMachine(mine.state, snapshot.state))
    addOnce(report.taken_over, runId);
  for (const conflict of conflicts)
    report.conflicts.push({ run: runId, ...conflict });
  return moveRefs(work, runId, commit, ['base']);
}

function hasChangedMachine(before: RunState, after: RunState): boolean {
  const former = machineOfHolder(before);
  const present = machineOfHolder(after);
  return former !== null && present !== null && former !== present;
}

/** False if a ref is not what it was when the work was opened. */
function moveRefs(
  { clone, refs }: Work,
  runId: string,
  commit: string,
  kinds: readonly ('local' | 'base')[],
): boolean {
  const changes = kinds.map((kind) => ({
    kind,
    runId,
    from: refs.get(runId)?.[kind]?.commit,
    to: commit,
  }));
  return updateRefs(clone, changes);
}
