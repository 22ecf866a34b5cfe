import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesIn } from '../../io/folder-entries.ts';
import { errorCode, locate } from '../../io/read-file.ts';
import { ARCHIVE_FOLDER, journalBeside, STATE_FOLDER } from '../../state/paths.ts';
import { stateFilePaths } from '../../state/store/list-runs.ts';
import { findingsFor } from '../findings.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Finding } from '../types.ts';

const report = findingsFor('state');
const UNTRACKED = dirname(STATE_FOLDER);

const RIGHTS = { read: constants.R_OK, write: constants.W_OK, enter: constants.X_OK };
type Right = keyof typeof RIGHTS;
const FOLDER_RIGHTS: readonly Right[] = ['read', 'write', 'enter'];

interface Refused {
  path: string;
  rights: Right[];
  /** The code of the file system. */
  reason: string;
  stat: Stats;
}

/** The state folder, or the one that it is in, if commands cannot get at what is in it; nothing is written to find out. */
export function closedFolder(root: string): Finding | null {
  const isComplete = [STATE_FOLDER, ARCHIVE_FOLDER].every(
    (path) => locate(root, join(root, path)) !== 'absent',
  );
  const above = refusal(root, UNTRACKED, isComplete ? ['enter'] : ['write', 'enter']);
  const first = above ?? refusal(root, STATE_FOLDER, FOLDER_RIGHTS);
  return first === null ? null : finding(root, [first]);
}

/** The folders of runs, their journals and the archive, as far as they are not `known` to be refused. */
export function refusedPlaces(root: string, known: readonly string[]): Finding[] {
  const folders = entriesIn(join(root, STATE_FOLDER))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${STATE_FOLDER}/${name}`);
  const archive = locate(root, join(root, ARCHIVE_FOLDER)) === 'inside' ? [ARCHIVE_FOLDER] : [];
  const refused = [
    ...[...folders, ...archive].map((path) => refusal(root, path, FOLDER_RIGHTS)),
    ...stateFilePaths(root).map((path) => refusal(root, journalBeside(path), ['write'])),
  ].filter((place) => place !== null);
  const others = refused.filter(({ path }) => !known.includes(path));
  return others.length === 0 ? [] : [finding(root, others)];
}

/** What is in a folder that may not be entered is refused with it. */
function statIfReachable(full: string): Stats | undefined {
  try {
    return statSync(full, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Null if the user has these rights, or nothing of this kind is there. Only folders are entered. */
function refusal(root: string, path: string, rights: readonly Right[]): Refused | null {
  const stat = statIfReachable(join(root, path));
  if (stat === undefined || stat.isDirectory() !== rights.includes('enter')) return null;
  const codes = rights.flatMap((right) => {
    const code = codeOfAccess(join(root, path), RIGHTS[right]);
    return code === null ? [] : [{ right, code }];
  });
  const [first] = codes;
  if (first === undefined) return null;
  return { path, stat, reason: first.code, rights: codes.map(({ right }) => right) };
}

function codeOfAccess(full: string, right: number): string | null {
  try {
    accessSync(full, right);
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code;
  }
}

function finding(root: string, refused: readonly Refused[]): Finding {
  const [first] = refused;
  const what =
    refused.length === 1 && first !== undefined
      ? `${first.rights.join(' or ')} ${first.path}`
      : `use ${refused.length} folders or files of the runs`;
  return report.broken(`your user may not ${what}, so commands fail`, {
    evidence: refused.map(evidenceOf),
    fix: fixFor(root, refused),
  });
}

function evidenceOf({ path, rights, reason, stat }: Refused): string {
  const mode = (stat.mode & 0o777).toString(8).padStart(3, '0');
  const you = process.getuid === undefined ? '' : `; you are user ${process.getuid()}`;
  return `${path}: ${rights.join(', ')} refused (${reason}); it belongs to user ${stat.uid}, mode ${mode}${you}`;
}

/** What of the state may not be read, as a listing reports it. */
export function fixForUnreadable(root: string, path: string): string {
  const stat = statIfReachable(join(root, path));
  return stat === undefined
    ? fixForUnreadable(root, dirname(path))
    : commandFor(root, path, [stat]);
}

function fixFor(root: string, refused: readonly Refused[]): string {
  if (refused.some(({ reason }) => reason === 'EROFS'))
    return 'mount the disk of this project so that it can be written';
  const targetOf = ({ path }: Refused): string =>
    refused.length > 1 && path.startsWith(`${STATE_FOLDER}/`) ? STATE_FOLDER : path;
  const targets = [...new Set(refused.map(targetOf))];
  return targets
    .map((target) => {
      const within = refused.filter((place) => targetOf(place) === target);
      return commandFor(
        root,
        target,
        within.map(({ stat }) => stat),
      );
    })
    .join(' && ');
}

/** Only the owner of a file changes its mode, and only root its owner. */
function commandFor(root: string, path: string, stats: readonly Stats[]): string {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const place = quoteForShell(join(root, path));
  const chmod = `chmod -R u+rwX ${place}`;
  if (uid === undefined || stats.every((stat) => stat.uid === uid)) return chmod;
  const chown = `sudo chown -R ${uid}:${gid} ${place}`;
  const isEnough = stats.every((stat) => (stat.mode & needed(stat)) === needed(stat));
  return isEnough ? chown : `${chown} && ${chmod}`;
}

function needed(stat: Stats): number {
  return stat.isDirectory() ? 0o700 : 0o600;
}
