import { basename, join } from 'node:path';
import fse from 'fs-extra';
import { folderOfRepository, repositoryOf } from '../files/git.ts';
import { hostTitle } from '../hosts/hosts.ts';
import { checkoutOf } from '../sessions/client-process.ts';
import {
  holderOf,
  goneSince,
  lastSeen,
  liveHolder,
  sessionRecord,
  type LivenessContext,
} from '../sessions/holder.ts';
import { byRecency, isActive, recencyOf } from '../sessions/select-run.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { isArchived, isReplaced, STATE_FOLDER } from '../state/paths.ts';
import { isCounted } from '../state/phases.ts';
import { listArchive, listRuns } from '../state/store/run-files.ts';
import type { Run, RunState, StoredRun } from '../state/types.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { nextAction } from '../templates/next.ts';
import {
  phaseStates,
  templateNameOf,
  waitOf,
  type PhaseState,
} from '../state/progress.ts';

export type RunSummary = ReturnType<typeof summaryOf>;

/** A run in a list, as `list --json` prints it and the page gets it. */
export function summaryOf(context: LivenessContext, run: StoredRun) {
  const { workflow, workflow_type, status, phase } = run.state;
  const isStored = isActive(run) && !isArchived(run);
  return {
    run_id: run.runId,
    workflow,
    workflow_type,
    status:
      isReplaced(run.runId) && isArchived(run)
        ? ('replaced' as const)
        : (status ?? 'in_progress'),
    phase,
    skipped: run.state.skipped ?? {},
    updated_at: new Date(recencyOf(run)).toISOString(),
    held_by: isStored ? liveHolder(run.state, context) : null,
    /** When the session that holds it was last seen, if its client is gone; null for any other run. */
    holder_gone: isStored ? goneSince(run.state, context) : null,
    ended_early: run.state.ended_early ?? null,
    path: run.path,
  };
}

/** Why nothing goes on without a person. */
export type Need = 'approval' | 'failed' | 'blocked' | 'holder_gone';

/** A run as the page and `list --everywhere` show it: that of `list --json`, and how it goes on. */
export type RunCard = ReturnType<typeof runCard>;

export type CardContext = LivenessContext & { registry?: SessionRegistry };

export function runCard(run: StoredRun, context: CardContext) {
  const { state } = run;
  const summary = summaryOf(context, run);
  const archived = isArchived(run);
  const holder = archived ? null : holderIn(state, context);
  return {
    ...summary,
    archived,
    template: templateNameOf(state),
    wait:
      archived || (state.status ?? 'in_progress') !== 'in_progress'
        ? null
        : waitOf(run),
    needs: archived ? null : needOf(run, context),
    holder,
    /** How each phase stands; empty if that is not drawn. */
    phases: archived ? [] : phasesIn(run),
    commands: continueCommands(run, summary.status, holder?.live === true),
  };
}

/** Null for a run that goes on by itself, is paused or has ended. */
export function needOf(run: Run, context: LivenessContext): Need | null {
  const { state } = run;
  if (state.status === 'failed') return 'failed';
  if ((state.status ?? 'in_progress') !== 'in_progress') return null;
  if (state.phase.status === 'blocked') return 'blocked';
  if (waitOf(run)?.for === 'approval') return 'approval';
  return goneSince(state, context) === null ? null : 'holder_gone';
}

/** Follows the name of a run. */
export const NEEDS: Readonly<Record<Need, string>> = {
  approval: 'waits for your approval',
  failed: 'failed',
  blocked: 'is blocked',
  holder_gone: 'lost its session',
};

function holderIn(state: RunState, context: CardContext) {
  const session = holderOf(state);
  if (session === null) return null;
  return {
    session,
    /** Empty for Claude Code. */
    host: hostTitle(sessionRecord(state, session)),
    live: liveHolder(state, context) !== null,
    gone: goneSince(state, context) !== null,
    last_seen: lastSeen(sessionRecord(state, session), context),
    /** How full the context was when that was last told, in percent. */
    fill: context.registry?.entry(session)?.fill?.percent ?? null,
  };
}

export type ProjectRun = RunCard & { project: KnownProject };

const CLASSES = ['Needs you', 'Running', 'Other'] as const;

