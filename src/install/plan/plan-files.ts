import { ownFiles } from './assets.ts';
import {
  isShared,
  inspectOwnFile,
  findOwnFiles,
  ownedByOthers,
  type OwnFile,
} from './owned-files.ts';
import type { Install } from '../record/record.ts';
import type { Places } from './scopes.ts';
import type { Change, InitRequest, PlanRequest } from '../types.ts';

interface InitFiles {
  changes: Change[];
  kept: string[];
  foreign: string[];
  /** The files that belong to this installation. */
  files: string[];
}

/** The slash commands and the skill. A local installation leaves the project's own files alone. */
export function initFiles(
  request: InitRequest,
  places: Places,
  former: Install | undefined,
  others: readonly Install[],
): InitFiles {
  const { scope, disk, invocation, hasPlugin } = request;
  if (hasPlugin) return { ...removeFiles(request, places, former, others), foreign: [], files: [] };
  const isTaken = ownedByOthers(request, places, scope === 'project' ? [] : others);
  const isLeftToOthers = scope === 'local' && isShared(request);
  const wanted = [...ownFiles(places, invocation)]
    .filter(([path]) => !isTaken(path))
    .filter(([path]) => !isLeftToOthers || former?.files.includes(path) === true)
    .map(([path, after]) => ({ path, after, look: inspectOwnFile(disk, path, former) }));
  const isWanted = new Set(wanted.map(({ path }) => path));
  const outdated = findOwnFiles(request, places, former, others).filter(
    ({ path }) => !isWanted.has(path),
  );
  const written = wanted.flatMap(({ path, after, look }) =>
    look.kind === 'absent' || (look.kind === 'ours' && look.text !== after)
      ? [{ path, before: look.text, after }]
      : [],
  );
  return {
    changes: [...written, ...removals(outdated)],
    kept: pathsOf('changed', wanted),
    foreign: pathsOf('foreign', wanted),
    files: wanted.filter(({ look }) => look.kind !== 'foreign').map(({ path }) => path),
  };
}

export function removeFiles(
  request: PlanRequest,
  places: Places,
  former: Install | undefined,
  others: readonly Install[],
): { changes: Change[]; kept: string[] } {
  const own = findOwnFiles(request, places, former, others);
  return { changes: removals(own), kept: pathsOf('changed', own) };
}

function removals(files: readonly OwnFile[]): Change[] {
  return files.flatMap(({ path, look }) =>
    look.kind === 'ours' ? [{ path, before: look.text, after: null }] : [],
  );
}

function pathsOf(kind: OwnFile['look']['kind'], files: readonly OwnFile[]): string[] {
  return files.filter(({ look }) => look.kind === kind).map(({ path }) => path);
}
