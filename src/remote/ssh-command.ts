/** How git should start ssh, as far as the user has said it. */
export interface SshSettings {
  /** GIT_SSH_COMMAND, which git prefers. */
  command: string | undefined;
  /** GIT_SSH: a program that is called without options of ours. */
  program: string | undefined;
  /** `core.sshCommand` of git's configuration. */
  configured: string | undefined;
}

/**
 * The same command in batch mode, in which ssh fails instead of asking for a password or about a host; undefined if it
 * stays as it is. Other programs than OpenSSH have other options.
 */
export function batchSshCommand({ command, program, configured }: SshSettings): string | undefined {
  const chosen = command ?? configured ?? (program === undefined ? 'ssh' : undefined);
  return chosen !== undefined && isOpenSsh(chosen) ? `${chosen} -o BatchMode=yes` : undefined;
}

function isOpenSsh(command: string): boolean {
  const [, quoted, plain] = /^\s*(?:"([^"]*)"|(\S+))/.exec(command) ?? [];
  return /(?:^|[/\\])ssh(?:\.exe)?$/i.test(quoted ?? plain ?? '');
}
