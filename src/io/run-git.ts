import { runCommand, type CommandResult, type Environment } from './run-command.ts';
import { SAFE_GIT_OPTIONS, safeGitEnvironment } from './safe-git.ts';

/** Runs git in `folder` without executing anything that the repository configures, except filters of its files. */
export function runGit(
  folder: string,
  words: readonly string[],
  environment: Environment = process.env,
): CommandResult {
  const options = [...SAFE_GIT_OPTIONS, '--no-optional-locks', '-C', folder];
  return runCommand('git', [...options, ...words], safeGitEnvironment(environment));
}
