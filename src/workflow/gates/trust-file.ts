import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { errorCode, isInside } from '../../io/read-file.ts';

/** The user whose record of trust it is, and the project it must be outside of. */
export interface TrustPlace {
  /** The user's configuration directory of Claude Code. */
  config: string;
  root: string;
}

export function trustFolder({ config }: TrustPlace): string {
  return join(config, 'holdfast');
}

export function trustFile(place: TrustPlace): string {
  return join(trustFolder(place), 'trusted-templates.json');
}

/**
 * A record inside the project may have come with the project, which would let a template vouch for itself: the
 * settings of a project can set CLAUDE_CONFIG_DIR. ~/.claude is always the user's own, even if home is a repository.
 */
export function isInProject(place: TrustPlace, home: string | null = accountHome()): boolean {
  if (home !== null && resolve(place.config) === join(home, '.claude')) return false;
  const file = resolve(trustFile(place));
  return isInside(resolve(place.root), file) || isInside(realPlace(place.root), realPlace(file));
}

export function requireOutsideProject(place: TrustPlace): void {
  if (!isInProject(place)) return;
  throw new HoldfastError(
    'trust_in_project',
    `${trustFile(place)} is inside the project, where trust does not count`,
    { hint: 'set CLAUDE_CONFIG_DIR to a directory outside the project, or unset it' },
  );
}

/** Not $HOME, which the settings of a project can set as well. */
function accountHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    // A user unknown to the system, as in some containers, has no home to compare with.
    return null;
  }
}

/** The path without links, even if it does not exist yet. */
function realPlace(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync.native(full);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return full;
    return join(realPlace(dirname(full)), full.slice(dirname(full).length));
  }
}
