import type { OperationContext } from '../sessions/open-project.ts';
import { isObject, sameJson } from '../text/json.ts';
import { openClone, requireOn } from './clone.ts';
import type { Place } from './portable.ts';
import type { RunRefs } from './refs.ts';
import { UnreadableRun, type Snapshot } from './commits.ts';
import { openWork, ownRun, secretsOf, type OwnRun, type Work } from './work.ts';

export type SyncStatus = ReturnType<typeof getSyncStatus>;

/** What is known without asking the remote. */
export function getSyncStatus(context: OperationContext) {
  const clone = openClone(context);
  const { remote, remotes, project } = clone;
  const work =
    remote === null ? null : openWork(context, requireOn(clone, context));
  const ids = new Set(
    work === null ? [] : [...work.stored.keys(), ...work.refs.keys()],
  );
  const compared =
    work === null ? [] : [...ids].map((runId) => compare(work, runId));
  return {
    remote,
    remotes,
    project,
    machine: work?.clone.place.machine ?? null,
    runs: compared.map(({ run }) => run),
    secrets: compared.flatMap(({ secrets }) => secrets),
    /** What of the runs that wait would leave this machine: their fields, and so many events of their journals. */
    outgoing: compared.flatMap(({ outgoing }) => outgoing),
  };
}

type State =
  | 'in_step'
  | 'to_send'
  | 'to_receive'
  | 'to_merge'
  | 'ended'
  | 'removed_here'
  /** Something in it looks like a secret. */
  | 'left_out';

export const isWaiting = ({
  state,
}: {
  state: State | 'unreadable';
}): boolean => state === 'to_send' || state === 'to_merge';

function compare(work: Work, runId: string) {
  const { clone, commits, refs, stored } = work;
  const runRefs = refs.get(runId) ?? {};
  const { local, tracking } = runRefs;
  try {
    const own = ownRun(work, runId);
    const isOpen = stored.has(runId);
    const secrets = secretsOf(work, runId, own);
    const state =
      secrets.length > 0 ? 'left_out' : stateOf(runRefs, own, isOpen);
    const here =
      local === undefined ? null : commits.read(local.commit).snapshot;
    const there =
      tracking === undefined ? null : commits.read(tracking.commit).snapshot;
    const waits = isWaiting({ state });
    return {
      run: {
        run_id: runId,
        state,
        /** Whether the remote does not have it yet, as far as is known. */
        is_new: state === 'to_send' && tracking === undefined,
        /** Those that differ from what the remote had. */
        fields: waits ? changedFields(there, own?.mine ?? here) : [],
      },
      secrets,
      outgoing:
        own !== null && isOpen && waits
          ? [outgoingRun(runId, own.mine, clone.place)]
          : [],
    };
  } catch (error) {
    if (!(error instanceof UnreadableRun)) throw error;
    const run = {
      run_id: runId,
      is_new: false,
      fields: [],
      reason: error.message,
    };
    return {
      run: { ...run, state: 'unreadable' as const },
      secrets: [],
      outgoing: [],
    };
  }
}

/** How the run compares with what is known of the remote. `isOpen`: it is in a state file, not in the archive. */
function stateOf(
  { local, tracking, base }: RunRefs,
  own: OwnRun | null,
  isOpen: boolean,
): State {
  const isAhead = local !== undefined && local.commit !== tracking?.commit;
  const isBehind = tracking !== undefined && tracking.commit !== base?.commit;
  const isLocalInStep = local?.commit === base?.commit;
  if (own === null) {
    if ((local ?? tracking)?.isEnded === true) return 'ended';
    // Its state file was deleted by hand.
    return base === undefined ? 'to_receive' : 'removed_here';
  }
  if (own.stored === undefined)
    return tracking !== undefined && (own.isChanged || isAhead)
      ? 'to_send'
      : 'ended';
  if (isBehind && (own.isChanged || (isAhead && !isLocalInStep)))
    return 'to_merge';
  if (own.isChanged || (isAhead && (tracking === undefined || isLocalInStep)))
    return 'to_send';
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

/** Facts and sessions by their own names, everything else by its field. */
function outgoingRun(
  runId: string,
  { state, journals }: Snapshot,
  { machine }: Place,
) {
  const fields = Object.entries(state).flatMap(
    ([key, value]: [string, unknown]) =>
      ['context', 'artifacts', 'sessions'].includes(key) && isObject(value)
        ? Object.entries(value).map(([name, member]) => [
            `${key}.${name}`,
            member,
          ])
        : [[key, value]],
  );
  const events = (journals[machine] ?? []).length;
  return { run_id: runId, fields: Object.fromEntries(fields), events };
}
