import { basename } from 'node:path';
import { digestOf } from '../text/slug.ts';
import { strictJsonProblem } from '../text/strict-json.ts';
import {
  isSigned,
  isUnmodified,
  moduleFiles,
  ownTexts,
  PROGRAM_FILE,
} from './assets.ts';
import { linkTarget, readIfText, trackedIn } from './disk.ts';
import type { Draft, InitRequest, Left, PlanRequest } from './draft.ts';
import { placesOfOurs } from './hooks.ts';
import { placesOf } from './places.ts';
import type { Install, WrittenFile } from './record.ts';

/** `changed`: holdfast wrote it, and the user has changed it since. */
type FileState = 'absent' | 'ours' | 'changed' | 'foreign';

interface WantedFile {
  path: string;
  text: string;
  state: FileState;
}

/** `files` are those that belong to this installation. */
interface AddedFiles {
  files: WrittenFile[];
  left: Left[];
}

/** The slash commands, the skill and the module. */
export function addFiles(
  draft: Draft,
  request: InitRequest,
  former: Install | undefined,
): AddedFiles {
  const texts = wantedTexts(request, former);
  const module = request.hasPlugin ? [] : moduleOf(request);
  const look = ([path, text]: [string, string]): WantedFile => ({
    path,
    text,
    state: stateOf(path, former, text),
  });
  const wantedModule = module.map(look);
  const wanted = [...texts.map(look), ...wantedModule];

  // All of the module or none: one that is partly someone else's would run code that nobody has looked at as a whole.
  const isModuleFree = wantedModule.every(mayWrite);
  const isWritten = (file: WantedFile): boolean =>
    mayWrite(file) && (isModuleFree || isText(file));

  const recorded = former?.files ?? [];
  const files: WrittenFile[] = [];
  for (const file of wanted) {
    const { path, text } = file;
    if (isWritten(file)) {
      draft.write(path, text);
      files.push({ path, written: digestOf(text) });
    } else {
      files.push(...recorded.filter((known) => known.path === path));
    }
  }

  const wantedPaths = new Set(wanted.map(({ path }) => path));
  const outdated = recorded.filter(({ path }) => !wantedPaths.has(path));
  const left = removeAll(draft, request, outdated, former);
  return {
    files,
    left: [...left, ...leftOf('changed', wanted), ...leftOf('foreign', wanted)],
  };
}

/** Returns what the user has changed. */
export function removeFiles(
  draft: Draft,
  request: PlanRequest,
  former: Install | undefined,
): Left[] {
  if (former !== undefined)
    return removeAll(draft, request, former.files, former);

  // Without a record, only what looks as this version would write it, or is signed, is taken for ours.
  const { scope, root, config } = request;
  const texts = isShared(request)
    ? []
    : [...ownTexts(placesOf(scope, root, config))];
  const expected = [...texts, ...moduleOf(request)].map(([path, text]) => ({
    path,
    text,
  }));
  return removeAll(draft, request, expected, undefined);
}

function removeAll(
  draft: Draft,
  request: PlanRequest,
  files: readonly { path: string; text?: string }[],
  former: Install | undefined,
): Left[] {
  if (files.length === 0) return [];
  const tracked = trackedFiles(request);
  const untracked = files
    .filter(({ path }) => !tracked.has(path))
    .map(({ path, text }) => ({ path, state: stateOf(path, former, text) }));

  for (const { path, state } of untracked)
    if (state === 'ours') draft.write(path, null);
  return leftOf('changed', untracked);
}

const mayWrite = ({ state }: WantedFile): boolean =>
  state === 'absent' || state === 'ours';

/** A slash command or the skill, in contrast to code and settings of the module. */
const isText = ({ path }: WantedFile): boolean => path.endsWith('.md');

/** The slash commands and the skill. A local installation leaves those of the project alone. */
function wantedTexts(
  request: InitRequest,
  former: Install | undefined,
): [string, string][] {
  const { scope, root, config, hasPlugin } = request;
  if (hasPlugin) return [];
  const texts = [...ownTexts(placesOf(scope, root, config))];
  if (scope !== 'local') return texts;

  const tracked = trackedFiles(request);
  const untracked = texts.filter(([path]) => !tracked.has(path));
  if (!isShared(request)) return untracked;
  const recorded = new Set(former?.files.map(({ path }) => path));
  return untracked.filter(([path]) => recorded.has(path));
}

/** What git tracks belongs to the project, also in the folders of a local installation. */
function trackedFiles({ scope, root, config }: PlanRequest): Set<string> {
  if (scope !== 'local') return new Set();
  const { commands, skill } = placesOf(scope, root, config);
  return new Set([...trackedIn(commands), ...trackedIn(skill)]);
}

/** In a project's own files the module would run in the clients of everyone who opens the project. */
function moduleOf(request: PlanRequest): [string, string][] {
  const { scope, root, config, packageFolder } = request;
  if (scope === 'project') return [];
  const { skill } = placesOf(scope, root, config);
  return [...moduleFiles(packageFolder, config, skill)];
}

/** Whether the other scope that uses the same folders is installed too. In doubt it is. */
function isShared({ scope, root, config }: PlanRequest): boolean {
  if (scope === 'user') return false;
  const other = scope === 'local' ? 'project' : 'local';
  const text = readIfText(placesOf(other, root, config).settings);
  if (text === null) return false;
  if (text === undefined) return true;
  return strictJsonProblem(text) === null
    ? placesOfOurs(text).length > 0
    : text.includes('holdfast');
}

/** `expected` is what this version writes, if that is known. */
function stateOf(
  path: string,
  former: Install | undefined,
  expected: string | undefined,
): FileState {
  const text = readIfText(path);
  // A broken link belongs to the user: its target may come back.
  if (text === null) return linkTarget(path) === path ? 'absent' : 'foreign';

  const recorded = former?.files.find((file) => file.path === path);
  const wasOurs = recorded !== undefined;
  if (text === undefined) return wasOurs ? 'changed' : 'foreign';

  const isAsWritten = text === expected || digestOf(text) === recorded?.written;
  if (isAsWritten || isUnmodified(text) || isProgramFile(path, text))
    return 'ours';
  return wasOurs || isSigned(text) ? 'changed' : 'foreign';
}

/** `["/usr/bin/node", "/home/dev/.claude/holdfast/bin/holdfast.cjs"]`; another configuration folder has another copy of holdfast. */
const PROGRAM = /^\[\s*"[^"\n]+",\s*"[^"\n]*holdfast\.cjs"\s*\]\s*$/;

const isProgramFile = (path: string, text: string): boolean =>
  basename(path) === PROGRAM_FILE && PROGRAM.test(text);

const LEFT = {
  changed: 'was changed by hand',
  foreign: 'does not belong to holdfast',
};

function leftOf(
  state: keyof typeof LEFT,
  files: readonly { path: string; state: FileState }[],
): Left[] {
  const why = `${LEFT[state]} and is left unchanged`;
  return files
    .filter((file) => file.state === state)
    .map(({ path }) => [path, why]);
}
