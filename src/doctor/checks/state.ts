import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import {
  entriesIn,
  errorCode,
  locate,
  readTextFile,
} from '../../files/read-file.ts';
import { runGit } from '../../files/run-git.ts';
import { checkStateFile } from '../../templates/check-state-file.ts';
import {
  ARCHIVE_FOLDER,
  journalBeside,
  LOGS_FOLDER,
  STATE_FOLDER,
} from '../../state/paths.ts';
import {
  describeUnreadable,
  listArchive,
} from '../../state/store/run-files.ts';
import { isNewerFormat } from '../../state/store/state-format.ts';
import {
  describeMisplaced,
  listUnused,
} from '../../state/store/unused-files.ts';
import {
  hideFromGit,
  requireFolderOrNothing,
} from '../../state/store/state-folder.ts';
import type { Run } from '../../state/types.ts';
import { pluralize } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, skipped, warning, type Finding } from '../finding.ts';

/** A larger state file is not checked against its schema. */
const MAX_BYTES = 5_000_000;

/** Whether every state file can be read and written, and matches its schema. */
export function checkStateFiles({ root, store, version }: Facts): Finding[] {
  if (locate(root, join(root, STATE_FOLDER)) === 'outside the project') {
    const fix = `make ${STATE_FOLDER} a folder of this project that you may read and write`;
    return [broken(`${STATE_FOLDER} cannot be used: outside the project`, fix)];
  }
  const closed =
    refused(root, dirname(STATE_FOLDER), fse.constants.X_OK) ??
    refused(root, STATE_FOLDER);
  if (closed !== null) return [closed];
  requireFolderOrNothing(root, STATE_FOLDER);

  const { runs, unreadable } = store.list();
  const unusable = [...unreadable, ...listArchive(root, false).unreadable];
  const found: Finding[] = [];

  for (const file of unusable) {
    // Its rights are checked below.
    if (file.why === 'not permitted') continue;
    const check = `holdfast validate ${proposedWord(file.path, '<file>')}`;
    const fix = `correct it (\`${check}\` names the line), or delete it`;
    found.push(broken(describeUnreadable(file), fix));
  }
  for (const run of runs) {
    if (isNewerFormat(run.state)) found.push(newerFormat(run, version));
    else found.push(...schemaProblems(root, run.path));
  }

  const unusablePaths = unusable.map(({ path }) => path);
  const journals = runs.map(({ path }) => journalBeside(path));
  const needed = [...runFolders(root), ARCHIVE_FOLDER, ...journals];
  for (const path of new Set([...needed, ...unusablePaths])) {
    const refusal = refused(root, path);
    if (refusal !== null) found.push(refusal);
  }

  found.push(...unusedFiles(root));
  if (found.length > 0) return found;
  return [ok(`${pluralize(runs.length, 'state file')} read and valid`)];
}

