import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { purgedRuns } from '../state/store/purged-runs.ts';
import { isRunByAgent } from '../operations/require-person.ts';
import { openClone, requireOn, switchOff, switchOn, type SyncedClone } from './clone.ts';
import { toSnapshot } from './portable.ts';
import { localRun, storedRuns } from './reconcile.ts';
import { secretsIn } from './secret-fields.ts';
import { listRefs, updateRefs } from './refs.ts';

/** What leaves a machine is for its user to decide. */
export function requireUser(context: OperationContext, command: 'on' | 'off' | 'prune'): void {
  if (isRunByAgent(context)) throw new HoldfastError({ code: 'sync_from_agent', command });
}

export interface SwitchedOn {
  remote: string;
  project: string;
  machine: string;
  /** Whether it was on with this remote before. */
  wasOn: boolean;
}

/** Switches sync on in this clone. Nothing is sent. */
export function turnOn(context: OperationContext, remote: string): SwitchedOn {
  requireUser(context, 'on');
  const before = openClone(context);
  if (!before.remotes.includes(remote))
    throw new HoldfastError({ code: 'sync_no_remote', given: remote, remotes: before.remotes });
  const place = { machine: '', version: '', paths: [] };
  const found = [...storedRuns(context).values()].flatMap((run) =>
    secretsIn({ run, snapshot: toSnapshot(localRun(context, run), null, place) }),
  );
  if (found.length > 0)
    throw new HoldfastError({
      code: 'sync_secrets',
      found,
      refusedSwitch: { remote: before.remote },
    });
  const clone = requireOn(switchOn(before, remote), context);
  forgetRemoved(context, clone);
  const { project } = clone;
  const wasOn = before.remote === remote;
  return { remote, project, machine: clone.place.machine, wasOn };
}

/** Runs whose state file was deleted here by hand stay away; who switches sync on again wants them back. */
function forgetRemoved(context: OperationContext, clone: SyncedClone): void {
  const stored = storedRuns(context);
  const purged = purgedRuns(context.root);
  const changes = [...listRefs(clone)].flatMap(([runId, { base }]) =>
    base === undefined ||
    base.isEnded ||
    stored.has(runId) ||
    purged.has(runId) ||
    context.store.archivedRun(runId)
      ? []
      : [{ kind: 'base' as const, runId, from: base.commit, to: null }],
  );
  updateRefs(clone, changes);
}

export interface SwitchedOff {
  /** The remote that it was on with. */
  remote: string | null;
  /** Whether the clone still has that remote. */
  isThere: boolean;
}

/** The refs stay: switching it on again continues where it was. */
export function turnOff(context: OperationContext): SwitchedOff {
  requireUser(context, 'off');
  const clone = openClone(context);
  const { remote, remotes } = clone;
  if (remote !== null) switchOff(clone);
  return { remote, isThere: remote !== null && remotes.includes(remote) };
}
