/** Names of refs. A run id becomes the last part of a ref as it is, unless git forbids it there. */

const RUNS = 'refs/holdfast/runs';
const REMOTES = 'refs/holdfast/remotes';
/** Git keeps refs below `refs/worktree/` for each worktree alone, as each is a project of its own. */
const BASES = 'refs/worktree/holdfast';

/** What this clone knows of a run: shared by all its worktrees, and what `sync` pushes. */
export function runRef(project: string, runId: string): string {
  return `${RUNS}/${project}/${encodeId(runId)}`;
}

/** What the remote had when it was last asked. */
export function trackingRef(remote: string, project: string, runId: string): string {
  return `${REMOTES}/${remote}/${project}/${encodeId(runId)}`;
}

/** The commit that the state file of this worktree was last in step with. */
export function baseRef(project: string, runId: string): string {
  return `${BASES}/${project}/${encodeId(runId)}`;
}

export interface RefFolders {
  runs: string;
  tracking: string;
  bases: string;
}

export function refFolders(remote: string, project: string): RefFolders {
  return {
    runs: `${RUNS}/${project}/`,
    tracking: `${REMOTES}/${remote}/${project}/`,
    bases: `${BASES}/${project}/`,
  };
}

/**
 * What to ask the remote for. Without a plus sign: git refuses to replace what it has by something that does not
 * continue it.
 */
export function fetchRefspec({ runs, tracking }: RefFolders): string {
  return `${runs}*:${tracking}*`;
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
