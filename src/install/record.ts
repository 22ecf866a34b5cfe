import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import { withLock } from '../files/lock.ts';
import { removeIfEmpty } from '../files/read-file.ts';
import { replaceText } from '../files/atomic-write.ts';
import { installsFile, runtimeFolder } from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';
import { readIfText } from './disk.ts';
import type { HostName } from '../hosts/hosts.ts';
import type { Scope, ServerPlace } from './places.ts';

const VERSION = 1;

/** `<config>/holdfast/installs.json`: what was installed where, so that `uninstall` removes exactly that. */
export interface InstallRecord {
  version: typeof VERSION;
  /** The version of the copy that the hooks run. */
  runtime: { version: string };
  /** The folders that were created, for whichever installation; each uninstallation removes those that are empty. */
  folders: string[];
  /** The same for the objects that lead to an MCP server in a JSON file: the file and the keys, see `containerKey`. */
  containers: string[];
  installs: Install[];
  /** Those in hosts other than Claude Code. */
  hosts?: HostInstall[];
}

/** `root` is null for the user, in all projects. */
export type HostInstall = {
  host: HostName;
  root: string | null;
  file: EditedSettings;
};

export interface Install {
  scope: Scope;
  /** null for scope user. */
  root: string | null;
  settings: EditedSettings;
  /** Slash commands, skill and module. */
  files: WrittenFile[];
  /** The patterns for it in exclude files of git. */
  excludes: ExcludePattern[];
  hasStatusLine: boolean;
  server?: ServerPlace;
}

/** `written` is the digest of what was written. */
export type WrittenFile = { path: string; written: string };

/** `original` is the file as it is without our entries; null if there is none. */
export type EditedSettings = WrittenFile & { original: string | null };

export type ExcludePattern = { file: string; pattern: string };

export function readRecord(
  config: string,
): InstallRecord | 'damaged' | 'newer' {
  const text = readIfText(installsFile(config));
  const empty = { folders: [], containers: [], installs: [] };
  if (text === null)
    return { version: VERSION, runtime: { version: '' }, ...empty };
  const json = parseJson(text ?? '');
  if (isRecord(json)) return json;
  return isObject(json) && Number(json['version']) > VERSION
    ? 'newer'
    : 'damaged';
}

export function requireRecord(config: string): InstallRecord {
  const record = readRecord(config);
  if (typeof record !== 'string') return record;
  const [why, hint] =
    record === 'newer'
      ? [
          'was written by a newer version of holdfast',
          'update holdfast, then try again',
        ]
      : [
          'is damaged: it recorded what is installed where',
          'delete it and try again, then run `holdfast init` in your other projects',
        ];
  throw new HoldfastError(
    `record_${record}`,
    `${installsFile(config)} ${why}`,
    {
      hint: `${hint}; nothing was changed`,
    },
  );
}

export const findInstall = (
  { installs }: InstallRecord,
  scope: Scope,
  root: string,
) =>
  installs.find(
    (install) =>
      install.scope === scope && (scope === 'user' || install.root === root),
  );

/** It has the settings of the user in it, so nobody else may read it. */
export function writeRecord(config: string, record: InstallRecord): void {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (readIfText(installsFile(config)) !== text)
    replaceText(installsFile(config), text, { mode: 0o600 });
}

export const installLock = (config: string): string =>
  join(runtimeFolder(config), '.lock');

/** Keeps two installations from overwriting each other's record. `work` gets the folders that had to be created. */
export function withInstallLock<T>(
  config: string,
  work: (made: string[]) => T,
): T {
  const home = runtimeFolder(config);
  return translateFsErrors(home, () => {
    const outermost = fse.mkdirSync(home, { recursive: true });
    const made: string[] = [];
    const length = outermost?.length ?? Infinity;
    for (let folder = home; folder.length >= length; folder = dirname(folder))
      made.push(folder);
    try {
      return withLock(installLock(config), 10_000, () => work(made));
    } finally {
      for (const folder of made.length > 0 ? made : [home])
        removeIfEmpty(folder);
    }
  });
}

/** Only `init` writes it, as a whole. */
const isRecord = (json: unknown): json is InstallRecord =>
  isObject(json) &&
  json['version'] === VERSION &&
  Array.isArray(json['installs']);
