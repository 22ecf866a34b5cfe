import { join, resolve } from 'node:path';

/** Where Claude Code keeps what belongs to the user. */
export function configFolder(
  environment: Record<string, string | undefined>,
  home: string,
): string {
  const given = environment['CLAUDE_CONFIG_DIR'];
  return given === undefined || given === '' ? join(home, '.claude') : resolve(given);
}

/** The file in which Claude Code keeps, among much else, the MCP servers of a user: beside its folder, if that is the usual one. */
export function hostFile(environment: Record<string, string | undefined>, home: string): string {
  const given = environment['CLAUDE_CONFIG_DIR'];
  return join(given === undefined || given === '' ? home : resolve(given), '.claude.json');
}
