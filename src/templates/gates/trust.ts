import { createHash } from 'node:crypto';
import { canonicalJson, isObject, parseJson } from '../../text/json.ts';
import { mkdirSync, lstatSync, renameSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { replaceFile } from '../../files/atomic-write.ts';
import { LockLost, withLock } from '../../files/lock.ts';
import { readTextFile } from '../../files/read-file.ts';
import { findProjectRoot, homeFolder } from '../../files/environment.ts';
import { projectIdentity } from '../../files/git.ts';
import { isInProject } from '../../files/users-folder.ts';
import {
  blockedPath,
  locked,
  translateFsErrors,
} from '../../files/fs-errors.ts';
import { setAsideName } from '../../state/paths.ts';
import type { Template } from '../../machine/template-types.generated.ts';

/** The user's approval of one template content in one project. */
export interface TrustedTemplate {
  /** Of the template as it will run: any change of its content is another template. */
  hash: string;
  name: string;
  file: string;
  /** The folder that stands for the project in all of its worktrees. Entries of older versions have none. */
  project?: string;
  trusted_at: string;
}

const VERSION = 1;
const MAX_BYTES = 1_000_000;
const MAX_TRUSTED = 1_000;
const WAIT_FOR_OTHERS = 10_000;

export const hashOf = (template: Template): string =>
  createHash('sha256').update(canonicalJson(template, 0)).digest('hex');

/** The same command runs other code in another project, so the same content is trusted for each project apart. */
export function isTrusted(place: TrustPlace, template: Template): boolean {
  const hash = hashOf(template);
  const { trusted } = readTrust(place);
  return trusted.some(
    (entry) => entry.hash === hash && countsIn(place.root, entry),
  );
}

/** Whether an entry is about this project, be it in its main checkout or in a worktree. */
export const countsIn = (root: string, entry: TrustedTemplate): boolean =>
  projectOfEntry(entry) === projectIdentity(root);

/**
 * An entry without a project counts for the one that its file is in. That of a built-in template is in none: nobody was
 * asked in which projects its commands may run.
 */
export function projectOfEntry({
  project,
  file,
}: TrustedTemplate): string | null {
  if (project !== undefined) return project;
  if (!isAbsolute(file)) return null;
  return projectIdentity(findProjectRoot(dirname(file), homeFolder()));
}

/** A damaged file grants no trust: `problem` says what is wrong with it. */
export function readTrust(place: TrustPlace): {
  trusted: TrustedTemplate[];
  problem: string | null;
} {
  const path = trustFile(place);
  const nothing = (why: string) => ({
    trusted: [],
    problem: `${path} ${why}; no template is trusted`,
  });
  if (isInProject(place)) return nothing('is inside the project');
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'absent') return { trusted: [], problem: null };
  if (file.kind === 'refused') return nothing(`was not read (${file.why})`);
  const json = parseJson(file.text);
  // Half a file, or another program's: the next `trust` replaces it.
  if (json === undefined) return nothing('is not JSON');
  const { templates: entries, version = VERSION } = isObject(json) ? json : {};
  return version === VERSION && Array.isArray(entries) && entries.every(isEntry)
    ? { trusted: entries, problem: null }
    : nothing('is not in the expected format');
}

export function trust(
  place: TrustPlace,
  template: Template,
  file: string,
  now: Date,
): TrustedTemplate {
  const entry = {
    hash: hashOf(template),
    name: template.name,
    file,
    project: projectIdentity(place.root),
    trusted_at: now.toISOString(),
  };
  change(place, now, (trusted) => [
    ...trusted.filter((other) => !isSameTrust(other, entry)),
    entry,
  ]);
  return entry;
}

/** Takes back the content of every entry that fits, in the project of that entry. */
export function untrust(
  place: TrustPlace,
  now: Date,
  fits: (entry: TrustedTemplate) => boolean,
): TrustedTemplate[] {
  const { trusted } = readTrust(place);
  const found = trusted.filter(fits);
  const isRemoved = (entry: TrustedTemplate): boolean =>
    found.some((each) => isSameTrust(each, entry));
  if (found.length > 0)
    change(place, now, (list) => list.filter((entry) => !isRemoved(entry)));
  return trusted.filter(isRemoved);
}

/** A run and the file that it was started from have the same content. */
const isSameTrust = (one: TrustedTemplate, other: TrustedTemplate): boolean =>
  one.hash === other.hash && projectOfEntry(one) === projectOfEntry(other);

function change(
  place: TrustPlace,
  now: Date,
  edit: (trusted: TrustedTemplate[]) => TrustedTemplate[],
): void {
  const folder = trustFolder(place);
  const path = trustFile(place);
  requireOutsideProject(place);
  translateFsErrors(folder, () => {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isFile() === true)
      throw blockedPath(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    withLock(trustLock(place), WAIT_FOR_OTHERS, (lock) => {
      const { trusted, problem } = readTrust(place);
      if (problem !== null) renameSync(path, setAsideName(path, now));
      const templates = edit(trusted).slice(-MAX_TRUSTED);
      const content = `${JSON.stringify({ version: VERSION, templates }, null, 2)}\n`;
      try {
        replaceFile(lock, folder, path, content);
      } catch (error) {
        throw error instanceof LockLost ? locked(path, WAIT_FOR_OTHERS) : error;
      }
    });
  });
}

const isEntry = (value: unknown): value is TrustedTemplate =>
  isObject(value) &&
  ['hash', 'name', 'file', 'trusted_at'].every(
    (key) => typeof value[key] === 'string',
  ) &&
  ['string', 'undefined'].includes(typeof value['project']);

/** The user whose record of trust it is, and the project it must be outside of. */
export interface TrustPlace {
  /** The user's configuration directory of Claude Code. */
  config: string;
  root: string;
}

const trustFolder = ({ config }: Pick<TrustPlace, 'config'>): string =>
  join(config, 'holdfast');

export const trustLock = (place: Pick<TrustPlace, 'config'>): string =>
  join(trustFolder(place), '.trust.lock');

/** Inside the project it may have come with the project, which would let a template vouch for itself. */
const trustFile = (place: TrustPlace): string =>
  join(trustFolder(place), 'trusted-templates.json');

export function requireOutsideProject(place: TrustPlace): void {
  if (!isInProject(place)) return;
  const message = `${trustFile(place)} is inside the project, where trust does not count`;
  const hint =
    'set CLAUDE_CONFIG_DIR to a directory outside the project, or unset it';
  throw new HoldfastError('trust_in_project', message, { hint });
}
