import { HoldfastError } from '../text/holdfast-error.ts';
import { endRun } from '../runs/move-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { holderOf, machineOfHolder } from '../sessions/holder.ts';
import { recencyOf } from '../sessions/select-run.ts';
import { isEnded, phaseWords } from '../state/phases.ts';
import type { NewEvent } from '../state/journal.ts';
import { isArchived, archivedState, isReplaced } from '../state/paths.ts';
import {
  adoptRun,
  forgetPurged,
  purgedRuns,
  replaceJournal,
} from '../state/store/foreign-runs.ts';
import { addMessage } from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import type { FieldConflict, StoredRun } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { openClone, requireOn, type SyncedClone } from './clone.ts';
import { GitCommits } from './commits.ts';
import { localJournal } from './journals.ts';
import { outgoing, planRun } from './merge.ts';
import {
  appliedState,
  arrivedState,
  newConflicts,
  type LocalRun,
} from './portable.ts';
import { listRefs, listRefsBelowRuns, removeRefs, updateRefs } from './refs.ts';
import {
  newerVersion,
  notARun,
  sameContent,
  UnreadableRun,
  type Snapshot,
} from './commits.ts';
import { fetchRuns, pushRefs } from './transport.ts';
import {
  readArchivedRun,
  isNewerFormat,
  readJournalOf,
} from '../state/store/run-files.ts';
import {
  hasNewSecret,
  withheldFields,
  type WithheldField,
} from './withheld.ts';

/** What a sync did with which runs. */
export class SyncReport {
  readonly sent: string[] = [];
  readonly arrived: string[] = [];
  readonly updated: string[] = [];
  /** They ended on another machine. */
  readonly ended: string[] = [];
  /** A session on another machine has taken them from one here. */
  readonly taken_over: string[] = [];
  readonly conflicts: ({ run: string } & FieldConflict)[] = [];
  readonly skipped: { run: string; reason: string }[] = [];
  /** What looks like a secret: its runs stay as they are, here and on the remote. */
  secrets: WithheldField[] = [];
  /** The remote has them but does not list them, so that no other machine gets them. */
  readonly hidden: string[] = [];
  /** Their history on the remote was replaced. */
  readonly rewritten: string[] = [];

  constructor(readonly remote: string) {}
}

const MAX_TRIES = 3;

/** Fetches, merges and pushes; `sync on` only receives. If any of that fails, the state files still have everything. */
export async function syncRuns(
  context: OperationContext,
  { timeoutMs, sends }: { timeoutMs: number; sends: boolean },
): Promise<SyncReport> {
  const clone = requireOn(openClone(context), context);
  const report = new SyncReport(clone.remote);
  for (let attempt = 1; ; attempt += 1) {
    await fetchAll(clone, timeoutMs, report);
    const work = openWork(context, clone);
    // Another machine has pruned these runs; sending them again would bring them back.
    const pruned = prunable(work, 'local');
    removeRefs(clone, work.refs, pruned);
    for (const runId of pruned) work.refs.delete(runId);
    if (sends) startAnew(work);
    reconcileAll(work, sends, report);
    const behind = sends ? await pushAll(work, timeoutMs, report) : [];
    if (behind.length === 0) break;
    if (attempt === MAX_TRIES)
      throw new HoldfastError(
        'sync_contended',
        `other machines changed ${behind.join(', ')} on ${asWord(clone.remote)} during each of ${MAX_TRIES} tries`,
        {
          hint: 'try again in a moment; nothing is lost: your runs are stored here',
        },
      );
  }
  const purged = purgedRuns(context.root);
  if (sends && purged.size > 0)
    context.store.transaction((tx) => forgetPurged(tx, purged.keys()));
  return report;
}

/** The runs of this project that may have something to sync, by run id. */
function storedRuns({ store }: OperationContext): Map<string, StoredRun> {
  const runs = store.list().runs.filter(({ runId }) => !isReplaced(runId));
  return new Map(runs.map((run) => [run.runId, run]));
}

function localRun({ store }: OperationContext, run: StoredRun): LocalRun {
  const { runId, state } = run;
  const at = new Date(recencyOf(run)).toISOString();
  return { runId, state, journal: readJournalOf(store.root, run), at };
}

async function fetchAll(
  clone: SyncedClone,
  timeoutMs: number,
  report: SyncReport,
): Promise<void> {
  const forced = await fetchRuns(clone, timeoutMs);
  if (forced.length === 0) return;
  // What the remote had is part of the run here, so nothing is lost by forgetting it; then the new history is merged.
  for (const runId of forced) addOnce(report.rewritten, runId);
  removeRefs(clone, listRefs(clone), forced, ['tracking']);
  await fetchRuns(clone, timeoutMs);
}

