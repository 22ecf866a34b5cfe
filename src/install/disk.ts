import { dirname, join, relative, resolve, sep } from 'node:path';
import fse from 'fs-extra';
import {
  notText,
  unreadableInput,
  HoldfastError,
} from '../text/holdfast-error.ts';
import { errorCode, isFolder } from '../files/read-file.ts';
import { isInside, realPath } from '../files/environment.ts';
import { runGit } from '../files/run-git.ts';
import { strictJsonProblem } from '../text/strict-json.ts';

/** The client's own file, which has the history of all projects in it, grows to several megabytes. */
const MAX_BYTES = 20_000_000;

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** The text of a file, if writing it again would give the same bytes; null if there is no file. */
export function readWhole(path: string): string | null {
  const stat = orAbsent(path, () => fse.statSync(path));
  if (stat === null) return null;
  if (!stat.isFile()) throw notAFile(path);
  if (stat.size > MAX_BYTES) throw unreadableInput(path, 'too large');
  const bytes = orAbsent(path, () => fse.readFileSync(path));
  if (bytes === null) return null;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw notText(path);
  return text;
}

/** undefined if it is not readable text, and so not written by holdfast. */
export function readIfText(path: string): string | null | undefined {
  try {
    return readWhole(path);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

/** The path that a chain of links ends at. */
export function linkTarget(path: string): string {
  let current = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const stat = orAbsent(current, () => fse.lstatSync(current));
    if (stat?.isSymbolicLink() !== true) return current;
    current = resolve(dirname(current), fse.readlinkSync(current));
  }
  throw notAFile(path);
}

/** The links below the root through which some of the paths lead out of it, and where they lead. */
export function linksOut(
  root: string,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const realRoot = realPath(root);
  const targets = new Map<string, string>();
  for (const path of paths) {
    if (!isInside(root, path)) continue;
    let current = root;
    for (const name of relative(root, path).split(sep)) {
      current = join(current, name);
      const target = realPath(current);
      if (isInside(realRoot, target)) continue;
      targets.set(current, target);
      break;
    }
  }
  return targets;
}

/** The files in a folder that git tracks, also if they were removed and that is not committed yet. */
export function trackedIn(folder: string): Set<string> {
  let existing = folder;
  while (!isFolder(existing)) existing = dirname(existing);
  const inside = relative(existing, folder).split(sep).join('/');
  const words = ['ls-files', '-z'];
  if (inside !== '') words.push('--', `:(literal)${inside}`);
  const answer = runGit(existing, words);
  // Outside of a repository, git tracks nothing.
  if (answer.kind !== 'ended' || answer.code !== 0) return new Set();
  const names = answer.stdout.split('\0');
  return new Set(names.map((name) => join(existing, name)));
}

export const notAFile = (path: string): HoldfastError =>
  new HoldfastError('not_a_file', `${path} exists but is not a file`, {
    hint: 'move or rename it, then try again; nothing was changed',
  });

/** Null if there is no such file. */
function orAbsent<T>(path: string, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    const errno = errorCode(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    if (errno === 'ELOOP') throw notAFile(path);
    if (errno === undefined) throw error;
    throw unreadableInput(path, errno);
  }
}

/** A file that the client cannot read is refused, not repaired. An empty file counts as an empty object. */
export function parseStrictJson(path: string, text: string | null): unknown {
  if (isBlank(text)) return {};
  const problem = strictJsonProblem(text);
  if (problem === null) return JSON.parse(unmarked(text));
  throw new HoldfastError(
    'settings_not_json',
    `${path}:${problem.line}: not strict JSON (${problem.why}), so Claude Code ignores the whole file`,
    { hint: 'correct that line, then try again; nothing was changed' },
  );
}

export const misshapen = (path: string, part: string): HoldfastError =>
  new HoldfastError(
    'settings_misshapen',
    `${path}: ${part} is not in the format Claude Code expects`,
    { hint: 'correct it, then try again; nothing was changed' },
  );

/** The text to edit: an object even if there is no file, or an empty one. */
export function editable(text: string | null): string {
  if (text === null) return '{}\n';
  return isBlank(text) ? '{}' : text;
}

export const isEmptyObject = (text: string): boolean =>
  /^\{\s*\}$/.test(unmarked(text).trim());

export const isBlank = (
  text: string | null | undefined,
): text is null | undefined | '' =>
  text === null || text === undefined || unmarked(text).trim() === '';

/** Without a byte order mark. */
export const unmarked = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text;
