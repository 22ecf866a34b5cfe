import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { canonicalPath, isInside } from '../../files/environment.ts';
import { contextReader } from '../../files/context-files.ts';
import {
  checkedOutBranch,
  checkedOutCommit,
  repositoryOf,
} from '../../files/git.ts';
import {
  locate,
  modifiedAt,
  unlessRefused,
  type Refusal,
} from '../../files/read-file.ts';
import type { DeclaredArtifact } from '../../settings/settings-types.generated.ts';
import type { Run } from '../../state/types.ts';
import { parseJson } from '../../text/json.ts';
import { formatSize } from '../../text/relative-time.ts';
import { asWord, quoted } from '../../text/sanitize.ts';
import { someOf } from '../frame.ts';
import { missing, targetOf } from './artifact-path.ts';

/** Something that must be in the agent's context. */
export type Artifact = DeclaredArtifact & { reload_triggers: string[] };

/** What came of loading an artifact. Paths are from the project root where they lie inside it. */
export type Loaded =
  | {
      kind: 'text';
      text: string;
      path?: string;
      isDirectory?: true;
      note?: string;
    }
  /** `words` say why there is no text, and what to do about it: what is `listed` the agent gets itself. */
  | {
      kind: 'listed' | 'empty' | 'missing' | 'refused';
      words: string;
      why?: string;
      path?: string;
      size?: number;
    };

/** The size in bytes; null if there is nothing that has one. */
export const sizeOf = (loaded: Loaded): number | null =>
  loaded.kind === 'text'
    ? Buffer.byteLength(loaded.text)
    : (loaded.size ?? null);

const MAX_COMMAND_CHARS = 300;

/** Reads only files of the project, and runs no command. Without `summarise`, a file to be summarised is listed. */
export function loadPlain(
  artifact: Artifact,
  run: Run,
  root: string,
  summarise?: (file: Loaded, type: Artifact['type']) => Loaded,
): Loaded {
  const { id, type, load_strategy: strategy } = artifact;
  if (type === 'git_info') return gitFacts(root);
  const target = targetOf(artifact, run, root);
  if (target.kind === 'missing') return target;
  const isSkill = type === 'skill';
  if (target.kind === 'command')
    return listed(
      `the project asks for the ${isSkill ? 'skill' : 'command'} ${quoted(target.text, MAX_COMMAND_CHARS)}`,
    );
  const path = canonicalPath(root, target.text) || '.';
  const where = locatePath(root, path);
  const absent = missing(
    `${asWord(path)} does not exist`,
    `write it, or correct the path of artifact ${id}`,
  );
  if (where === 'absent') return absent;
  if (where !== 'inside') return refused(path, where);
  if (isSkill || type === 'work_plugin')
    return listed(`the project asks to follow ${asWord(`@${path}`)}`);
  // What is there counts, whatever the declaration calls it.
  if (statOf(root, path)?.isDirectory() === true)
    return loadDirectory(root, path, strategy);
  const file = loadFile(root, path, type === 'json') ?? absent;
  return strategy === 'summary' && file.kind === 'text'
    ? (summarise?.(file, type) ?? toBePrimed(artifact))
    : file;
}

/** Like `locate`; a path that is written as one out of the project is outside, even if nothing is there. */
function locatePath(root: string, path: string): ReturnType<typeof locate> {
  const full = resolve(root, path);
  const isElsewhere = path.startsWith('~') || !isInside(resolve(root), full);
  return isElsewhere ? 'outside the project' : locate(root, full);
}

export const toBePrimed = ({ id }: Artifact): Loaded =>
  listed(`run \`holdfast prime --artifacts ${id}\``);

const listed = (words: string): Loaded => ({ kind: 'listed', words });

const empty = (path: string): Loaded => ({
  kind: 'empty',
  path,
  words: `${asWord(`@${path}`)} is empty`,
});

function refused(path: string, why: Refusal, size?: number): Loaded {
  const sizeWords = size === undefined ? '' : ` (${formatSize(size)})`;
  const words = `${asWord(`@${path}`)} was not loaded: ${why}${sizeWords}`;
  return size === undefined
    ? { kind: 'refused', path, words, why }
    : { kind: 'refused', path, words, why, size };
}

/** Of a file, and of all files of a directory together. */
const MAX_BYTES = 1_000_000;

function loadFile(
  root: string,
  path: string,
  isJson: boolean,
): Loaded | undefined {
  const file = contextReader(root)(path, MAX_BYTES);
  if (file.kind === 'absent') return undefined;
  if (file.kind === 'refused') return refused(path, file.why, file.size);
  const { text } = file;
  if (text.trim() === '') return empty(path);
  // Invalid JSON is loaded as well, with a note.
  const isInvalid = isJson && parseJson(text) === undefined;
  return isInvalid
    ? { kind: 'text', text, path, note: 'not valid JSON' }
    : { kind: 'text', text, path };
}

