import { basename, dirname, join, relative, sep } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { digestOf } from '../../io/digest.ts';
import { isGitFolder } from '../../io/git.ts';
import { edit, editedIn, original } from './edited-file.ts';
import { patternFor, withoutPatterns, withPatterns } from './git-exclude.ts';
import type { Excluded, Install } from '../record/record.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import type { Places } from './scopes.ts';
import type { Change, Disk, Edits, InitRequest, PlanRequest } from '../types.ts';

export interface OtherInstalls {
  /** The installations that stay. */
  others: readonly Install[];
  /** What was hidden for installations that are no more. */
  obsolete: readonly Excluded[];
}

/** What is for one user only is nothing that git should show. */
export function initExcludes(
  request: InitRequest,
  excluded: readonly Excluded[],
  former: Install | undefined,
  { others, obsolete }: OtherInstalls,
): Edits {
  const { disk } = request;
  const needed = [...excluded, ...others.flatMap((install) => install.excluded)];
  const edits = filesOf([...excluded, ...obsolete]).map((path) => {
    const before = listAt(disk, path);
    const wanted = patternsIn(excluded, path);
    const unneeded = patternsIn(obsolete, path).filter(
      (pattern) => !patternsIn(needed, path).includes(pattern),
    );
    const tidy = withoutPatterns(before ?? '', unneeded);
    const isThere = wanted.every((pattern) => tidy.split(/\r?\n/).includes(pattern));
    const changed = isThere ? tidy : withPatterns(tidy, wanted);
    const after = before === null && changed === '' ? null : changed;
    if (wanted.length === 0)
      return { changes: changeOf(path, before, after), backups: [], edited: [] };
    const left = before === null ? null : withoutPatterns(before, [...wanted, ...unneeded]);
    const first = original(disk, editedIn(former, path));
    const without = first === null && left === '' ? null : left;
    return edit(request, { path, before, after, without }, former);
  });
  return {
    changes: edits.flatMap(({ changes }) => changes),
    backups: edits.flatMap(({ backups }) => backups),
    edited: edits.flatMap(({ edited }) => edited),
  };
}

export function removeExcludes(
  { disk }: PlanRequest,
  former: Install | undefined,
  { others, obsolete }: OtherInstalls,
): Change[] {
  const needed = others.flatMap(({ excluded }) => excluded);
  return filesOf(obsolete).flatMap((path) => {
    const before = listAt(disk, path);
    if (before === null) return [];
    const known = editedIn(former, path);
    const first = original(disk, known);
    const stay = patternsIn(needed, path);
    const isAsWritten = digestOf(before) === known?.written && stay.length === 0;
    if (isAsWritten && first !== undefined) return changeOf(path, before, first);
    const unneeded = patternsIn(obsolete, path).filter((pattern) => !stay.includes(pattern));
    const left = withoutPatterns(before, unneeded);
    return changeOf(path, before, typeof first !== 'string' && left === '' ? null : left);
  });
}

/** What an installation of this scope keeps out of git's sight; its commands and skill only where they are its own. */
export function excludesFor(
  { scope, config, disk }: PlanRequest,
  places: Places,
  hasFiles: boolean,
): Excluded[] {
  const home = folderPatterns(disk, [runtimeFolder(config)]);
  if (scope === 'project') return home;
  const { settings, commands, skill } = places;
  const itself = join(disk.real(dirname(settings)), basename(settings));
  const files = [...new Set([itself, disk.real(settings)])];
  return [
    ...home,
    ...files.flatMap((path) => patternOf(disk, path, false)),
    ...(hasFiles ? folderPatterns(disk, [commands, skill]) : []),
  ];
}

export function folderPatterns(disk: Disk, folders: readonly string[]): Excluded[] {
  return folders.flatMap((folder) => patternOf(disk, disk.real(folder), true));
}

/** git looks through no link, so the path is a real one. */
function patternOf(disk: Disk, path: string, isFolder: boolean): Excluded[] {
  const exclude = disk.excludeFor(path);
  if (exclude === undefined || !isGitFolder(folderOf(exclude.file), exclude.top)) return [];
  const inside = relative(exclude.top, path).split(sep).join('/');
  return [{ file: exclude.file, pattern: patternFor(inside, isFolder) }];
}

/** A link in its place could lead to any file of the user's, which git's patterns would spoil. */
function listAt(disk: Disk, path: string): string | null {
  if (disk.real(path) !== join(disk.real(folderOf(path)), 'info', basename(path)))
    throw new HoldfastError({ code: 'not_a_file', path });
  return disk.read(path);
}

function folderOf(exclude: string): string {
  return dirname(dirname(exclude));
}

function filesOf(excluded: readonly Excluded[]): string[] {
  return [...new Set(excluded.map(({ file }) => file))];
}

function patternsIn(excluded: readonly Excluded[], file: string): string[] {
  return excluded.filter((entry) => entry.file === file).map(({ pattern }) => pattern);
}

function changeOf(path: string, before: string | null, after: string | null): Change[] {
  return after === before ? [] : [{ path, before, after }];
}
