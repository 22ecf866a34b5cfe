import type { SecretField } from '../errors/remote.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { purgedRuns } from '../state/store/purged-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import { commitsOf, RunObjects } from './objects.ts';
import { copiedCommit } from './plan-run.ts';
import { toSnapshot } from './portable.ts';
import { localRun, purgedRun, storedRuns } from './reconcile.ts';
import { secretsIn, type CheckedRun } from './secret-fields.ts';
import { listRefs, type RunRefs } from './refs.ts';
import {
  isFromNewerVersion,
  sameContent,
  type Snapshot,
  type SnapshotDefect,
  type SnapshotReading,
} from './snapshot.ts';

/** How a run here compares with what is known of the remote. */
export type RunSyncState =
  | 'in_step'
  | 'to_send'
  | 'to_receive'
  /** Changed here and elsewhere. */
  | 'to_merge'
  | 'ended'
  /** Its state file was deleted here by hand. */
  | 'removed_here'
  | 'unreadable';

export interface RunSync {
  run_id: string;
  state: RunSyncState;
  /** Whether the remote does not have it yet, as far as is known. */
  is_new: boolean;
  /** The fields that differ from what the remote had. */
  fields: string[];
  defect?: SnapshotDefect;
}

export interface SyncStatus {
  remote: string | null;
  remotes: string[];
  project: string;
  machine: string | null;
  runs: RunSync[];
  /** Machines that have written to a run, with the version of holdfast they had. */
  machines: { machine: string; version: string; at: string; is_here: boolean }[];
  secrets: SecretField[];
}

/** What is known without asking the remote. */
export function getSyncStatus(context: OperationContext): SyncStatus {
  const clone = openClone(context);
  const { remote, remotes, project } = clone;
  if (remote === null || clone.cloneId === null)
    return { remote: null, remotes, project, machine: null, runs: [], machines: [], secrets: [] };
  const synced = requireOn(clone, context);
  return {
    remote,
    remotes,
    project,
    machine: synced.place.machine,
    ...compareAll(context, synced),
  };
}

/** The runs that the next sync sends. */
export function waitingRuns({ runs }: SyncStatus): RunSync[] {
  return runs.filter(({ state }) => state === 'to_send' || state === 'to_merge');
}

function compareAll(
  context: OperationContext,
  clone: SyncedClone,
): Pick<SyncStatus, 'runs' | 'machines' | 'secrets'> {
  const { place } = clone;
  const stored = storedRuns(context);
  const refs = listRefs(clone);
  const objects = new RunObjects(clone.git, place.machine);
  const purged = purgedRuns(context.root);
  const ids = [...new Set([...stored.keys(), ...refs.keys()])];
  objects.load(
    ids.flatMap((runId) => {
      const { local, tracking, base } = refs.get(runId) ?? {};
      return [local, tracking, base].flatMap((ref) =>
        ref === undefined ? [] : [{ id: ref.commit, runId }],
      );
    }),
  );
  const compared = ids.map((runId) =>
    compare(context, clone, objects, {
      runId,
      stored: stored.get(runId),
      refs: refs.get(runId) ?? {},
      purgedAt: purged.get(runId),
    }),
  );
  const machines = new Map<string, SyncStatus['machines'][number]>();
  for (const { snapshot } of compared) {
    for (const [machine, { version, at }] of Object.entries(snapshot?.machines ?? {})) {
      const known = machines.get(machine);
      if (known === undefined || known.at < at)
        machines.set(machine, { machine, version, at, is_here: machine === place.machine });
    }
  }
  return {
    runs: compared.map(({ run }) => run),
    machines: [...machines.values()].toSorted((a, b) => (a.at < b.at ? 1 : -1)),
    secrets: compared.flatMap(({ outgoing }) => (outgoing === null ? [] : secretsIn(outgoing))),
  };
}

interface Compared {
  run: RunSync;
  /** The newest that is known of the run. */
  snapshot: Snapshot | null;
  /** What `sync` would commit of the run here. */
  outgoing: CheckedRun | null;
}