/** Files of a directory that are loaded, and those left out that are named. */
const MAX_FILES = 200;
const MAX_NAMED = 20;
/** Entries of a directory, with those of the folders below it, that are looked at. */
const MAX_ENTRIES = 20_000;

/** The files of a directory: their contents, only their names and sizes, or the newest of them. */
function loadDirectory(
  root: string,
  path: string,
  strategy: Artifact['load_strategy'],
): Loaded {
  const { files, leftOut } = filesBelow(root, path);
  if (files.length === 0)
    return leftOut.length === 0 ? empty(path) : refused(path, 'not permitted');
  if (strategy === 'latest_only') {
    // Of files of the same moment the last by name.
    const timeOf = (file: string): number => modifiedAt(join(root, file)) ?? 0;
    const newest = files.reduce((a, b) => (timeOf(a) > timeOf(b) ? a : b));
    return loadFile(root, newest, false) ?? empty(path);
  }
  const read = contextReader(root);
  let left = MAX_BYTES;
  const parts = files.slice(0, MAX_FILES).flatMap((file) => {
    if (strategy === 'summary')
      return [`${file} (${formatSize(statOf(root, file)?.size ?? 0)})`];
    const reading = read(file, left);
    if (reading.kind === 'refused') leftOut.push(`${file} (${reading.why})`);
    if (reading.kind !== 'text') return [];
    left -= Buffer.byteLength(reading.text);
    return [`--- ${file} ---`, reading.text.replace(/\r?\n$/, ''), ''];
  });
  if (leftOut.length > 0) parts.push(`Left out: ${someOf(leftOut, MAX_NAMED)}`);
  return {
    kind: 'text',
    text: parts.join('\n').trimEnd(),
    path,
    isDirectory: true,
  };
}

/** The files below a folder, without hidden ones and node_modules. A link to a folder is never walked. */
function filesBelow(
  root: string,
  top: string,
): { files: string[]; leftOut: string[] } {
  const files: string[] = [];
  const leftOut: string[] = [];
  let left = MAX_ENTRIES;
  const walk = (folder: string): void => {
    const entries = unlessRefused(() =>
      readdirSync(join(root, folder), { withFileTypes: true }),
    );
    if (entries === null) {
      leftOut.push(`${folder} (not permitted)`);
      return;
    }
    for (const entry of entries.toSorted(byName)) {
      left -= 1;
      const isIgnored = HIDDEN_OR_MODULES.test(entry.name);
      if (isIgnored || left < 0) continue;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (isFileInside(root, path)) files.push(path);
    }
  };
  walk(top);
  const isCutShort = left < 0;
  const rest = files.length - MAX_FILES;
  if (rest > 0)
    leftOut.unshift(`${isCutShort ? 'at least ' : ''}${rest} more files`);
  else if (isCutShort)
    leftOut.unshift(`what comes after the first ${MAX_ENTRIES} entries`);
  return { files, leftOut };
}

const HIDDEN_OR_MODULES = /^(?:\.|node_modules$)/;

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

function isFileInside(root: string, path: string): boolean {
  const isInsideProject = locate(root, join(root, path)) === 'inside';
  return isInsideProject && statOf(root, path)?.isFile() === true;
}

function statOf(root: string, file: string): Stats | undefined {
  return statSync(join(root, file), { throwIfNoEntry: false });
}

/** Branch and commit as git's files say them: starting git would take longer than a whole hook. */
export function gitFacts(root: string): Loaded {
  const top = repositoryOf(root)?.top;
  if (top === undefined)
    return missing(
      'this project is not a git repository',
      '`git init` makes it one',
    );
  const branch = checkedOutBranch(top);
  const commit = checkedOutCommit(top);
  if (branch === undefined && commit === undefined)
    return { kind: 'text', text: 'branch: unknown\ncommit: unknown' };
  const onBranch = branch ?? 'none (detached HEAD)';
  const text = `branch: ${onBranch}\ncommit: ${commit ?? 'none yet'}`;
  return { kind: 'text', text };
}

/** An artifact whose content is not given; `instead` tells where that of no file is. */
export function loadedText(loaded: Loaded, instead: string): string {
  if (loaded.kind !== 'text') return loaded.words;
  const size = formatSize(Buffer.byteLength(loaded.text));
  return loaded.path === undefined || loaded.isDirectory
    ? `${size}, ${instead}`
    : `${asWord(`@${loaded.path}`)} (${size}), to be opened with the Read tool`;
}

/** An artifact that is due, and what came of loading it. */
export type DueArtifact = Pick<Artifact, 'id' | 'description' | 'required'> & {
  loaded: Loaded;
};

export const isAbsent = ({ loaded }: Pick<DueArtifact, 'loaded'>): boolean =>
  loaded.kind === 'missing' || loaded.kind === 'refused';

export const isMissing = (due: DueArtifact): boolean =>
  due.required === true && isAbsent(due);
