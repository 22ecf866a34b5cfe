import { runCommand, type CommandResult, type Environment } from './run-command.ts';

/** Overrides repository settings by which even a read-only git command would start a program. */
const SAFE_OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Runs git in `folder` without executing anything that the repository configures. */
export function runGit(
  folder: string,
  words: readonly string[],
  environment: Environment = process.env,
): CommandResult {
  return runCommand('git', [...SAFE_OPTIONS, '--no-optional-locks', '-C', folder, ...words], {
    ...withoutGitVariables(environment),
    // In a partial clone, fetching missing objects would run the transport the repository configures.
    GIT_NO_LAZY_FETCH: '1',
  });
}

/** Inside a git hook GIT_DIR and similar variables are set, which would lead git to another repository. */
function withoutGitVariables(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name)));
}