/** What is known of all runs, here and of the remote. */
export type Work = ReturnType<typeof openWork>;

export const openWork = (context: OperationContext, clone: SyncedClone) => ({
  context,
  clone,
  commits: new GitCommits(clone.git),
  stored: storedRuns(context),
  refs: listRefs(clone),
  refsBelowRuns: listRefsBelowRuns(clone),
  /** When each run was purged here whose end is not sent yet. */
  purged: purgedRuns(context.root),
});

/** The run as it may leave this machine; null if it has none. Throws if anything that is known of it is not a run. */
export function ownRun(work: Work, runId: string) {
  const { context, clone, commits, stored, refs, purged } = work;
  const below = work.refsBelowRuns.get(runId);
  if (below !== undefined) throw inTheWay(clone.remote, below);
  const runRefs = refs.get(runId) ?? {};
  const sides = Object.values(runRefs).map(({ commit }) =>
    commits.read(commit),
  );
  if (sides.some(({ snapshot }) => snapshot.state['run_id'] !== runId))
    throw notARun();
  const found = stored.get(runId) ?? readArchivedRun(context.store.root, runId);
  if (found !== undefined && isNewerFormat(found.state)) throw newerVersion();
  // A record in the archive that was never in step says nothing about the run that others continue, unless this machine
  // has written to it: its refs were pruned, and a machine that was away for so long still has it open.
  const { tracking, base } = runRefs;
  const isOwn =
    found !== undefined &&
    (base !== undefined ||
      !isArchived(found) ||
      (tracking?.isEnded === false &&
        commits.read(tracking.commit).snapshot.machines[clone.place.machine] !==
          undefined));
  const outgoingOf = (run: LocalRun) =>
    outgoing(commits, run, runRefs, clone.place);
  if (isOwn) return { stored: found, ...outgoingOf(localRun(context, found)) };
  const at = purged.get(runId);
  if (base === undefined || at === undefined) return null;
  const run = purgedRun(runId, commits.read(base.commit).snapshot, at);
  return { stored: undefined, ...outgoingOf(run) };
}

/** What looks like a secret in what a run would send to the remote. */
export function secretsOf(
  { clone, commits, refs }: Work,
  runId: string,
  own: ReturnType<typeof ownRun>,
): WithheldField[] {
  if (own?.stored === undefined) return [];
  const { local, tracking, base } = refs.get(runId) ?? {};
  // Another remote may have taken what this one was never sent.
  const isNews = own.isChanged || local?.commit !== tracking?.commit;
  if (!isNews) return [];
  // Without a ref there, the remote has nothing of the run.
  const sent =
    tracking === undefined
      ? []
      : [tracking, base].flatMap((ref) => ref?.commit ?? []);
  const snapshots = sent.map((commit) => commits.read(commit).snapshot);
  return withheldFields(own.stored, own.mine, snapshots, clone);
}

function inTheWay(remote: string, ref: string): UnreadableRun {
  const command = `git push ${proposedWord(remote, '<remote>')} --delete ${proposedWord(ref, '<ref>')}`;
  return new UnreadableRun(
    `${asWord(remote)} has ${asWord(ref)}, and git allows no ref above another one; \`${command}\` removes it`,
  );
}

/** A run that was purged here: as it was last in step, because nothing else is left of it, and ended. */
function purgedRun(runId: string, { state }: Snapshot, at: string): LocalRun {
  if (isEnded(state)) return { runId, state, journal: [], at };
  const { status_reason: _reason, phase, ...rest } = state;
  return {
    runId,
    state: {
      ...rest,
      phase: { ...phase, status: 'completed' },
      status: 'completed',
    },
    journal: [{ at, event: 'completed', phase }],
    at,
  };
}

/**
 * A remote that lists nothing of a run would get its whole history. Where something in that looks like a secret, because
 * another remote has taken it, or because the ref was deleted on this one to get rid of it, the run gets a new history that
 * begins with what it is now.
 */
function startAnew(work: Work): void {
  const { clone, commits, stored, refs } = work;
  const hasSecret = (commit: string): boolean =>
    commits.history(commit).some((earlier) => {
      const reading = commits.tryRead(earlier);
      return (
        !(reading instanceof UnreadableRun) && hasNewSecret(reading, clone)
      );
    });
  const affected = [...refs].flatMap(([runId, { local, tracking }]) => {
    const isMeant =
      local !== undefined && tracking === undefined && stored.has(runId);
    return isMeant && hasSecret(local.commit) ? [runId] : [];
  });
  if (affected.length === 0) return;
  removeRefs(clone, refs, affected, ['local', 'base']);
  work.refs = listRefs(clone);
}

