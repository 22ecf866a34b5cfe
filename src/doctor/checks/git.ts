import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandResult } from '../../io/run-command.ts';
import { runGit } from '../../io/run-git.ts';
import { locate } from '../../io/read-file.ts';
import { hideFromGit } from '../../state/store/state-folder.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import { findingsFor } from '../findings.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import { repositoryAround } from '../host/repository.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const say = findingsFor('git');
const FOLDERS = [STATE_FOLDER, ARCHIVE_FOLDER];

/** Whether what belongs to this machine stays out of git. */
export const checkGit: Check = {
  run: (examined) => {
    const listed = asked(examined, ['ls-files', '-z', '--', ...FOLDERS]);
    if (listed.kind === 'not there') return [say.skipped('git is not on the PATH')];
    if (listed.kind === 'no answer') return [say.skipped(`git did not answer: ${listed.why}`)];
    if (listed.code !== 0) {
      return repositoryAround(examined.root) === null
        ? [say.ok('this project is not in git')]
        : [say.skipped('git would not look', { evidence: [sanitizeLine(listed.stderr)] })];
    }
    // A committed .gitignore is a way to keep the rest out.
    const tracked = listed.stdout
      .split('\0')
      .filter((path) => path !== '' && !path.endsWith('/.gitignore'));
    const troubles = [
      ...(tracked.length === 0 ? [] : [trackedFiles(tracked)]),
      ...existing(examined.root).flatMap((folder) => notIgnored(examined, folder)),
    ];
    return troubles.length === 0 ? [say.ok('git keeps no state file')] : troubles;
  },
  fix: (examined) =>
    existing(examined.root).flatMap((folder) => {
      if (!notIgnored(examined, folder).some(({ fixable }) => fixable)) return [];
      hideFromGit(join(examined.root, folder));
      return [`wrote ${folder}/.gitignore`];
    }),
};

function trackedFiles(tracked: readonly string[]): Finding {
  const folders = FOLDERS.filter((folder) => tracked.some((path) => path.startsWith(`${folder}/`)));
  return say.broken('git tracks state files, so they follow every branch and checkout', {
    evidence: tracked,
    fix: `git rm -r --cached ${folders.join(' ')}, then commit`,
  });
}

function notIgnored(examined: DoctorContext, folder: string): Finding[] {
  const answer = asked(examined, ['check-ignore', '-q', `${folder}/state.json`]);
  if (answer.kind !== 'ended' || answer.code > 1)
    return [say.skipped(`git did not tell whether it ignores ${folder}`)];
  if (answer.code === 0) return [];
  const ignoreFile = `${folder}/.gitignore`;
  const isFixable = !isThere(join(examined.root, ignoreFile));
  return [
    say.warning(`git does not ignore ${folder}`, {
      fix: isFixable ? 'holdfast doctor --fix' : `add a line with * to ${ignoreFile}`,
      fixable: isFixable,
    }),
  ];
}

function asked({ root, environment }: DoctorContext, words: readonly string[]): CommandResult {
  return runGit(root, words, terminalEnvironment(environment));
}

function existing(root: string): string[] {
  return FOLDERS.filter((folder) => locate(root, join(root, folder)) === 'inside');
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
