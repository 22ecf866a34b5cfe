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

/** The slash commands, the skill and the module; `files` are those that belong to this installation. */
export function addFiles(
  draft: Draft,
  request: InitRequest,
  former: Install | undefined,
) {
  const look = ([path, text]: [string, string]) => ({
    path,
    text,
    state: stateOf(path, former, text),
  });
  const texts = wantedTexts(request, former).map(look);
  const module = request.hasPlugin ? [] : moduleOf(request).map(look);
  const wanted = [...texts, ...module];
  // All of the module or none: one that is partly someone else's would run code that nobody has looked at as a whole.
  const isModuleFree = module.every(
    ({ state }) => state === 'absent' || state === 'ours',
  );
  const isWritten = ({ path, state }: (typeof wanted)[number]): boolean =>
    (state === 'absent' || state === 'ours') &&
    (isModuleFree || path.endsWith('.md'));
  for (const { path, text } of wanted.filter(isWritten))
    draft.write(path, text);

  const recorded = former?.files ?? [];
  const outdated = recorded.filter(
    ({ path }) => !wanted.some((file) => file.path === path),
  );
  const left = removeAll(draft, request, outdated, former);
  return {
    files: wanted.flatMap((file): WrittenFile[] => {
      if (isWritten(file))
        return [{ path: file.path, written: digestOf(file.text) }];
      return recorded.filter(({ path }) => path === file.path);
    }),
    left: [...left, ...leftOf('changed', wanted), ...leftOf('foreign', wanted)],
  };
}

/** Returns what the user has changed. */
export function removeFiles(
  draft: Draft,
  request: PlanRequest,
  former: Install | undefined,
) {
  const { scope, root, config } = request;
  const texts = isShared(request)
    ? []
    : [...ownTexts(placesOf(scope, root, config))];
  const unrecorded = [...texts, ...moduleOf(request)].map(([path, text]) => ({
    path,
    text,
  }));
  return removeAll(draft, request, former?.files ?? unrecorded, former);
}

function removeAll(
  draft: Draft,
  request: PlanRequest,
  files: readonly { path: string; text?: string }[],
  former: Install | undefined,
): Left[] {
  const tracked = files.length === 0 ? new Set() : trackedFiles(request);
  const looked = files
    .filter(({ path }) => !tracked.has(path))
    .map(({ path, text }) => ({ path, state: stateOf(path, former, text) }));
  for (const { path } of looked.filter(({ state }) => state === 'ours'))
    draft.write(path, null);
  return leftOf('changed', looked);
}

/** A local installation leaves those of the project alone. */
function wantedTexts(
  request: InitRequest,
  former: Install | undefined,
): [string, string][] {
  const { scope, root, config, hasPlugin } = request;
  if (hasPlugin) return [];
  const texts = [...ownTexts(placesOf(scope, root, config))];
  if (scope !== 'local') return texts;
  const tracked = trackedFiles(request);
  const isLeftToProject = isShared(request);
  const isOwn = (path: string) =>
    former?.files.some((file) => file.path === path) === true;
  return texts.filter(
    ([path]) => !tracked.has(path) && (!isLeftToProject || isOwn(path)),
  );
}

/** What git tracks belongs to the project, also in the folders of a local installation. */
function trackedFiles({ scope, root, config }: PlanRequest): Set<string> {
  const { commands, skill } = placesOf(scope, root, config);
  const folders = scope === 'local' ? [commands, skill] : [];
  return new Set(folders.flatMap((folder) => [...trackedIn(folder)]));
}

/** In a project's own files the module would run in the clients of everyone who opens the project. */
function moduleOf({
  scope,
  root,
  config,
  packageFolder,
}: PlanRequest): [string, string][] {
  if (scope === 'project') return [];
  return [
    ...moduleFiles(packageFolder, config, placesOf(scope, root, config).skill),
  ];
}

/** Whether the other scope that uses the same folders is installed too. In doubt it is. */
function isShared({ scope, root, config }: PlanRequest): boolean {
  if (scope === 'user') return false;
  const other = scope === 'local' ? 'project' : 'local';
  const text = readIfText(placesOf(other, root, config).settings);
  if (text === null || text === undefined) return text === undefined;
  return strictJsonProblem(text) === null
    ? placesOfOurs(text).length > 0
    : text.includes('holdfast');
}

type State = 'absent' | 'ours' | 'changed' | 'foreign';

/** `expected` is what this version writes, if that is known. */
function stateOf(
  path: string,
  former: Install | undefined,
  expected: string | undefined,
): State {
  const text = readIfText(path);
  // A broken link belongs to the user: its target may come back.
  if (text === null) return linkTarget(path) === path ? 'absent' : 'foreign';
  const recorded = former?.files.find((file) => file.path === path);
  const isOurs =
    text !== undefined &&
    (text === expected ||
      isUnmodified(text) ||
      digestOf(text) === recorded?.written ||
      (basename(path) === PROGRAM_FILE && PROGRAM.test(text)));
  if (isOurs) return 'ours';
  const wasOurs =
    recorded !== undefined || (text !== undefined && isSigned(text));
  return wasOurs ? 'changed' : 'foreign';
}

/** Another configuration folder has another copy of holdfast. */
const PROGRAM = /^\[\s*"[^"\n]+",\s*"[^"\n]*holdfast\.cjs"\s*\]\s*$/;

const LEFT = {
  changed: 'was changed by hand',
  foreign: 'does not belong to holdfast',
};

function leftOf(
  state: keyof typeof LEFT,
  files: readonly { path: string; state: State }[],
): Left[] {
  const why = `${LEFT[state]} and is left unchanged`;
  return files
    .filter((file) => file.state === state)
    .map(({ path }) => [path, why]);
}
