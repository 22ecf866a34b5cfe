import { join, resolve } from 'node:path';

/** Where Claude Code keeps what belongs to the user. */
export function configFolder(
  environment: Record<string, string | undefined>,
  home: string,
): string {
  const given = environment.CLAUDE_CONFIG_DIR;
  return given === undefined || given === '' ? join(home, '.claude') : resolve(given);
}
