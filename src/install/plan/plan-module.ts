import { basename, join } from 'node:path';
import { digestOf } from '../../io/digest.ts';
import type { Install, ModuleFile } from '../record/record.ts';
import type { Change, Disk, InitRequest, PlanRequest } from '../types.ts';
import { moduleFiles, PROGRAM_FILE } from './module-files.ts';
import { readIfText } from './owned-files.ts';
import type { Places } from './scopes.ts';

interface InitModule {
  changes: Change[];
  kept: string[];
  foreign: string[];
  /** The files that belong to this installation. */
  module: ModuleFile[];
}

/**
 * All files or none: a module that is partly someone else's would run code that nobody has looked at as a whole. In a
 * project's own files it would run in the clients of everyone who opens the project, so that scope gets none.
 */
export function initModule(
  request: InitRequest,
  places: Places,
  former: Install | undefined,
): InitModule {
  const { scope, disk, hasPlugin, module: source } = request;
  if (scope === 'project' || hasPlugin || source === null)
    return { ...removeModule(request, places, former), foreign: [], module: [] };
  const tracked = new Set(
    scope === 'local' && disk.isFolder(places.skill)
      ? disk.trackedIn(places.skill).map((name) => join(places.skill, name))
      : [],
  );
  const files = [...moduleFiles(places.skill, source)].map(([path, after]) => ({
    path,
    after,
    before: readIfText(disk, path),
    look: tracked.has(path) ? ('foreign' as const) : inspect(disk, path, former, after),
  }));
  const recorded = former?.module ?? [];
  const kept = pathsOf('changed', files);
  const foreign = pathsOf('foreign', files);
  if (kept.length + foreign.length > 0) return { changes: [], kept, foreign, module: recorded };
  return {
    changes: files.flatMap(({ path, before, after }) =>
      before === after || before === undefined ? [] : [{ path, before, after }],
    ),
    kept,
    foreign,
    module: files.map(({ path, after }) => ({ path, written: digestOf(after) })),
  };
}

export function removeModule(
  request: PlanRequest,
  places: Places,
  former: Install | undefined,
): { changes: Change[]; kept: string[] } {
  const { disk } = request;
  const files = candidates(request, places, former).map(({ path, expected }) => ({
    path,
    before: readIfText(disk, path) ?? null,
    look: inspect(disk, path, former, expected),
  }));
  return {
    changes: files
      .filter(({ look }) => look === 'ours')
      .map(({ path, before }) => ({ path, before, after: null })),
    kept: pathsOf('changed', files),
  };
}

/** Without a record, only what this version writes is known to be ours, and only if no other installation needs it. */
function candidates(
  { scope, installs, disk, module: source }: PlanRequest,
  { skill }: Places,
  former: Install | undefined,
): { path: string; expected?: string | undefined }[] {
  if (former !== undefined) return former.module;
  if (scope === 'project' || source === null) return [];
  const taken = new Set(installs.installs.flatMap(({ module: files }) => files.map(pathOf)));
  return [...moduleFiles(skill, source)]
    .filter(([path]) => !taken.has(path))
    .map(([path, text]) => ({
      path,
      // Another configuration folder has another copy of holdfast.
      expected: basename(path) === PROGRAM_FILE ? ownProgram(readIfText(disk, path)) : text,
    }));
}

function ownProgram(text: string | null | undefined): string | undefined {
  const isOurs =
    typeof text === 'string' && /^\[\s*"[^"\n]+",\s*"[^"\n]*holdfast\.cjs"\s*\]\s*$/.test(text);
  return isOurs ? text : undefined;
}

function pathOf({ path }: ModuleFile): string {
  return path;
}

type Look = 'absent' | 'ours' | 'changed' | 'foreign';

function inspect(
  disk: Disk,
  path: string,
  former: Install | undefined,
  expected: string | undefined,
): Look {
  const text = readIfText(disk, path);
  if (text === null) return disk.target(path) === path ? 'absent' : 'foreign';
  const recorded = former?.module.find((file) => file.path === path);
  if (text !== undefined && (text === expected || digestOf(text) === recorded?.written))
    return 'ours';
  return recorded === undefined ? 'foreign' : 'changed';
}

function pathsOf(look: Look, files: readonly { path: string; look: Look }[]): string[] {
  return files.filter((file) => file.look === look).map(({ path }) => path);
}
