import { join, resolve } from 'node:path';

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
