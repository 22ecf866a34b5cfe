import { basename, dirname, join, relative, sep } from 'node:path';
import { notAFile } from '../read-whole-file.ts';
import { isGitFolder } from '../../io/git.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import type { Install } from '../record/record.ts';
import type { Change, Disk, PlanRequest } from '../types.ts';
import { patternFor, withExcludeBlock } from './git-exclude.ts';
import { placesOf } from './scopes.ts';

/** A pattern for one exclude file of git. */
interface Excluded {
  file: string;
  pattern: string;
}

type Installed = Pick<Install, 'scope' | 'root' | 'files' | 'module'>;

/** The exclude files that hide the files of an installation. */
export function excludeFilesFor(request: PlanRequest, install: Installed): string[] {
  return [...new Set(excludedFor(request, install, []).map(({ file }) => file))];
}

/**
 * Files installed for one user are excluded from git. The block in each of `files` is written anew for the
 * installations that stay.
 */
export function planExcludes(
  request: PlanRequest,
  files: readonly string[],
  staying: readonly Install[],
): Change[] {
  return [...new Set(files)].flatMap((path) => {
    const before = readExcludeFile(request.disk, path);
    const wanted = staying
      .filter(({ excludes }) => excludes.includes(path))
      .flatMap((install) => excludedFor(request, install, staying))
      .filter(({ file }) => file === path)
      .map(({ pattern }) => pattern);
    const after = withExcludeBlock(before, wanted);
    return after === before ? [] : [{ path, before, after }];
  });
}

function excludedFor(
  { root, config, disk }: PlanRequest,
  install: Installed,
  all: readonly Installed[],
): Excluded[] {
  const home = folderPatterns(disk, [runtimeFolder(config)]);
  if (install.scope === 'project') return home;
  const { settings, commands, skill } = placesOf(install.scope, install.root ?? root, config);
  const itself = join(disk.real(dirname(settings)), basename(settings));
  const settingsFiles = [...new Set([itself, disk.real(settings)])];
  // Slash commands and skill that are installed for the project are to be committed.
  const isShared = all.some(
    ({ scope, root: other, files }) =>
      scope === 'project' && other === install.root && files.length > 0,
  );
  return [
    ...home,
    ...settingsFiles.flatMap((path) => patternOf(disk, path, false)),
    ...(install.files.length > 0 && !isShared
      ? folderPatterns(disk, [commands, skill])
      : modulePatterns(disk, install)),
  ];
}

/** The module is never committed, even if the skill beside it is. */
function modulePatterns(disk: Disk, { module: files }: Installed): Excluded[] {
  return files.flatMap(({ path }) =>
    patternOf(disk, join(disk.real(dirname(path)), basename(path)), false),
  );
}

function folderPatterns(disk: Disk, folders: readonly string[]): Excluded[] {
  return folders.flatMap((folder) => patternOf(disk, disk.real(folder), true));
}

/** `path` has no links in it, because git does not follow them. */
function patternOf(disk: Disk, path: string, isFolder: boolean): Excluded[] {
  const exclude = disk.excludeFor(path);
  if (exclude === undefined || !isGitFolder(gitFolderOf(exclude.file), exclude.top)) return [];
  const inside = relative(exclude.top, path).split(sep).join('/');
  return [{ file: exclude.file, pattern: patternFor(inside, isFolder) }];
}

/** A link in place of the file could lead to any file of the user, which patterns would damage. */
function readExcludeFile(disk: Disk, path: string): string | null {
  if (disk.real(path) !== join(disk.real(gitFolderOf(path)), 'info', basename(path)))
    throw notAFile(path);
  return disk.read(path);
}

function gitFolderOf(excludeFile: string): string {
  return dirname(dirname(excludeFile));
}