function compare(
  context: OperationContext,
  { place }: SyncedClone,
  objects: RunObjects,
  {
    runId,
    stored,
    refs,
    purgedAt,
  }: {
    runId: string;
    stored: StoredRun | undefined;
    refs: RunRefs;
    purgedAt: string | undefined;
  },
): Compared {
  const { local, tracking } = refs;
  const base = refs.base?.commit ?? copiedFrom(context, place, objects, { stored, refs });
  const readings = [base, local?.commit, tracking?.commit].map((commit) =>
    commit === undefined ? null : objects.read(commit, runId).reading,
  );
  const defect = defectIn(readings, stored);
  if (defect !== null)
    return {
      run: { run_id: runId, state: 'unreadable', is_new: false, fields: [], defect },
      snapshot: null,
      outgoing: null,
    };
  const [before = null, here = null, there = null] = readings.map((reading) =>
    reading?.kind === 'snapshot' ? reading.snapshot : null,
  );
  const archived =
    stored === undefined && base !== undefined ? context.store.archivedRun(runId) : undefined;
  const own = stored ?? archived;
  const isPurged = own === undefined && before !== null && purgedAt !== undefined;
  const mine =
    own !== undefined
      ? toSnapshot(localRun(context, own), before, place)
      : isPurged
        ? toSnapshot(purgedRun(runId, before, purgedAt), before, place)
        : null;
  const isChanged = mine !== null && (before === null || !sameContent(mine, before));
  const isAhead = local !== undefined && local.commit !== tracking?.commit;
  const isBehind = tracking !== undefined && tracking.commit !== base;
  const known = (local ?? tracking)?.isEnded === true;
  const state = ((): RunSyncState => {
    if (own === undefined && base !== undefined) {
      if (isPurged && tracking !== undefined && (isChanged || isAhead)) return 'to_send';
      return isPurged || known ? 'ended' : 'removed_here';
    }
    if (own === undefined) return known ? 'ended' : 'to_receive';
    if (isBehind && (isChanged || (isAhead && local.commit !== base))) return 'to_merge';
    if (isChanged || (isAhead && (tracking === undefined || local.commit === base)))
      return 'to_send';
    if (isBehind) return 'to_receive';
    return archived !== undefined ? 'ended' : 'in_step';
  })();
  const newest = mine ?? here ?? there;
  return {
    run: {
      run_id: runId,
      state,
      is_new: state === 'to_send' && tracking === undefined,
      fields: changedFields(there, newest, state),
    },
    snapshot: here ?? there ?? mine,
    // What is in the archive unchanged is not sent again.
    outgoing:
      own === undefined || mine === null || (stored === undefined && !isChanged)
        ? null
        : { run: own, snapshot: mine },
  };
}

/** The commit of a run that was never in step here, but copied from where it was. */
function copiedFrom(
  context: OperationContext,
  place: SyncedClone['place'],
  objects: RunObjects,
  { stored, refs }: { stored: StoredRun | undefined; refs: RunRefs },
): string | undefined {
  if (stored === undefined) return undefined;
  const known = { local: refs.local?.commit, tracking: refs.tracking?.commit };
  const commits = commitsOf(objects, stored.runId);
  return copiedCommit(commits, localRun(context, stored), known, place);
}

function defectIn(
  readings: readonly (SnapshotReading | null)[],
  stored: StoredRun | undefined,
): SnapshotDefect | null {
  const unreadable = readings.find((reading) => reading?.kind === 'defect');
  if (unreadable?.kind === 'defect') return unreadable.defect;
  const isNewer = stored !== undefined && isFromNewerVersion(stored.state);
  return isNewer ? { kind: 'newer', version: null } : null;
}

function changedFields(
  before: Snapshot | null,
  after: Snapshot | null,
  state: RunSyncState,
): string[] {
  if (after === null || (state !== 'to_send' && state !== 'to_merge')) return [];
  const keys = new Set([...Object.keys(before?.state ?? {}), ...Object.keys(after.state)]);
  const changed = [...keys].filter((key) => !sameJson(before?.state[key], after.state[key]));
  const isJournal = !sameJson(before?.journals, after.journals);
  return [...changed, ...(isJournal ? ['journal'] : [])];
}
