import type { OperationContext, Project } from '../sessions/open-project.ts';
import { recencyOf } from '../state/recency.ts';
import { isEnded } from '../state/phases.ts';
import { isArchived, isReplaced } from '../state/paths.ts';
import { purgedRuns } from '../state/store/foreign-runs.ts';
import { readJournalOf } from '../state/store/journal-files.ts';
import { readArchivedRun } from '../state/store/run-files.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import type { Run } from '../state/types.ts';
import { asWord } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import type { SyncedClone } from './clone.ts';
import {
  GitCommits,
  newerVersion,
  notARun,
  UnreadableRun,
  type Snapshot,
} from './commits.ts';
import { outgoing, type Outgoing } from './plan.ts';
import type { LocalRun } from './portable.ts';
import { listRefs, listRefsBelowRuns, type RunRefs } from './refs.ts';
import { withheldFields, type WithheldField } from './withheld.ts';

/** What is known of all runs, here and of the remote. */
export interface Work {
  context: OperationContext;
  clone: SyncedClone;
  commits: GitCommits;
  /** The runs of this project that may have something to sync, by run id. */
  stored: Map<string, Run>;
  refs: Map<string, RunRefs>;
  refsBelowRuns: Map<string, string>;
  /** When each run was purged here whose end is not sent yet. */
  purged: ReadonlyMap<string, string>;
}

export function openWork(context: OperationContext, clone: SyncedClone): Work {
  return {
    context,
    clone,
    commits: new GitCommits(clone.git),
    stored: storedRuns(context),
    refs: listRefs(clone),
    refsBelowRuns: listRefsBelowRuns(clone),
    purged: purgedRuns(context.root),
  };
}

/** To be called when a file or a ref was changed meanwhile. */
export function reopenWork(work: Work): void {
  work.stored = storedRuns(work.context);
  work.refs = listRefs(work.clone);
}

function storedRuns({ store }: Project): Map<string, Run> {
  const runs = store.list().runs.filter(({ runId }) => !isReplaced(runId));
  return new Map(runs.map((run) => [run.runId, run]));
}

/** A run of this machine, as it would leave it. */
export type OwnRun = Outgoing & {
  /** Undefined for a run that was purged: nothing of it is left but what was sent. */
  stored: Run | undefined;
};

/** The run as it may leave this machine; null if it has none. Throws if anything that is known of it is not a run. */
export function ownRun(work: Work, runId: string): OwnRun | null {
  const { context, clone, commits } = work;
  const refs = work.refs.get(runId) ?? {};
  requireRun(work, runId, refs);

  const stored =
    work.stored.get(runId) ?? readArchivedRun(context.store.root, runId);
  if (stored !== undefined && isNewerFormat(stored.state)) throw newerVersion();
  if (stored !== undefined && isOfThisMachine(work, stored, refs)) {
    const run = localRun(context, stored);
    return { stored, ...outgoing(commits, run, refs, clone.place) };
  }

  const purgedAt = work.purged.get(runId);
  if (refs.base === undefined || purgedAt === undefined) return null;
  const { snapshot } = commits.read(refs.base.commit);
  const run = purgedRun(runId, snapshot, purgedAt);
  return { stored: undefined, ...outgoing(commits, run, refs, clone.place) };
}

/** Throws if the remote has a ref in the way of the run's, or if one of its refs holds something else. */
function requireRun(
  { clone, commits, refsBelowRuns }: Work,
  runId: string,
  refs: RunRefs,
): void {
  const refBelow = refsBelowRuns.get(runId);
  if (refBelow !== undefined) throw inTheWay(clone.remote, refBelow);
  for (const { commit } of Object.values(refs)) {
    const { snapshot } = commits.read(commit);
    if (snapshot.state['run_id'] !== runId) throw notARun();
  }
}

function inTheWay(remote: string, ref: string): UnreadableRun {
  const command = `git push ${proposedWord(remote, '<remote>')} --delete ${proposedWord(ref, '<ref>')}`;
  return new UnreadableRun(
    `${asWord(remote)} has ${asWord(ref)}, and git allows no ref above another one; \`${command}\` removes it`,
  );
}

/**
 * A record in the archive that was never in step says nothing about the run that others continue, unless this machine
 * has written to it: its refs were pruned, and a machine that was away for so long still has it open.
 */
function isOfThisMachine(
  { clone, commits }: Work,
  stored: Run,
  { tracking, base }: RunRefs,
): boolean {
  if (base !== undefined || !isArchived(stored)) return true;
  if (tracking === undefined || tracking.isEnded) return false;
  const { machines } = commits.read(tracking.commit).snapshot;
  return machines[clone.place.machine] !== undefined;
}

function localRun({ store }: Project, run: Run): LocalRun {
  const { runId, state } = run;
  const at = new Date(recencyOf(run)).toISOString();
  return { runId, state, journal: readJournalOf(store.root, run), at };
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

/** What looks like a secret in what a run would send to the remote. */
export function secretsOf(
  { clone, commits, refs }: Work,
  runId: string,
  own: OwnRun | null,
): WithheldField[] {
  if (own?.stored === undefined) return [];
  const { local, tracking, base } = refs.get(runId) ?? {};
  // Another remote may have taken what this one was never sent.
  const isNews = own.isChanged || local?.commit !== tracking?.commit;
  if (!isNews) return [];

  // Without a ref there, the remote has nothing of the run.
  const sentRefs = tracking === undefined ? [] : [tracking, base];
  const sent = sentRefs
    .filter((ref) => ref !== undefined)
    .map(({ commit }) => commits.read(commit).snapshot);
  return withheldFields(own.stored, own.mine, sent, clone);
}
