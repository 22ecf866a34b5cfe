import type { Messages } from './messages.ts';

/** A value that looks like a secret: where it is, never what it is. */
export interface SecretField {
  run: string;
  field: string;
  kind: string;
  /** The state file, from the project's root. */
  file: string;
  /** Commands that keep it here or change it. If there are none, the file has to be edited. */
  commands: string[];
}

/** Why the remote was not reached or did not take what was sent. */
export type TransportProblem = 'unreachable' | 'login' | 'host_key' | 'timeout' | 'refused';

export interface RemoteFailures {
  sync_no_git: object;
  sync_old_git: { version: string; least: string };
  sync_no_repository: object;
  sync_foreign_repository: { root: string };
  /** `configured`: sync is on with this remote, which was removed or renamed. */
  sync_no_remote: { given: string; remotes: string[]; configured?: { isAgent: boolean } };
  sync_is_off: { remotes: string[]; isAgent: boolean };
  sync_from_agent: { command: 'on' | 'off' | 'prune' };
  /** `refusedSwitch`: `sync on` was refused, and sync stays on with this remote, or off. */
  sync_secrets: { found: SecretField[]; refusedSwitch?: { remote: string | null } };
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
  sync_foreign_repository: ({ root }) => ({
    message: 'git does not use this repository, because another user owns it',
    hint: `if you trust it: \`git config --global --add safe.directory ${root}\``,
  }),
  sync_no_remote: ({ given, remotes, configured }) =>
    configured === undefined
      ? {
          message: `this repository has no remote "${given}"`,
          hint: remoteHint(given, remotes),
        }
      : {
          message: `this repository has no remote "${given}" any more, which sync is on with`,
          hint: goneHint(given, remotes, configured.isAgent),
        },
  sync_is_off: ({ remotes, isAgent }) => ({
    message: 'sync is off in this clone',
    hint: offHint(remotes, isAgent),
  }),
  sync_from_agent: ({ command }) => ({
    message: `\`holdfast sync ${command}\` is for the user: an agent's session cannot run it`,
    hint: 'run it in a terminal of your own',
  }),
  sync_secrets: ({ found, refusedSwitch }) => ({
    message: `${secretsOutcome(refusedSwitch)}, because these look like secrets: ${found.map(({ run, field, kind }) => `${field} of ${run} (${kind})`).join('; ')}`,
    hint: secretsHint(found),
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

function secretsOutcome(refusedSwitch: { remote: string | null } | undefined): string {
  if (refusedSwitch === undefined) return 'nothing was sent or committed';
  const { remote } = refusedSwitch;
  return `sync stays ${remote === null ? 'off' : `on with ${remote}`}`;
}

/** Fields of one file are changed together. */
function secretsHint(found: readonly SecretField[]): string {
  const edited = found.filter(({ commands }) => commands.length === 0);
  const files = [...new Set(edited.map(({ file }) => file))].map((file) => {
    const fields = edited.filter((secret) => secret.file === file).map(({ field }) => field);
    return secretRemedy({ field: fields.join(', '), file, commands: [] });
  });
  const typed = found.filter(({ commands }) => commands.length > 0).map(secretRemedy);
  return [...new Set(typed), ...files].join('; ');
}

/** How a field that looks like a secret is kept here or changed. */
export function secretRemedy({
  field,
  file,
  commands,
}: Pick<SecretField, 'field' | 'file' | 'commands'>): string {
  return commands.length === 0
    ? `change ${field} in ${file} with an editor`
    : commands.map((command) => `\`${command}\``).join(' or ');
}

function remoteHint(given: string, remotes: readonly string[]): string {
  const isAddress = /[:/\\]/.test(given);
  if (isAddress) {
    const name = remotes.includes('origin') ? 'runs' : 'origin';
    return `name it first: \`git remote add ${name} ${given}\`, then \`holdfast sync on ${name}\``;
  }
  const [first] = preferred(remotes);
  return first === undefined
    ? `add it with \`git remote add ${given} <address>\`, then \`holdfast sync on ${given}\``
    : `its remotes: ${remotes.join(', ')}; \`holdfast sync on ${first}\` uses ${remotes.length === 1 ? 'it' : 'that one'}`;
}

/** The remotes, with the one first that most repositories use. */
function preferred(remotes: readonly string[]): readonly string[] {
  return remotes.includes('origin') ? ['origin', ...remotes] : remotes;
}

/** `sync on` and `sync off` are refused in an agent's session. */
function goneHint(remote: string, remotes: readonly string[], isAgent: boolean): string {
  const add = `add it again with \`git remote add ${remote} <address>\``;
  const [first] = preferred(remotes);
  const off = first === undefined ? 'off' : `on ${first}`;
  return isAgent
    ? `${add}, or ask the user to type \`holdfast sync ${off}\` in a terminal`
    : `${add}, or type \`holdfast sync ${off}\``;
}

function offHint(remotes: readonly string[], isAgent: boolean): string {
  const [first] = preferred(remotes);
  const add =
    first === undefined ? 'add a remote with `git remote add origin <address>`, then ' : '';
  const command = `\`holdfast sync on ${first ?? 'origin'}\``;
  return isAgent
    ? `${add}ask the user to type ${command} in a terminal: it shows what will leave this machine`
    : `${add}switch it on with ${command}, which shows what will leave this machine`;
}

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
