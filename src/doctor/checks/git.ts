import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandResult } from '../../io/run-command.ts';
import { runGit } from '../../io/run-git.ts';
import { locate } from '../../io/read-file.ts';
import { hideFromGit } from '../../state/store/state-folder.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import { findingsFor } from '../findings.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import { repositoryAround } from '../host/repository.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('git');
const FOLDERS = [STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER];

/** Whether state files stay out of git. */
export const checkGit: Check = {
  run: (context) => {
    const listed = asked(context, ['ls-files', '-z', '--', ...FOLDERS]);
    if (listed.kind === 'not there') return [report.skipped('git is not on the PATH')];
    if (listed.kind === 'no answer') {
      return [report.skipped(`git did not answer: ${listed.errno ?? 'it was stopped'}`)];
    }
    if (listed.code !== 0) {
      return repositoryAround(context.root) === null
        ? [report.ok('this project is not in git')]
        : [
            report.skipped('git refused to read the repository', {
              evidence: [sanitizeLine(listed.stderr)],
            }),
          ];
    }
    // Committing the .gitignore itself is fine.
    const tracked = listed.stdout
      .split('\0')
      .filter((path) => path !== '' && !path.endsWith('/.gitignore'));
    const troubles = [
      ...(tracked.length === 0 ? [] : [trackedFiles(tracked)]),
      ...existing(context.root).flatMap((folder) => notIgnored(context, folder)),
    ];
    return troubles.length === 0 ? [report.ok('git tracks no state files')] : troubles;
  },
  fix: (context) =>
    existing(context.root).flatMap((folder) => {
      if (!notIgnored(context, folder).some(({ fixable }) => fixable)) return [];
      hideFromGit(join(context.root, folder));
      return [`wrote ${folder}/.gitignore`];
    }),
};

function trackedFiles(tracked: readonly string[]): Finding {
  const folders = FOLDERS.filter((folder) => tracked.some((path) => path.startsWith(`${folder}/`)));
  return report.broken('git tracks state files, so they follow every branch and checkout', {
    evidence: tracked,
    fix: `git rm -r --cached ${folders.join(' ')}, then commit`,
  });
}

function notIgnored(context: DoctorContext, folder: string): Finding[] {
  const answer = asked(context, ['check-ignore', '-q', `${folder}/state.json`]);
  if (answer.kind !== 'ended' || answer.code > 1)
    return [report.skipped(`git did not report whether it ignores ${folder}`)];
  if (answer.code === 0) return [];
  const ignoreFile = `${folder}/.gitignore`;
  const isFixable = !isThere(join(context.root, ignoreFile));
  return [
    report.warning(`git does not ignore ${folder}`, {
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
