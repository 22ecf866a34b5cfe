import type { EditedFile, Install, Installs } from './record.ts';
import type { Scope } from '../plan/scopes.ts';

export function findInstall(
  { installs }: Installs,
  scope: Scope,
  root: string,
): Install | undefined {
  return installs.find((install) => isFor(install, scope, root));
}

export function othersThan({ installs }: Installs, scope: Scope, root: string): Install[] {
  return installs.filter((install) => !isFor(install, scope, root));
}

/**
 * Folders that the removed installation created and others still use pass to the first of those. Later installations
 * backed up files with its entries in them; they inherit its backups, which have the original content.
 */
export function withoutInstall(all: Installs, scope: Scope, root: string): Installs {
  const at = all.installs.findIndex((install) => isFor(install, scope, root));
  const former = all.installs[at];
  if (former === undefined) return all;
  const later = all.installs.slice(at + 1).map((install) => inheriting(install, former));
  const [first, ...rest] = [...all.installs.slice(0, at), ...later];
  if (first === undefined) return { ...all, installs: [] };
  const folders = [...new Set([...first.folders, ...former.folders])];
  return { ...all, installs: [{ ...first, folders }, ...rest] };
}

/** Drops the installations of projects that were deleted or moved. */
export function withoutGone(
  all: Installs,
  isGone: (root: string) => boolean,
): { left: Installs; gone: Install[] } {
  const gone = all.installs.filter(({ root }) => root !== null && isGone(root));
  const left = gone.reduce(
    (installs, { scope, root }) => withoutInstall(installs, scope, root ?? ''),
    all,
  );
  return { left, gone };
}

function inheriting(install: Install, former: Install): Install {
  return { ...install, edited: install.edited.map((file) => inherited(file, former)) };
}

/** Unless the file was edited between the two: only the later backup has that edit. */
function inherited(file: EditedFile, former: Install): EditedFile {
  const shared = former.edited.find(({ path }) => path === file.path);
  return shared === undefined || shared.written !== file.found
    ? file
    : { ...file, backup: shared.backup, found: shared.found };
}

function isFor(install: Install, scope: Scope, root: string): boolean {
  return install.scope === scope && (scope === 'user' || install.root === root);
}
