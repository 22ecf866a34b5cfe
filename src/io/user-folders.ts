import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Nothing can be found below it, and nothing can be written there, even by root. */
const NO_HOME = '/dev/null';

/** The user's home folder, also where `HOME` is empty or the user is unknown to the system, as in some containers. */
export function homeFolder(): string {
  try {
    const home = (process.platform === 'win32' ? undefined : process.env['HOME']) ?? homedir();
    return isAbsolute(home) ? home : NO_HOME;
  } catch {
    // The user has no HOME and no entry in the password file.
    return NO_HOME;
  }
}

/** Claude Code's configuration folder of the user. */
export function configFolder(
  environment: Record<string, string | undefined>,
  home: string,
): string {
  const given = environment['CLAUDE_CONFIG_DIR'];
  return given === undefined || given === '' ? join(home, '.claude') : resolve(given);
}

/** `.claude.json`, with the user's MCP servers: next to the configuration folder if that is the default one. */
export function hostFile(environment: Record<string, string | undefined>, home: string): string {
  const given = environment['CLAUDE_CONFIG_DIR'];
  return join(given === undefined || given === '' ? home : resolve(given), '.claude.json');
}
