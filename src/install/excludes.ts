import { basename, dirname, join, relative, sep } from 'node:path';
import { excludeFor, isGitFolder } from '../files/git.ts';
import { realPath, runtimeFolder } from '../files/environment.ts';
import { notAFile } from './disk.ts';
import type { Draft } from './draft.ts';
import { placesOf } from './places.ts';
import type { ExcludePattern, Install } from './record.ts';

/** What hides an installation for one user, and the copy that hooks run, from git. */
export function excludesFor(
  { scope, root, files }: Pick<Install, 'scope' | 'root' | 'files'>,
  config: string,
): ExcludePattern[] {
  const home = patternsFor(realPath(runtimeFolder(config)), true);
  if (scope === 'project') return home;
  const { settings, commands, skill } = placesOf(scope, root ?? '', config);
  // The settings may be a link: both the link and the file that it leads to are hidden.
  const settingsPaths = new Set([inRealFolder(settings), realPath(settings)]);
  const ofSettings = [...settingsPaths].flatMap((path) =>
    patternsFor(path, false),
  );

  // Slash commands and skill that are installed for the project are to be committed; the module beside them never is.
  const hasTexts = files.some(({ path }) => path.endsWith('.md'));
  const ofFiles = hasTexts
    ? [commands, skill].flatMap((folder) => patternsFor(realPath(folder), true))
    : files.flatMap(({ path }) => patternsFor(inRealFolder(path), false));
  return [...home, ...ofSettings, ...ofFiles];
}

/** Writes the block in each of the affected exclude files anew. */
export function planExcludes(
  draft: Draft,
  affected: readonly ExcludePattern[],
  patterns: readonly ExcludePattern[],
): void {
  for (const file of new Set(affected.map((exclude) => exclude.file))) {
    // A link in place of the file could lead to any file of the user, which patterns would damage.
    const inGitFolder = join(
      realPath(gitFolderOf(file)),
      'info',
      basename(file),
    );
    if (realPath(file) !== inGitFolder) throw notAFile(file);
    const wanted = patterns
      .filter((exclude) => exclude.file === file)
      .map(({ pattern }) => pattern);
    draft.write(file, withExcludeBlock(draft.read(file), wanted));
  }
}

const inRealFolder = (path: string): string =>
  join(realPath(dirname(path)), basename(path));

/** `path` has no links in it, because git does not follow them. */
function patternsFor(path: string, isFolder: boolean): ExcludePattern[] {
  const exclude = excludeFor(path);
  if (exclude === undefined) return [];
  if (!isGitFolder(gitFolderOf(exclude.file), exclude.top)) return [];
  const inside = relative(exclude.top, path).split(sep).join('/');
  return [{ file: exclude.file, pattern: patternFor(inside, isFolder) }];
}

const gitFolderOf = (excludeFile: string): string =>
  dirname(dirname(excludeFile));

const BEGIN =
  '# >>> holdfast: written by `holdfast init`, removed by `holdfast uninstall`';
/** Added if the line above had no line break, so that removing the block can restore that. */
const WITH_BREAK = ' (with the line break above)';
const END = '# <<< holdfast';

/** The first line of a block that came with a line break, and that break. */
const BEGIN_WITH_BREAK = `(?:^|\\r?\\n)${BEGIN}${WITH_BREAK.replace(/[()]/g, '\\$&')}`;
/** Each line up to the end, but not the begin of another block. */
const PATTERN_LINES = `(?:(?!${BEGIN})[^\\n]*\\n)*?`;

/** A block without its end is not removed: nobody knows which of the lines after it are the user's. */
const BLOCK = new RegExp(
  `(?:${BEGIN_WITH_BREAK}|^${BEGIN})\\r?\\n${PATTERN_LINES}${END}(?:\\r?\\n|$)`,
  'm',
);

/**
 * The exclude file with exactly these patterns in holdfast's block. Without patterns, or if the user's own lines have
 * all of them, the block is removed. null stands for a file that does not exist, or that held nothing but the block.
 */
export function withExcludeBlock(
  text: string | null,
  patterns: readonly string[],
): string | null {
  const whole = text ?? '';
  const block = BLOCK.exec(whole);
  const before = block === null ? whole : whole.slice(0, block.index);
  const after =
    block === null ? '' : whole.slice(block.index + block[0].length);
  const eol = whole.includes('\r\n') ? '\r\n' : '\n';
  const lacksBreak = before !== '' && !before.endsWith('\n');

  const ownLines = new Set(`${before}\n${after}`.split(/\r?\n/));
  if (patterns.every((pattern) => ownLines.has(pattern))) {
    if (block === null) return text;
    const left =
      lacksBreak && after !== '' ? before + eol + after : before + after;
    return left === '' ? null : left;
  }

  const begin = lacksBreak ? BEGIN + WITH_BREAK : BEGIN;
  const lines = [begin, ...new Set(patterns), END, ''].join(eol);
  return lacksBreak ? before + eol + lines + after : before + lines + after;
}

/** A pattern that matches this path only; the path is relative to the repository, with forward slashes. */
export function patternFor(path: string, isFolder: boolean): string {
  const escaped = path
    .replace(/[*?[\]!#\\]/g, '\\$&')
    .replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length));
  return `/${escaped}${isFolder ? '/' : ''}`;
}
