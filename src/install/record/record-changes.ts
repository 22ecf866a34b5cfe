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
 * What the first installation made and others still use is theirs to take away in the end. Those that came later
 * found files with its work in them: for them, the file as it was is now the one that it had found.
 */
export function withoutInstall(all: Installs, scope: Scope, root: string): Installs {
  const at = all.installs.findIndex((install) => isFor(install, scope, root));
  const former = all.installs[at];
  if (former === undefined) return all;
  const later = all.installs.slice(at + 1).map((install) => inheriting(install, former));
  const [heir, ...rest] = [...all.installs.slice(0, at), ...later];
  if (heir === undefined) return { ...all, installs: [] };
  const folders = [...new Set([...heir.folders, ...former.folders])];
  return { ...all, installs: [{ ...heir, folders }, ...rest] };
}

/** A project that was deleted or moved away has no installation any more. */
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

/** Not where somebody had edited the file between the two: that edit is in the later backup alone. */
function inherited(file: EditedFile, former: Install): EditedFile {
  const shared = former.edited.find(({ path }) => path === file.path);
  return shared === undefined || shared.written !== file.found
    ? file
    : { ...file, backup: shared.backup, found: shared.found };
}

function isFor(install: Install, scope: Scope, root: string): boolean {
  return install.scope === scope && (scope === 'user' || install.root === root);
}
