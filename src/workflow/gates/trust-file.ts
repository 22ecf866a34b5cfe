import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { errorCode, isInside } from '../../io/read-file.ts';

/** Whose record of trust it is, and what it must lie outside of. */
export interface TrustPlace {
  /** Where Claude Code keeps what belongs to the user. */
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
 * What lies in the project may have come with it, and then the template would vouch for itself: a project's
 * settings can say where the configuration is. The user's own folder is theirs, also where home is a repository.
 */
export function liesInProject(place: TrustPlace, home: string | null = accountHome()): boolean {
  if (home !== null && resolve(place.config) === join(home, '.claude')) return false;
  const file = resolve(trustFile(place));
  return isInside(resolve(place.root), file) || isInside(realPlace(place.root), realPlace(file));
}

export function requireOutsideProject(place: TrustPlace): void {
  if (!liesInProject(place)) return;
  throw new HoldfastError({ code: 'trust_in_project', path: trustFile(place) });
}

/** Not $HOME, which a project's settings can say too. */
function accountHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    // A user that the system does not know, as in a container: nobody's folder is theirs.
    return null;
  }
}

/** Where it is without any links, also while it has not been made. */
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