/** Where a list puts the run; a run is running if a live session holds it. */
export function classOf({
  needs,
  status,
  holder,
}: RunCard): (typeof CLASSES)[number] {
  if (needs !== null) return 'Needs you';
  return status === 'in_progress' && holder?.live === true
    ? 'Running'
    : 'Other';
}

/** Those that need a person come first, then worktrees of a repository together. Sources would cost too much. */
export function runsEverywhere(
  context: LivenessContext & { registry: SessionRegistry; root: string },
  withArchived = false,
): ProjectRun[] {
  const runs = knownProjects(context.registry, context.root).flatMap(
    (project) => {
      const here = { ...context, checkout: project.key };
      const archived = withArchived
        ? byRecency(listArchive(project.root).runs)
        : [];
      const listed = [...byRecency(listRuns(project.root).runs), ...archived];
      return listed.map((run) => ({ ...runCard(run, here), project }));
    },
  );
  const latest = new Map<string, string>();
  for (const { project, updated_at: at } of runs)
    if (at > (latest.get(project.repository) ?? ''))
      latest.set(project.repository, at);
  const place = (run: ProjectRun): number => CLASSES.indexOf(classOf(run));
  const time = ({ project }: ProjectRun): string =>
    latest.get(project.repository) ?? '';
  return runs.toSorted(
    (a, b) =>
      place(a) - place(b) ||
      compare(time(b), time(a)) ||
      compare(a.project.name, b.project.name),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The projects that sessions of this user have worked in, and `here`. None is searched for; those that are gone are left out. */
export function knownProjects(
  registry: SessionRegistry,
  here: string,
): KnownProject[] {
  const roots = new Set([
    here,
    ...registry.entries().flatMap(({ project }) => project ?? []),
  ]);
  return [...roots]
    .filter((root) => fse.existsSync(join(root, STATE_FOLDER)))
    .map(projectAt);
}

type KnownProject = ReturnType<typeof projectAt>;

function projectAt(root: string) {
  const own = basename(root);
  const found = repositoryOf(root);
  const repository = found === undefined ? root : folderOfRepository(found);
  return {
    root,
    /** Stands for the root in addresses, and in the records of its sessions. */
    key: checkoutOf(root),
    /** The main checkout, which stands for the repository; the root itself outside of git. */
    repository,
    /** `shop`, and `shop › fix-login` for a worktree or a folder of that repository. */
    name:
      repository === root ? own : `${basename(repository, '.git')} › ${own}`,
  };
}

/** More are drawn as one bar. */
const MAX_PHASES = 24;

export function phasesIn(run: Run): PhaseState[] {
  const { phase } = run.state;
  if (!isCounted(phase) || phase.total > MAX_PHASES) return [];
  const stateOf = phaseStates(run);
  return Array.from({ length: phase.total }, (_, index) => stateOf(index + 1));
}

type ContinueCommand = { label: string; command: string };

/** The first of them in most cases. The page copies these; it never runs anything. */
function continueCommands(
  run: StoredRun,
  status: RunSummary['status'],
  isLive: boolean,
): [ContinueCommand, ...ContinueCommand[]] {
  const name = shellQuote(run.runId);
  if (isArchived(run))
    return [{ label: 'Bring it back', command: `holdfast reopen ${name}` }];
  const resume = {
    label: 'In Claude Code',
    command: `/holdfast:resume ${name}`,
  };
  if (status === 'paused' || status === 'failed')
    return [
      resume,
      { label: 'In a terminal', command: `holdfast resume ${name}` },
    ];
  const { stop } = nextAction(run, 'auto', null).next;
  const end =
    status === 'cancelled' ? `cancel ${name} --reason "…"` : `complete ${name}`;
  if (stop === 'done')
    return [{ label: 'Archive it', command: `holdfast ${end}` }];
  if (stop === 'approval')
    return [
      { label: 'Approve', command: `holdfast approve ${name}` },
      { label: 'Send back', command: `holdfast reject ${name} --feedback "…"` },
    ];
  // Only a session can take a run that is active, and not from a live one.
  return [
    isLive
      ? {
          label: 'Take it from its session',
          command: `holdfast release ${name}`,
        }
      : resume,
    { label: 'Where it stands', command: `holdfast status ${name}` },
  ];
}