/** Brings every run together with what is known of it elsewhere. Without sending, only those that were never here. */
function reconcileAll(work: Work, sends: boolean, report: SyncReport): void {
  const { stored, refs } = work;
  for (const runId of new Set([...stored.keys(), ...refs.keys()])) {
    const { local, tracking, base } = refs.get(runId) ?? {};
    const isKnown = stored.has(runId) || base !== undefined;
    // A run that ended elsewhere and was never here has nothing to do.
    if (isKnown ? !sends : (local ?? tracking)?.isEnded === true) continue;
    const reason = reconcileRun(work, runId, report);
    if (reason !== null && report.skipped.every(({ run }) => run !== runId))
      report.skipped.push({ run: runId, reason });
  }
}

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
      work.stored = storedRuns(work.context);
      work.refs = listRefs(work.clone);
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
  const { clone, commits, refs } = work;
  const runRefs = refs.get(runId) ?? {};
  const own = ownRun(work, runId);
  // Before any commit, so that no secret is ever in the history of a ref.
  const secrets = secretsOf(work, runId, own);
  report.secrets = [
    ...report.secrets.filter(({ run }) => run !== runId),
    ...secrets,
  ];
  if (secrets.length > 0) return true;
  const commit = planRun(commits, own, runRefs);
  if (commit === undefined) return true;
  const { snapshot } = commits.read(commit);
  const update = (...kinds: ('local' | 'base')[]): boolean =>
    updateRefs(
      clone,
      kinds.map((kind) => ({
        kind,
        runId,
        from: runRefs[kind]?.commit,
        to: commit,
      })),
    );
  if (own !== null && sameContent(own.mine, snapshot))
    return update('local', 'base');
  if (own === null && runRefs.base === undefined) {
    if (isEnded(snapshot.state)) return true;
    if (!update('local')) return false;
    receive(work, runId, snapshot);
    addOnce(report.arrived, runId);
    return update('base');
  }
  if (!update('local')) return false;
  // Deleted by hand or purged here: it stays away.
  if (own?.stored === undefined) return true;
  const conflicts = applyTo(work, own.stored, own.mine, snapshot);
  if (conflicts === null) return false;
  addOnce(report.updated, runId);
  if (isEnded(snapshot.state) && !isEnded(own.stored.state))
    addOnce(report.ended, runId);
  const [before, after] = [
    machineOfHolder(own.mine.state),
    machineOfHolder(snapshot.state),
  ];
  if (before !== null && after !== null && before !== after)
    addOnce(report.taken_over, runId);
  report.conflicts.push(
    ...conflicts.map((conflict) => ({ run: runId, ...conflict })),
  );
  return update('base');
}

function receive(
  { context, clone }: Work,
  runId: string,
  snapshot: Snapshot,
): void {
  const { store } = context;
  const state = arrivedState(snapshot);
  const events = localJournal([], snapshot.journals, clone.place.machine);
  const wasArchived = readArchivedRun(store.root, runId) !== undefined;
  store.transaction((tx) => {
    if (tx.runs.some((run) => run.runId === runId)) return;
    const event: NewEvent = { event: 'reopened', machine: 'sync' };
    const restored = wasArchived
      ? tx.restoreArchived(runId, event, () => state)
      : undefined;
    if (restored === undefined)
      adoptRun(tx, { runId, slug: slugOf(state.workflow) }, state, events);
    else replaceJournal(tx, restored, events);
  });
}

/** What the merge decided; null if the state file was changed meanwhile. */
function applyTo(
  { context, clone }: Work,
  own: StoredRun,
  mine: Snapshot,
  snapshot: Snapshot,
) {
  const { now, store } = context;
  const { machine } = clone.place;
  return store.transaction((tx) => {
    const wasArchived = isArchived(own);
    const current = wasArchived
      ? readArchivedRun(store.root, own.runId)
      : tx.reread(own);
    if (current === undefined || !sameJson(current.state, own.state))
      return null;
    const journal = readJournalOf(store.root, current);
    const state = appliedState(current.state, mine, snapshot, {
      machine,
      now,
      journal,
    });
    const events = localJournal(journal, snapshot.journals, machine);
    const isFinal = isEnded(state);
    const event: NewEvent = {
      event: isFinal ? 'ended' : 'reopened',
      machine: 'sync',
    };
    const written =
      isFinal === wasArchived
        ? tx.write(current, state)
        : isFinal
          ? endRun(context, context.caller, tx, current, state, event, false)
          : tx.restoreArchived(own.runId, event, () => state);
    if (written === undefined) return null;
    tellFormerHolder(context, tx, current, written);
    const path = isFinal ? archivedState(written.runId) : written.path;
    replaceJournal(tx, { ...written, path }, events);
    return newConflicts(mine, snapshot, journal);
  });
}

