import { runCommand, type CommandResult, type Environment } from './run-command.ts';

/** The settings of a repository by which a command that only looks would start a program. */
const HARMLESS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** What git tells about the repository around `folder`. Nothing of that repository is executed. */
export function runGit(
  folder: string,
  words: readonly string[],
  environment: Environment = process.env,
): CommandResult {
  return runCommand('git', [...HARMLESS, '--no-optional-locks', '-C', folder, ...words], {
    ...withoutGitsOwn(environment),
    // Where objects are left at a remote, fetching them would start what the repository names for it.
    GIT_NO_LAZY_FETCH: '1',
  });
}

/** A git hook that runs this sets GIT_DIR and its like, which would lead git into another repository. */
function withoutGitsOwn(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name)));
}
