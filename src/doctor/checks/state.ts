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
  describeMisplaced,
  describeUnreadable,
  isNewerFormat,
  listArchive,
  listUnused,
} from '../../state/store/run-files.ts';
import {
  hideFromGit,
  requireFolderOrNothing,
} from '../../state/store/state-folder.ts';
import type { StoredRun } from '../../state/types.ts';
import { pluralize } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import type { Facts } from '../facts.ts';
import { broken, ok, skipped, warning, type Finding } from '../finding.ts';

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
  const { runs, unreadable: own } = store.list();
  const unreadable = [...own, ...listArchive(root, false).unreadable];
  const folders = entriesIn(join(root, STATE_FOLDER))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${STATE_FOLDER}/${name}`);
  const journals = runs.map(({ path }) => journalBeside(path));
  const { setAside: aside, misplaced } = listUnused(root);
  const found = [
    ...unreadable
      .filter(({ why }) => why !== 'not permitted')
      .map((file) => {
        const check = `holdfast validate ${proposedWord(file.path, '<file>')}`;
        const fix = `correct it (\`${check}\` names the line), or delete it`;
        return broken(describeUnreadable(file), fix);
      }),
    ...runs.flatMap((run) =>
      isNewerFormat(run.state)
        ? newerFormat(run, version)
        : schemaProblems(root, run.path),
    ),
    ...[
      ...folders,
      ARCHIVE_FOLDER,
      ...journals,
      ...unreadable.map(({ path }) => path),
    ]
      .filter((path, index, all) => all.indexOf(path) === index)
      .flatMap((path) => refused(root, path) ?? []),
  ];
  if (aside.length > 0) {
    const message = `${pluralize(aside.length, 'unreadable state file')} moved aside`;
    const fix = 'repair and rename the files worth keeping, delete the rest';
    found.push(
      warning(
        message,
        fix,
        aside.map((path) => asWord(path)),
      ),
    );
  }
  for (const path of misplaced)
    found.push(
      warning(describeMisplaced(path), 'rename or move it there, or delete it'),
    );
  return found.length > 0
    ? found
    : [ok(`${pluralize(runs.length, 'state file')} read and valid`)];
}

/** Every change of such a run is refused here; a session that holds it cannot go on. */
function newerFormat({ path, state }: StoredRun, version: string): Finding {
  const message = `${asWord(path)} was written by a newer version of holdfast (schema_version ${state.schema_version}), so this one only reads it`;
  const fix = `update holdfast, which is ${version} here, in the way that you installed it`;
  return broken(message, fix);
}

function schemaProblems(root: string, path: string): Finding[] {
  const file = readTextFile(join(root, path), MAX_BYTES);
  const problems = file.kind === 'text' ? checkStateFile(file.text) : [];
  const lines = problems.map(
    ({ line, message }) => `${asWord(path)}:${line}: ${message}`,
  );
  const finding = `${asWord(path)} is usable but does not match its schema`;
  return lines.length === 0
    ? []
    : [warning(finding, 'correct these lines', lines)];
}

/** A folder that may not be read, written and entered, or a file that may not be read and written. Nothing is tried. */
function refused(root: string, path: string, rights?: number): Finding | null {
  const full = join(root, path);
  // What is in a folder that may not be entered is refused with its folder.
  const stat = fse.existsSync(full) ? fse.statSync(full) : undefined;
  if (stat === undefined || (rights !== undefined && !stat.isDirectory()))
    return null;
  const { R_OK, W_OK, X_OK } = fse.constants;
  try {
    fse.accessSync(
      full,
      rights ?? (stat.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK),
    );
    return null;
  } catch (error) {
    const [code, uid] = [errorCode(error), process.getuid?.()];
    // Only the owner of a file changes its mode, and only root its owner.
    const owner = `${uid}:${process.getgid?.()}`;
    const chown =
      stat.uid === uid
        ? ''
        : `sudo chown -R ${owner} ${proposedWord(full, '<path>')} && `;
    const mount = 'mount the disk of this project so that it can be written';
    return broken(
      `your user may not read and write ${asWord(path)}, so commands fail`,
      code === 'EROFS'
        ? mount
        : `${chown}chmod -R u+rwX ${proposedWord(full, '<path>')}`,
      [
        `${code}: it belongs to user ${stat.uid}, mode ${(stat.mode & 0o777).toString(8)}`,
      ],
    );
  }
}

export function checkGit({ root, environment }: Facts): Finding[] {
  const all = [STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER];
  const listed = runGit(root, ['ls-files', '-z', '--', ...all], environment);
  if (listed.kind !== 'ended' || listed.code !== 0)
    return [skipped('git reads no repository here')];
  // Committing the .gitignore itself is fine.
  const isState = (path: string): boolean =>
    path !== '' && !path.endsWith('/.gitignore');
  const tracked = listed.stdout.split('\0').filter(isState);
  const found: Finding[] = [];
  if (tracked.length > 0) {
    const folders = all.filter((folder) =>
      tracked.some((path) => path.startsWith(`${folder}/`)),
    );
    const fix = `git rm -r --cached ${folders.join(' ')}, then commit`;
    const message =
      'git tracks state files, so they follow every branch and checkout';
    found.push(
      broken(
        message,
        fix,
        tracked.map((path) => asWord(path)),
      ),
    );
  }
  for (const folder of all.filter(
    (path) => locate(root, join(root, path)) === 'inside',
  )) {
    const answer = runGit(
      root,
      ['check-ignore', '-q', `${folder}/state.json`],
      environment,
    );
    if (answer.kind !== 'ended' || answer.code !== 1) continue;
    const message = `git does not ignore ${folder}`;
    const repair = (): string => {
      hideFromGit(join(root, folder));
      return `wrote ${folder}/.gitignore`;
    };
    found.push(
      fse.existsSync(join(root, folder, '.gitignore'))
        ? warning(message, `add a line with * to ${folder}/.gitignore`)
        : { ...warning(message, 'holdfast doctor --fix'), repair },
    );
  }
  return found.length > 0 ? found : [ok('git tracks no state files')];
}