/** A session here whose run went on or ended elsewhere is told at its next prompt or command. */
function tellFormerHolder(
  { now }: OperationContext,
  tx: Transaction,
  before: StoredRun,
  { runId, state }: StoredRun,
): void {
  const former = holderOf(before.state);
  const holder = holderOf(state);
  const machine = machineOfHolder(state);
  const run = `${asWord(state.workflow)} (${runId}), which this session held`;
  const isOver = isEnded(state);
  if (
    former === null ||
    (isOver ? isEnded(before.state) : holder === former || machine === null)
  )
    return;
  const text = isOver
    ? `${run}, was ${state.status} on another machine; \`holdfast reopen ${runId}\` brings it back`
    : `session ${shortId(holder ?? '')} on machine ${asWord(machine ?? '')} took ${run}; it is at phase ${phaseWords(state.phase)} there, and \`holdfast resume ${runId}\` takes it back`;
  tx.saveHookState(
    addMessage(tx.hookState, former, { at: now.getTime(), text }),
  );
}

/** Returns the runs that the remote has changed meanwhile. */
async function pushAll(
  { context, clone, stored }: Work,
  timeoutMs: number,
  report: SyncReport,
) {
  const skipped = new Set(
    [...report.skipped, ...report.secrets].map(({ run }) => run),
  );
  const waiting = [...listRefs(clone)].flatMap(
    ([runId, { local, tracking, base }]) => {
      const [from, to] = [tracking?.commit, local?.commit];
      if (to === undefined || to === from || skipped.has(runId)) return [];
      // A run of this machine that is gone before anybody else had it: nobody has to learn that it existed.
      const isHere =
        stored.has(runId) ||
        readArchivedRun(context.store.root, runId) !== undefined;
      if (from === undefined && base !== undefined && !isHere) return [];
      return [{ kind: 'tracking' as const, runId, from, to }];
    },
  );
  if (waiting.length === 0) return [];
  const { accepted, unchanged, behind, failure } = await pushRefs(
    clone,
    waiting,
    timeoutMs,
  );
  // If this fails, the next fetch brings them.
  updateRefs(
    clone,
    waiting.filter(({ runId }) => accepted.includes(runId)),
  );
  for (const runId of accepted)
    addOnce(unchanged.includes(runId) ? report.hidden : report.sent, runId);
  if (failure !== null) throw failure;
  return behind;
}

/** Each run is named once, although it may take several tries. */
function addOnce(list: string[], runId: string): void {
  if (!list.includes(runId)) list.push(runId);
}

/** Runs of the remote, or runs here that it has no more, that ended more than 30 days ago. */
function prunable(
  { context, commits, refs }: Work,
  kind: 'local' | 'tracking',
): string[] {
  return [...refs].flatMap(([runId, { [kind]: ref, tracking }]) => {
    const isMeant = kind === 'tracking' || tracking === undefined;
    if (!isMeant || ref?.isEnded !== true) return [];
    const reading = commits.tryRead(ref.commit);
    const endedAt = reading instanceof UnreadableRun ? null : reading.endedAt;
    const age = context.now.getTime() - Date.parse(endedAt ?? '');
    return age > 30 * 24 * 3_600_000 ? [runId] : [];
  });
}

/** Runs whose state file was deleted here by hand stay away; who switches sync on again wants them back. */
export function forgetRemoved(
  context: OperationContext,
  clone: SyncedClone,
): void {
  const { stored, refs, purged } = openWork(context, clone);
  const isGone = (runId: string): boolean =>
    !stored.has(runId) &&
    !purged.has(runId) &&
    readArchivedRun(context.store.root, runId) === undefined;
  const gone = [...refs.keys()].filter(
    (id) => refs.get(id)?.base?.isEnded === false && isGone(id),
  );
  removeRefs(clone, refs, gone, ['base']);
}

/** Removes runs that ended long ago from the remote. A run that was reopened meanwhile stays. */
export async function pruneRuns(
  context: OperationContext,
  { timeoutMs, dryRun }: { timeoutMs: number; dryRun: boolean },
): Promise<{ remote: string; pruned: string[] }> {
  const clone = requireOn(openClone(context), context);
  const { remote } = clone;
  await fetchRuns(clone, timeoutMs);
  const work = openWork(context, clone);
  const old = prunable(work, 'tracking');
  if (dryRun) return { remote, pruned: old };
  const pushes = old.map((runId) => {
    return { runId, to: null, from: work.refs.get(runId)?.tracking?.commit };
  });
  const { accepted, failure } = await pushRefs(clone, pushes, timeoutMs);
  removeRefs(clone, work.refs, accepted);
  if (failure !== null) throw failure;
  return { remote, pruned: accepted };
}
