import { isObject } from '../state/json.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** `<config>/holdfast/installs.json`: what was installed where, so that exactly that can be taken out again. */
export interface Installs {
  /** The holdfast whose files lie beside this one, for the hooks. */
  runtime: { version: string };
  installs: Install[];
}

export interface Install {
  scope: Scope;
  /** null: for all projects of the user. */
  root: string | null;
  /** The files that were there before, or are shared with others. */
  edited: EditedFile[];
  /** The folders that were made. */
  folders: string[];
  /** What git was told not to show: exclude file and pattern. */
  excluded: { file: string; pattern: string }[];
}

export interface EditedFile {
  path: string;
  /** The file as it was, in the folder of backups; null where there was none. */
  backup: string | null;
  /** The digest of what was written. */
  written: string;
}

export function installsFrom(json: unknown): Installs {
  const { runtime, installs } = isObject(json) ? json : {};
  const version = isObject(runtime) && typeof runtime.version === 'string' ? runtime.version : '';
  return {
    runtime: { version },
    installs: Array.isArray(installs) ? installs.filter(isInstall) : [],
  };
}

export function findInstall(
  { installs }: Installs,
  scope: Scope,
  root: string,
): Install | undefined {
  return installs.find((install) => isFor(install, scope, root));
}

export function withInstall({ runtime, installs }: Installs, install: Install): Installs {
  const others = installs.filter(
    (other) => other.scope !== install.scope || other.root !== install.root,
  );
  return { runtime, installs: [...others, install] };
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

function inheriting(install: Install, former: Install): Install {
  const edited = install.edited.map((file) => {
    const shared = former.edited.find(({ path }) => path === file.path);
    return shared === undefined ? file : { ...file, backup: shared.backup };
  });
  return { ...install, edited };
}

function isFor(install: Install, scope: Scope, root: string): boolean {
  return install.scope === scope && (scope === 'user' || install.root === root);
}

function isInstall(value: unknown): value is Install {
  if (!isObject(value)) return false;
  const { scope, root, edited, folders, excluded } = value;
  return (
    SCOPES.some((known) => known === scope) &&
    (root === null || typeof root === 'string') &&
    isListOf(
      edited,
      ({ path, backup, written }) =>
        typeof path === 'string' &&
        typeof written === 'string' &&
        (backup === null || typeof backup === 'string'),
    ) &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === 'string') &&
    isListOf(
      excluded,
      ({ file, pattern }) => typeof file === 'string' && typeof pattern === 'string',
    )
  );
}

function isListOf(value: unknown, fits: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && fits(item));
}
