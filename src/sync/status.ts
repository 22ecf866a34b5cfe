import type { OperationContext } from '../sessions/open-project.ts';
import { isObject, sameJson, type JsonObject } from '../text/json.ts';
import { openClone, requireOn } from './clone.ts';
import { outgoing, type Outgoing } from './plan.ts';
import type { RunRefs } from './refs.ts';
import { secretsIn, type SecretField } from './secrets.ts';
import { UnreadableRun, type Snapshot } from './snapshot.ts';
import { openWork, ownRun, type Work } from './sync.ts';

/** How a run here compares with what is known of the remote; `removed_here`: its state file was deleted by hand. */
export type RunSyncState =
  | 'in_step'
  | 'to_send'
  | 'to_receive'
  | 'to_merge'
  | 'ended'
  | 'removed_here'
  | 'unreadable';

export interface RunSync {
  run_id: string;
  state: RunSyncState;
  /** Whether the remote does not have it yet, as far as is known. */
  is_new: boolean;
  /** The fields that differ from what the remote had. */
  fields: string[];
  /** Why it is unreadable. */
  reason?: string;
}

export interface SyncStatus {
  remote: string | null;
  remotes: string[];
  project: string;
  machine: string | null;
  runs: RunSync[];
  secrets: SecretField[];
  outgoing: OutgoingRun[];
}

/** What of a run that waits would leave this machine: its fields, and so many events of its journal. */
export type OutgoingRun = { run_id: string; fields: JsonObject; events: number };

/** What is known without asking the remote. */
export function getSyncStatus(context: OperationContext): SyncStatus {
  const clone = openClone(context);
  const { remote, remotes, project } = clone;
  const nothing = { machine: null, runs: [], secrets: [], outgoing: [] };
  if (remote === null || clone.cloneId === null)
    return { remote: null, remotes, project, ...nothing };
  const work = openWork(context, requireOn(clone, context));
  const { machine } = work.clone.place;
  const ids = [...new Set([...work.stored.keys(), ...work.refs.keys()])];
  const compared = ids.map((runId) => compare(work, runId));
  return {
    remote,
    remotes,
    project,
    machine,
    runs: compared.map(({ run }) => run),
    secrets: compared.flatMap(({ secrets }) => secrets),
    outgoing: compared.flatMap(({ run: { run_id, state }, mine }) => {
      if (mine === null || !work.stored.has(run_id) || !isWaiting({ state })) return [];
      const events = (mine.journals[machine] ?? []).length;
      return [{ run_id, fields: flattened(mine.state), events }];
    }),
  };
}

export const isWaiting = ({ state }: Pick<RunSync, 'state'>): boolean =>
  state === 'to_send' || state === 'to_merge';

type Compared = { run: RunSync; mine: Snapshot | null; secrets: SecretField[] };

function compare(work: Work, runId: string): Compared {
  const { clone, commits, refs, stored } = work;
  const runRefs = refs.get(runId) ?? {};
  const { local, tracking } = runRefs;
  try {
    const found = ownRun(work, runId);
    const own = found && outgoing(commits, found.run, runRefs, clone.place);
    const state = stateOf(runRefs, own, found?.stored !== undefined, stored.has(runId));
    const here = local === undefined ? null : commits.read(local.commit).snapshot;
    const there = tracking === undefined ? null : commits.read(tracking.commit).snapshot;
    const mine = own?.mine ?? null;
    // What is in the archive unchanged is not sent again.
    const isChecked = own !== null && (own.isChanged || stored.has(runId));
    const run = found?.stored;
    return {
      run: {
        run_id: runId,
        state,
        is_new: state === 'to_send' && tracking === undefined,
        fields: isWaiting({ state }) ? changedFields(there, mine ?? here) : [],
      },
      mine,
      secrets: run !== undefined && isChecked ? secretsIn(run, own.mine) : [],
    };
  } catch (error) {
    if (!(error instanceof UnreadableRun)) throw error;
    const run = { run_id: runId, is_new: false, fields: [], reason: error.message };
    return { run: { ...run, state: 'unreadable' }, mine: null, secrets: [] };
  }
}

/** `isHere`: in a state file or in the archive; `isOpen`: in a state file. */
function stateOf(
  { local, tracking, base }: RunRefs,
  own: Outgoing | null,
  isHere: boolean,
  isOpen: boolean,
): RunSyncState {
  const isAhead = local !== undefined && local.commit !== tracking?.commit;
  const isBehind = tracking !== undefined && tracking.commit !== base?.commit;
  const isLocalInStep = local?.commit === base?.commit;
  if (own === null) {
    if ((local ?? tracking)?.isEnded === true) return 'ended';
    return base === undefined ? 'to_receive' : 'removed_here';
  }
  if (!isHere) return tracking !== undefined && (own.isChanged || isAhead) ? 'to_send' : 'ended';
  if (isBehind && (own.isChanged || (isAhead && !isLocalInStep))) return 'to_merge';
  if (own.isChanged || (isAhead && (tracking === undefined || isLocalInStep))) return 'to_send';
  if (isBehind) return 'to_receive';
  return isOpen ? 'in_step' : 'ended';
}

function changedFields(before: Snapshot | null, after: Snapshot | null): string[] {
  const keys = new Set([...Object.keys(before?.state ?? {}), ...Object.keys(after?.state ?? {})]);
  const changed = [...keys].filter((key) => !sameJson(before?.state[key], after?.state[key]));
  return sameJson(before?.journals, after?.journals) ? changed : [...changed, 'journal'];
}

/** Facts and sessions by their own names, everything else by its field. */
const flattened = (state: object): JsonObject =>
  Object.fromEntries(
    Object.entries(state).flatMap(([key, value]: [string, unknown]) =>
      ['context', 'artifacts', 'sessions'].includes(key) && isObject(value)
        ? Object.entries(value).map(([name, member]) => [`${key}.${name}`, member])
        : [[key, value]],
    ),
  );
