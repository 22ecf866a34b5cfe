/** Names of refs. A run id becomes the last part of a ref as it is, unless git forbids it there. */

const RUNS = 'refs/holdfast/runs';
/** Runs that ended a while ago: apart, so that a prefix of the refs names only runs that may still change. */
const ENDED = 'refs/holdfast/ended';
const REMOTES = 'refs/holdfast/remotes';
/** Git keeps refs below `refs/worktree/` for each worktree alone, as each is a project of its own. */
const BASES = 'refs/worktree/holdfast';

/** What this clone knows of a run: shared by all its worktrees, and what `sync` pushes. */
export function runRef(project: string, runId: string): string {
  return `${RUNS}/${project}/${encodeId(runId)}`;
}

/** Where the remote keeps a run that ended a while ago. */
export function endedRef(project: string, runId: string): string {
  return `${ENDED}/${project}/${encodeId(runId)}`;
}

/** What the remote had when it was last asked. */
export function trackingRef(remote: string, project: string, runId: string): string {
  return `${REMOTES}/${remote}/${project}/${encodeId(runId)}`;
}

/** The same of a run that ended a while ago. No project is called `ended`. */
export function endedTrackingRef(remote: string, project: string, runId: string): string {
  return `${REMOTES}/${remote}/ended/${project}/${encodeId(runId)}`;
}

/** The commit that the state file of this worktree was last in step with. */
export function baseRef(project: string, runId: string): string {
  return `${BASES}/${project}/${encodeId(runId)}`;
}

export interface RefFolders {
  runs: string;
  ended: string;
  tracking: string;
  endedTracking: string;
  bases: string;
}

export function refFolders(remote: string, project: string): RefFolders {
  return {
    runs: `${RUNS}/${project}/`,
    ended: `${ENDED}/${project}/`,
    tracking: `${REMOTES}/${remote}/${project}/`,
    endedTracking: `${REMOTES}/${remote}/ended/${project}/`,
    bases: `${BASES}/${project}/`,
  };
}

/**
 * What to ask the remote for: the runs that may still change, and of those that ended a while ago the named ones.
 * Without a plus sign: git refuses to replace what it has by something that does not continue it.
 */
export function fetchRefspecs(
  { runs, ended, tracking, endedTracking }: RefFolders,
  endedRuns: readonly string[] | 'all',
): string[] {
  // A pattern may match nothing; git fails if a full name is not there.
  const names = endedRuns === 'all' ? [''] : endedRuns.map(encodeId);
  return [
    `${runs}*:${tracking}*`,
    ...names.map((name) => `${ended}${name}*:${endedTracking}${name}*`),
  ];
}

/** The run id in a ref below `folder`; null if no run can have that name. */
export function runIdIn(ref: string, folder: string): string | null {
  const name = ref.startsWith(folder) ? ref.slice(folder.length) : '';
  if (name === '' || name.includes('/')) return null;
  const id = decodeId(name);
  return id !== null && encodeId(id) === name && isSafeId(id) ? id : null;
}

const MAX_ID = 200;

/** The id becomes a file name and a word of commands here, and the ref may come from anybody who can push. */
function isSafeId(id: string): boolean {
  return id.length <= MAX_ID && /^(?!-)[\p{L}\p{M}\p{N}._-]+$/u.test(id) && !id.includes('..');
}

/** A part of a ref must not start or end with a dot, nor end with `.lock`. */
function encodeId(id: string): string {
  return id
    .replace(/%/g, '%25')
    .replace(/^\.|\.$/g, '%2E')
    .replace(/\.lock$/, '%2Elock');
}

function decodeId(name: string): string | null {
  return /%(?!2E|25)/.test(name) ? null : name.replace(/%2E/g, '.').replace(/%25/g, '%');
}
