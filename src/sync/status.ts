import type { OperationContext } from '../sessions/open-project.ts';
import { isObject, sameJson, type JsonObject } from '../text/json.ts';
import { openClone, requireOn } from './clone.ts';
import type { Place } from './portable.ts';
import type { KnownRef, RunRefs } from './refs.ts';
import type { WithheldField } from './withheld.ts';
import { UnreadableRun, type Snapshot } from './commits.ts';
import { openWork, ownRun, secretsOf, type OwnRun, type Work } from './work.ts';

export interface SyncStatus {
  remote: string | null;
  remotes: string[];
  project: string;
  machine: string | null;
  runs: RunStatus[];
  secrets: WithheldField[];
  /** What of the runs that wait would leave this machine. */
  outgoing: OutgoingRun[];
}

interface RunStatus {
  run_id: string;
  state: State;
  /** Whether the remote does not have it yet, as far as is known. */
  is_new: boolean;
  /** Those that differ from what the remote had. */
  fields: string[];
  /** Why it cannot be read. */
  reason?: string;
}

interface OutgoingRun {
  run_id: string;
  fields: JsonObject;
  /** So many of its journal. */
  events: number;
}

type State =
  | 'in_step'
  | 'to_send'
  | 'to_receive'
  | 'to_merge'
  | 'ended'
  | 'removed_here'
  /** Something in it looks like a secret. */
  | 'left_out'
  | 'unreadable';

/** What is known without asking the remote. */
export function getSyncStatus(context: OperationContext): SyncStatus {
  const clone = openClone(context);
  const { remote, remotes, project } = clone;
  const status: SyncStatus = {
    remote,
    remotes,
    project,
    machine: null,
    runs: [],
    secrets: [],
    outgoing: [],
  };
  if (remote === null) return status;

  const work = openWork(context, requireOn(clone, context));
  status.machine = work.clone.place.machine;
  for (const runId of new Set([...work.stored.keys(), ...work.refs.keys()])) {
    const { run, secrets, outgoing } = compare(work, runId);
    status.runs.push(run);
    status.secrets.push(...secrets);
    if (outgoing !== null) status.outgoing.push(outgoing);
  }
  return status;
}

/** Whether the next sync sends the run. */
export function isWaiting({ state }: { state: State }): boolean {
  return state === 'to_send' || state === 'to_merge';
}

interface Comparison {
  run: RunStatus;
  secrets: WithheldField[];
  outgoing: OutgoingRun | null;
}

function compare(work: Work, runId: string): Comparison {
  try {
    return compareReadable(work, runId);
  } catch (error) {
    if (!(error instanceof UnreadableRun)) throw error;
    const run: RunStatus = {
      run_id: runId,
      is_new: false,
      fields: [],
      reason: error.message,
      state: 'unreadable',
    };
    return { run, secrets: [], outgoing: null };
  }
}

function compareReadable(work: Work, runId: string): Comparison {
  const { clone, commits, stored } = work;
  const refs = work.refs.get(runId) ?? {};
  const { local, tracking } = refs;
  const own = ownRun(work, runId);
  const isOpen = stored.has(runId);
  const secrets = secretsOf(work, runId, own);
  const state = secrets.length > 0 ? 'left_out' : stateOf(refs, own, isOpen);

  const snapshotOf = (ref: KnownRef | undefined): Snapshot | null =>
    ref === undefined ? null : commits.read(ref.commit).snapshot;
  const waits = isWaiting({ state });
  const run: RunStatus = {
    run_id: runId,
    state,
    is_new: state === 'to_send' && tracking === undefined,
    fields: waits
      ? changedFields(snapshotOf(tracking), own?.mine ?? snapshotOf(local))
      : [],
  };
  const isOutgoing = waits && isOpen && own !== null;
  const outgoing = isOutgoing
    ? outgoingRun(runId, own.mine, clone.place)
    : null;
  return { run, secrets, outgoing };
}

/** How the run compares with what is known of the remote. `isOpen`: it is in a state file, not in the archive. */
function stateOf(
  { local, tracking, base }: RunRefs,
  own: OwnRun | null,
  isOpen: boolean,
): State {
  if (own === null) {
    const hasEnded = (local ?? tracking)?.isEnded === true;
    if (hasEnded) return 'ended';
    // Its state file was deleted by hand.
    return base === undefined ? 'to_receive' : 'removed_here';
  }

  const isAhead = local !== undefined && local.commit !== tracking?.commit;
  if (own.stored === undefined) {
    const isToTell = tracking !== undefined && (own.isChanged || isAhead);
    return isToTell ? 'to_send' : 'ended';
  }

  const isLocalInStep = local?.commit === base?.commit;
  // Another worktree of this clone has merged what is there.
  const hasLocalNews = isAhead && !isLocalInStep;
  const isBehind = tracking !== undefined && tracking.commit !== base?.commit;
  if (isBehind && (own.isChanged || hasLocalNews)) return 'to_merge';
  const isUnsent = isAhead && (tracking === undefined || isLocalInStep);
  if (own.isChanged || isUnsent) return 'to_send';
  if (isBehind) return 'to_receive';
  return isOpen ? 'in_step' : 'ended';
}

function changedFields(
  before: Snapshot | null,
  after: Snapshot | null,
): string[] {
  const keys = new Set([
    ...Object.keys(before?.state ?? {}),
    ...Object.keys(after?.state ?? {}),
  ]);
  const changed = [...keys].filter(
    (key) => !sameJson(before?.state[key], after?.state[key]),
  );
  return sameJson(before?.journals, after?.journals)
    ? changed
    : [...changed, 'journal'];
}

/** Their members are told by their own names. */
const TOLD_BY_MEMBER: ReadonlySet<string> = new Set([
  'context',
  'artifacts',
  'sessions',
]);

function outgoingRun(
  runId: string,
  { state, journals }: Snapshot,
  { machine }: Place,
): OutgoingRun {
  const fields: [string, unknown][] = [];
  for (const [key, value] of Object.entries<unknown>(state)) {
    if (!TOLD_BY_MEMBER.has(key) || !isObject(value)) {
      fields.push([key, value]);
      continue;
    }
    for (const [name, member] of Object.entries(value))
      fields.push([`${key}.${name}`, member]);
  }
  const events = journals[machine]?.length ?? 0;
  return { run_id: runId, fields: Object.fromEntries(fields), events };
}
