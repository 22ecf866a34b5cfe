import type { Messages } from './messages.ts';

/** A value that looks like a secret: where it is, never what it is. */
export interface SecretField {
  run: string;
  field: string;
  kind: string;
}

/** Why the remote was not reached or did not take what was sent. */
export type TransportProblem = 'unreachable' | 'login' | 'host_key' | 'timeout' | 'refused';

export interface RemoteFailures {
  sync_no_git: object;
  sync_old_git: { version: string; least: string };
  sync_no_repository: object;
  sync_no_remote: { given: string; remotes: string[] };
  sync_is_off: { remotes: string[] };
  sync_from_agent: { command: 'on' | 'off' | 'prune' };
  sync_secrets: { found: SecretField[] };
  sync_transport: {
    remote: string;
    problem: TransportProblem;
    reason: string;
    /** What was done before it failed, for --json. */
    report: object;
  };
  sync_contended: { remote: string; runs: string[]; tries: number; report: object };
  sync_git_failed: { doing: string; reason: string };
}

const KEPT = 'nothing is lost: your runs are stored here, and the next `holdfast sync` sends them';

export const remoteMessages: Messages<RemoteFailures> = {
  sync_no_git: () => ({
    message: 'git is not on the PATH, and `holdfast sync` needs it',
    hint: 'install git, or move a run with `holdfast export` and `holdfast import`',
  }),
  sync_old_git: ({ version, least }) => ({
    message: `git ${version} is too old for \`holdfast sync\``,
    hint: `install git ${least} or newer, or move a run with \`holdfast export\` and \`holdfast import\``,
  }),
  sync_no_repository: () => ({
    message: 'this project is not in a git repository',
    hint: '`git init` makes it one; without git, move a run with `holdfast export` and `holdfast import`',
  }),
  sync_no_remote: ({ given, remotes }) => ({
    message: `this repository has no remote "${given}"`,
    hint:
      remotes.length === 0
        ? 'add one with `git remote add origin <address>`'
        : `its remotes: ${remotes.join(', ')}`,
  }),
  sync_is_off: ({ remotes }) => ({
    message: 'sync is off in this clone',
    hint:
      remotes.length === 0
        ? 'add a remote with `git remote add origin <address>`, then run `holdfast sync on origin`'
        : `switch it on with \`holdfast sync on ${remotes.includes('origin') ? 'origin' : remotes[0]}\`, which shows what will leave this machine`,
  }),
  sync_from_agent: ({ command }) => ({
    message: `\`holdfast sync ${command}\` is for the user: an agent's session cannot run it`,
    hint: 'run it in a terminal of your own',
  }),
  sync_secrets: ({ found }) => ({
    message: `nothing was sent or committed, because these look like secrets: ${found.map(({ run, field, kind }) => `${field} of ${run} (${kind})`).join('; ')}`,
    hint: 'keep a fact here with `holdfast update <run> --set-local <key>=<value>`, remove it with --unset, --forget or --unread, or reword it',
    data: { secrets: found },
  }),
  sync_transport: ({ remote, problem, reason, report }) => ({
    message: transportText(remote, problem, reason),
    hint: `${transportHint(problem, remote)}; ${KEPT}`,
    data: { sync: report },
  }),
  sync_contended: ({ remote, runs, tries, report }) => ({
    message: `other machines changed ${runs.join(', ')} on ${remote} during each of ${tries} tries`,
    hint: `try again in a moment; ${KEPT}`,
    data: { sync: report },
  }),
  sync_git_failed: ({ doing, reason }) => ({
    message: `git failed while ${doing}: ${reason}`,
    hint: 'check the repository with `git fsck`, then try again; no state file was changed',
  }),
};

function transportText(remote: string, problem: TransportProblem, reason: string): string {
  const why = reason === '' ? '' : ` (${reason})`;
  switch (problem) {
    case 'login':
      return `${remote} asks for a login, and \`holdfast sync\` never prompts for one${why}`;
    case 'host_key':
      return `ssh does not know the host of ${remote}, or its key has changed${why}`;
    case 'timeout':
      return `${remote} did not answer in time${why}`;
    case 'refused':
      return `${remote} refused what was sent${why}`;
    default:
      return `${remote} cannot be reached${why}`;
  }
}

function transportHint(problem: TransportProblem, remote: string): string {
  switch (problem) {
    case 'login':
      return `check that \`git ls-remote ${remote}\` works without a question, for example with a credential helper or an ssh key`;
    case 'host_key':
      return `connect once with \`git ls-remote ${remote}\` and compare the key that ssh shows with the one of its owner`;
    case 'timeout':
      return 'try again, or allow more time with `holdfast sync --timeout 5m`';
    case 'refused':
      return 'ask its owner to accept refs/holdfast/*, or use a remote of your own: `holdfast sync on <other>`';
    default:
      return `check the connection and \`git remote get-url ${remote}\`, then try again`;
  }
}
