import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { RunState } from '../../state/types.ts';
import { isObject } from '../../util/json.ts';

/** Files that the run needs and that are only in the checkout it comes from: git does not have them. */
export function missingFiles(
  state: RunState,
  { origin, root }: { origin: string; root: string },
): string[] {
  return neededFiles(state).filter(
    (path) => existsSync(join(origin, path)) && !existsSync(join(root, path)),
  );
}

const PROJECT_ROOT = '{project_root}/';

/** Paths from the project's folder; those elsewhere are the same for every checkout. */
function neededFiles({ required_reading, artifacts = {}, source, todo }: RunState): string[] {
  const isDeclared = source?.kind === 'plan' || source?.kind === 'local-file';
  const paths = [
    ...required_reading.map((entry) => entry.replace(/^@/, '')),
    ...Object.values(artifacts),
    ...(isDeclared && source.path !== undefined ? [source.path] : []),
    ...(isObject(todo) && typeof todo['path'] === 'string' ? [todo['path']] : []),
  ].map((path) => (path.startsWith(PROJECT_ROOT) ? path.slice(PROJECT_ROOT.length) : path));
  return [...new Set(paths)].filter(
    (path) => path !== '' && !isAbsolute(path) && !path.startsWith('~'),
  );
}

const MAX_NAMED = 5;

/** What to tell the user before a run works in a worktree that lacks what the checkout has. */
export function describeStaysBehind(
  { uncommitted, missing }: { uncommitted: readonly string[]; missing: readonly string[] },
  { origin, base }: { origin: string; base: string },
): string[] {
  return [
    ...(uncommitted.length === 0
      ? []
      : [
          `changes that are not committed stay in ${origin}: ${named(uncommitted)}; the worktree begins with commit ${base.slice(0, 8)}`,
        ]),
    ...(missing.length === 0
      ? []
      : [
          `the run needs files that the worktree does not have, because git does not have them: ${named(missing)}`,
        ]),
  ];
}

function named(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path).slice(1, -1));
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