/** The folders of the runs, one for each slug. Each has to be accessible, also one that has no readable state file. */
function runFolders(root: string): string[] {
  const entries = entriesIn(join(root, STATE_FOLDER));
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${STATE_FOLDER}/${name}`);
}

/** Files that no run uses. */
function unusedFiles(root: string): Finding[] {
  const { setAside, misplaced } = listUnused(root);
  const found: Finding[] = [];
  if (setAside.length > 0) {
    const count = pluralize(setAside.length, 'unreadable state file');
    const fix = 'repair and rename the files worth keeping, delete the rest';
    const paths = setAside.map((path) => asWord(path));
    found.push(warning(`${count} moved aside`, fix, paths));
  }
  for (const path of misplaced)
    found.push(
      warning(describeMisplaced(path), 'rename or move it there, or delete it'),
    );
  return found;
}

/** Every change of such a run is refused here; a session that holds it cannot go on. */
function newerFormat({ path, state }: Run, version: string): Finding {
  const message = `${asWord(path)} was written by a newer version of holdfast (schema_version ${state.schema_version}), so this one only reads it`;
  const fix = `update holdfast, which is ${version} here, in the way that you installed it`;
  return broken(message, fix);
}

function schemaProblems(root: string, path: string): Finding[] {
  const file = readTextFile(join(root, path), MAX_BYTES);
  const problems = file.kind === 'text' ? checkStateFile(file.text) : [];
  if (problems.length === 0) return [];
  const lines = problems.map(
    ({ line, message }) => `${asWord(path)}:${line}: ${message}`,
  );
  const message = `${asWord(path)} is usable but does not match its schema`;
  return [warning(message, 'correct these lines', lines)];
}

/** A folder that may not be read, written and entered, or a file that may not be read and written. Nothing is tried. */
function refused(root: string, path: string, rights?: number): Finding | null {
  const full = join(root, path);
  // What is in a folder that may not be entered is refused with its folder.
  const stat = fse.existsSync(full) ? fse.statSync(full) : undefined;
  if (stat === undefined || (rights !== undefined && !stat.isDirectory()))
    return null;
  const { R_OK, W_OK, X_OK } = fse.constants;
  const needed = stat.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK;
  try {
    fse.accessSync(full, rights ?? needed);
    return null;
  } catch (error) {
    const code = errorCode(error);
    const fix =
      code === 'EROFS'
        ? 'mount the disk of this project so that it can be written'
        : commandForRights(full, stat.uid);
    const mode = (stat.mode & PERMISSION_BITS).toString(8);
    return broken(
      `your user may not read and write ${asWord(path)}, so commands fail`,
      fix,
      [`${code}: it belongs to user ${stat.uid}, mode ${mode}`],
    );
  }
}

const PERMISSION_BITS = 0o777;

/** Only the owner of a file changes its mode, and only root its owner. */
function commandForRights(full: string, owner: number): string {
  const word = proposedWord(full, '<path>');
  const chmod = `chmod -R u+rwX ${word}`;
  const user = process.getuid?.();
  if (owner === user) return chmod;
  return `sudo chown -R ${user}:${process.getgid?.()} ${word} && ${chmod}`;
}

/** The folders that git should not know. */
const OWN_FOLDERS = [STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER];

/** Whether state files stay out of git. */
export function checkGit(facts: Facts): Finding[] {
  const { root, environment } = facts;
  const words = ['ls-files', '-z', '--', ...OWN_FOLDERS];
  const listed = runGit(root, words, environment);
  if (listed.kind !== 'ended' || listed.code !== 0)
    return [skipped('git reads no repository here')];

  const found = trackedFiles(listed.stdout.split('\0'));
  for (const folder of OWN_FOLDERS) {
    const finding = unignoredFolder(facts, folder);
    if (finding !== null) found.push(finding);
  }
  return found.length > 0 ? found : [ok('git tracks no state files')];
}

function trackedFiles(paths: readonly string[]): Finding[] {
  // Committing the .gitignore itself is fine.
  const isState = (path: string): boolean =>
    path !== '' && !path.endsWith('/.gitignore');
  const tracked = paths.filter(isState);
  if (tracked.length === 0) return [];

  const folders = OWN_FOLDERS.filter((folder) =>
    tracked.some((path) => path.startsWith(`${folder}/`)),
  );
  return [
    broken(
      'git tracks state files, so they follow every branch and checkout',
      `git rm -r --cached ${folders.join(' ')}, then commit`,
      tracked.map((path) => asWord(path)),
    ),
  ];
}

/** `git check-ignore` exits with this code if the path is not ignored. */
const NOT_IGNORED = 1;

function unignoredFolder(
  { root, environment }: Facts,
  folder: string,
): Finding | null {
  const full = join(root, folder);
  if (locate(root, full) !== 'inside') return null;
  const words = ['check-ignore', '-q', `${folder}/state.json`];
  const answer = runGit(root, words, environment);
  if (answer.kind !== 'ended' || answer.code !== NOT_IGNORED) return null;

  const message = `git does not ignore ${folder}`;
  if (fse.existsSync(join(full, '.gitignore')))
    return warning(message, `add a line with * to ${folder}/.gitignore`);
  const repair = (): string => {
    hideFromGit(full);
    return `wrote ${folder}/.gitignore`;
  };
  return { ...warning(message, 'holdfast doctor --fix'), repair };
}
