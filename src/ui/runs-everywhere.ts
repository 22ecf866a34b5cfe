import type { LivenessContext } from '../sessions/liveness.ts';
import { byRecency } from '../state/recency.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { listArchive, listRuns } from '../state/store/run-files.ts';
import { knownProjects, type KnownProject } from './known-projects.ts';
import type { RunCard } from './page-data.ts';
import { runCard } from './run-card.ts';

/** A run, and the project that it belongs to. */
export type ProjectRun = RunCard & { project: KnownProject };

/** The groups of a list of all projects, in their order. */
const GROUPS = ['Needs you', 'Running', 'Other'] as const;
type Group = (typeof GROUPS)[number];

type EverywhereContext = LivenessContext & {
  registry: SessionRegistry;
  /** The project that is asked from. */
  root: string;
};

/**
 * The runs of all known projects: those that need a person come first, then worktrees of a repository together. The sources
 * of the projects are not read, which would cost too much.
 */
export function runsEverywhere(
  context: EverywhereContext,
  withArchived = false,
): ProjectRun[] {
  const projects = knownProjects(context.registry, context.root);
  const runs = projects.flatMap((project) =>
    runsOfProject(project, context, withArchived),
  );
  return inGroups(runs);
}

function runsOfProject(
  project: KnownProject,
  context: EverywhereContext,
  withArchived: boolean,
): ProjectRun[] {
  const stored = byRecency(listRuns(project.root).runs);
  const archived = withArchived
    ? byRecency(listArchive(project.root).runs)
    : [];
  const projectContext = { ...context, checkout: project.key };
  return [...stored, ...archived].map((run) => ({
    ...runCard(run, projectContext),
    project,
  }));
}

/** By group, then the repository that was worked on last, then the name of the project. */
function inGroups(runs: readonly ProjectRun[]): ProjectRun[] {
  const latest = latestByRepository(runs);
  const placeOf = (run: ProjectRun): number => GROUPS.indexOf(groupOf(run));
  const timeOf = ({ project }: ProjectRun): string =>
    latest.get(project.repository) ?? '';

  return runs.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      compareText(timeOf(b), timeOf(a)) ||
      compareText(a.project.name, b.project.name),
  );
}

/** The root of each repository, and when a run of any of its checkouts was last written. */
function latestByRepository(runs: readonly ProjectRun[]): Map<string, string> {
  const latest = new Map<string, string>();
  for (const { project, updated_at: updatedAt } of runs) {
    const known = latest.get(project.repository) ?? '';
    if (updatedAt > known) latest.set(project.repository, updatedAt);
  }
  return latest;
}

/** A run is running if a live session holds it. */
export function groupOf({ needs, status, holder }: RunCard): Group {
  if (needs !== null) return 'Needs you';
  const isRunning = status === 'in_progress' && holder?.live === true;
  return isRunning ? 'Running' : 'Other';
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
