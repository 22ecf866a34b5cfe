import { HoldfastError } from '../errors/holdfast-error.ts';
import type { Git, GitResult, LocalCall } from './git.ts';

/** The output of a local git command that must succeed. `doing` completes "git failed while …". */
export function callGit(
  git: Git,
  words: readonly string[],
  doing: string,
  call: LocalCall = {},
): Buffer {
  const result = git.local(words, call);
  if (result.kind === 'ended' && result.code === 0) return result.stdout;
  throw gitFailure(result, doing);
}

export function gitFailure(result: GitResult, doing: string): HoldfastError {
  switch (result.kind) {
    case 'not_there':
      return new HoldfastError({ code: 'sync_no_git' });
    case 'timed_out':
      return new HoldfastError({ code: 'sync_git_failed', doing, reason: 'it took too long' });
    case 'stopped':
      return new HoldfastError({
        code: 'sync_git_failed',
        doing,
        reason: `stopped, ${result.why}`,
      });
    default: {
      const reason = lastLine(result.stderr) || `exit code ${result.code}`;
      return new HoldfastError({ code: 'sync_git_failed', doing, reason });
    }
  }
}

/** Git's own sentence comes last, after hints and progress. */
export function lastLine(text: string): string {
  const lines = text
    .split(/[\n\r]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const at = lines.findIndex((line) => /^(?:fatal|error): /.test(line));
  const fatal = lines[at];
  // Ssh has said why on the line before.
  const ssh =
    at > 0 && fatal === 'fatal: Could not read from remote repository.' ? lines[at - 1] : undefined;
  if (ssh !== undefined) return ssh.replace(/^(?:ssh|ERROR): /, '');
  return (fatal ?? lines.at(-1) ?? '').replace(/^(?:fatal|error): /, '');
}
