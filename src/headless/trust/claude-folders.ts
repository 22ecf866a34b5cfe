import { dirname, join } from 'node:path';
import { repositoryOf } from '../../io/git.ts';
import { entriesIn } from '../../io/folder-entries.ts';

export interface ClaudeFolders {
  /** Folders named `.claude`, absolute. */
  folders: string[];
  /** There are more folders in the project than can be looked at. */
  isIncomplete: boolean;
}

/** Far more than a project has; looking at them takes about two seconds. */
const MAX_FOLDERS = 100_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * The folders from which the client loads agents, skills and slash commands: those of the project and of the folders
 * above it in its repository, and those below, which it discovers when the agent opens a file near them.
 */
export function claudeFolders(
  { root, config }: { root: string; config: string },
  maxFolders = MAX_FOLDERS,
): ClaudeFolders {
  const { found, isIncomplete } = foldersBelow(root, maxFolders);
  const above = foldersAbove(root).map((folder) => join(folder, '.claude'));
  // The one of the user is not the project's.
  const folders = [...above, ...found].filter((folder) => folder !== config);
  return { folders, isIncomplete };
}

/** The folders above the project up to the top of its repository. */
export function foldersAbove(root: string): string[] {
  const top = repositoryOf(root)?.top ?? root;
  const above: string[] = [];
  for (let folder = root; folder !== top && folder !== dirname(folder);) {
    folder = dirname(folder);
    above.push(folder);
  }
  return above;
}

function foldersBelow(
  root: string,
  maxFolders: number,
): { found: string[]; isIncomplete: boolean } {
  const found: string[] = [];
  const waiting = [root];
  for (let count = 0; waiting.length > 0; count += 1) {
    if (count >= maxFolders) return { found, isIncomplete: true };
    const folder = waiting.pop() ?? root;
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === '.claude') found.push(path);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(path);
    }
  }
  return { found: found.toSorted(), isIncomplete: false };
}
