import { relative, sep } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { edit, original } from './edited-file.ts';
import { patternFor, withoutPatterns, withPatterns } from './git-exclude.ts';
import type { Install, Installs } from './record.ts';
import { homeOf } from './runtime-places.ts';
import type { Places } from './scopes.ts';
import type { Change, Edits, InitRequest, Request } from './types.ts';

/** What is for one user only is nothing that git should show. */
export function initExcludes(
  request: InitRequest,
  places: Places,
  former: Install | undefined,
): Edits & Pick<Install, 'excluded'> {
  const { scope, config, disk } = request;
  const hidden = [
    { path: homeOf(config), isFolder: true },
    ...(scope === 'project'
      ? []
      : [
          { path: places.settings, isFolder: false },
          { path: places.commands, isFolder: true },
          { path: places.skill, isFolder: true },
        ]),
  ];
  const excluded = hidden.flatMap(({ path, isFolder }) => {
    const exclude = disk.excludeFor(path);
    if (exclude === undefined) return [];
    const inside = relative(exclude.top, path).split(sep).join('/');
    return [{ file: exclude.file, pattern: patternFor(inside, isFolder) }];
  });
  const edits = [...new Set(excluded.map(({ file }) => file))].map((path) => {
    const before = disk.read(path);
    const patterns = patternsIn(excluded, path);
    const text = before ?? '';
    const isThere = patterns.every((pattern) => text.split(/\r?\n/).includes(pattern));
    const after = isThere ? before : withPatterns(text, patterns);
    const without = before === null ? null : withoutPatterns(before, patterns);
    return edit(request, { path, before, after, without }, former);
  });
  return {
    changes: edits.flatMap(({ changes }) => changes),
    backups: edits.flatMap(({ backups }) => backups),
    edited: edits.flatMap(({ edited }) => edited),
    excluded,
  };
}

export function removeExcludes(
  { disk }: Request,
  former: Install | undefined,
  left: Installs,
): Change[] {
  if (former === undefined) return [];
  const needed = left.installs.flatMap(({ excluded }) => excluded);
  return [...new Set(former.excluded.map(({ file }) => file))].flatMap((path) => {
    const before = disk.read(path);
    if (before === null) return [];
    const known = former.edited.find((entry) => entry.path === path);
    const others = patternsIn(needed, path);
    const patterns = patternsIn(former.excluded, path).filter((one) => !others.includes(one));
    const first = known === undefined ? undefined : original(disk, known);
    const isAsWritten = digestOf(before) === known?.written && others.length === 0;
    const removed = withoutPatterns(before, patterns);
    const after =
      first !== undefined && isAsWritten
        ? first
        : first === null && removed === ''
          ? null
          : removed;
    return after === before ? [] : [{ path, before, after }];
  });
}

function patternsIn(excluded: Install['excluded'], file: string): string[] {
  return excluded.filter((entry) => entry.file === file).map(({ pattern }) => pattern);
}
