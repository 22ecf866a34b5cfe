import { HoldfastError } from '../text/holdfast-error.ts';
import type {
  CommandOptions,
  CommandResult,
  Environment,
} from '../files/run-command.ts';
import { runGit } from '../files/run-git.ts';
import { asWord } from '../text/sanitize.ts';

/** Where git is called, and with which environment. */
export type Git = { folder: string; environment: Environment };

export const gitSettings = (): string[] =>
  [
    // A repository may log every ref; ours would only grow.
    'core.logAllRefUpdates=false',
    'core.askPass=',
    'gc.auto=0',
    'maintenance.auto=false',
    'fetch.output=full',
    'push.gpgSign=false',
    'push.followTags=false',
    'push.recurseSubmodules=no',
  ].flatMap((setting) => ['-c', setting]);

/** Without the network, git is fast; what takes longer waits for something. */
const LOCAL_TIMEOUT_MS = 20_000;
/** Above the size of a run, which is looked at before it is read. */
const MAX_OUTPUT_BYTES = 128_000_000;

/** Calls git without the network. */
export const tryGit = (
  { folder, environment }: Git,
  words: readonly string[],
  options: CommandOptions = {},
): CommandResult =>
  runGit(
    folder,
    ['--no-replace-objects', ...gitSettings(), ...words],
    { ...environment, LC_ALL: 'C' },
    { timeoutMs: LOCAL_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES, ...options },
  );

/** The output of a call that must succeed. `doing` completes "git failed while …". */
export function callGit(
  git: Git,
  words: readonly string[],
  doing: string,
  options: CommandOptions = {},
): string {
  const result = tryGit(git, words, options);
  if (result.kind === 'ended' && result.code === 0) return result.stdout;
  throw gitFailure(result, doing);
}

const MAX_REASON_CHARS = 300;

function endedWords({
  code,
  stderr,
}: {
  code: number | null;
  stderr: string;
}): string {
  const words = lastLine(stderr);
  return words === '' ? `exit code ${code}` : asWord(words, MAX_REASON_CHARS);
}

export function gitFailure(
  result: CommandResult,
  doing: string,
): HoldfastError {
  if (result.kind === 'not there')
    return new HoldfastError(
      'sync_no_git',
      'git is not on the PATH, and `holdfast sync` needs it',
      {
        hint: 'install git, or move a run with `holdfast export` and `holdfast import`',
      },
    );
  const reason =
    result.kind === 'ended'
      ? endedWords(result)
      : `it was stopped (${result.errno ?? 'by a signal'})`;
  return new HoldfastError(
    'sync_git_failed',
    `git failed while ${doing}: ${reason}`,
    {
      hint: 'check the repository with `git fsck`, then try again; no state file was changed',
    },
  );
}

/** Git's own sentence comes last, after hints and progress. */
export function lastLine(text: string): string {
  const lines = text
    .split(/[\n\r]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const at = lines.findIndex((line) => /^(?:fatal|error): /.test(line));
  const fatal = lines[at];
  // Ssh writes the reason on the line before.
  const ssh =
    at > 0 && fatal === 'fatal: Could not read from remote repository.'
      ? lines[at - 1]
      : undefined;
  if (ssh !== undefined) return ssh.replace(/^(?:ssh|ERROR): /, '');
  return (fatal ?? lines.at(-1) ?? '').replace(/^(?:fatal|error): /, '');
}
