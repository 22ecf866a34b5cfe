import { dirname, join, relative } from 'node:path';
import { foldersBeside } from '../doctor/client-settings.ts';
import { reasonNotToRun, type RunPlaces } from '../doctor/safe-to-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { placesOfHooks } from '../install/hooks.ts';
import { isOurHook, isOurServer } from '../install/host-commands.ts';
import { isOurStatusLine } from '../install/status-line.ts';
import { repositoryOf } from '../files/git.ts';
import { readTextFile, entriesIn } from '../files/read-file.ts';
import { isObject, ownMember, parseJson } from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';

/** `hostFile`: the client's own, about user and projects; `ownFiles`: path below `.claude` → what `init` writes there. */
export type ProjectPlaces = RunPlaces & {
  hostFile: string;
  ownFiles: ReadonlyMap<string, string>;
};

/** Of what a project brings, in the message. */
const MAX_NAMED = 12;

/**
 * In a folder that the user has never trusted in the client, nothing may come with the project that the client would run,
 * or that would widen what it may do: in print mode it asks nobody. What `init` writes is not among it.
 */
export function requireTrustedProject(places: ProjectPlaces): void {
  const { root } = places;
  if (isTrustedFolder(places, root)) return;
  const found = [...foreignThings(places)];
  if (found.length === 0) return;
  const named = found.slice(0, MAX_NAMED);
  if (found.length > MAX_NAMED) named.push('more');
  throw new HoldfastError(
    'project_not_trusted',
    `${asWord(root)} is not trusted in Claude Code, and it brings ${named.join(', ')}`,
    {
      hint: 'read them, then start `claude` there once and accept its question; driven sessions would use them without asking',
    },
  );
}

/** Whether the user has accepted the question of the client for this folder or one above it. */
function isTrustedFolder({ hostFile }: ProjectPlaces, root: string): boolean {
  const projects = ownMember(readJson(hostFile), 'projects');
  for (let folder = root; ; folder = dirname(folder)) {
    if (
      ownMember(ownMember(projects, folder), 'hasTrustDialogAccepted') === true
    )
      return true;
    if (dirname(folder) === folder) return false;
  }
}

/** Far more than a project has; looking at them takes about two seconds. */
const MAX_FOLDERS = 100_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/** As the user would look for it. */
function* foreignThings(places: ProjectPlaces): Generator<string> {
  const { root, config } = places;
  const above = foldersUpToRepository(root);
  // Newer clients also read the settings of the main worktree, which may be trusted itself.
  const beside = foldersBeside(root).filter(
    (folder) => !isTrustedFolder(places, folder),
  );
  for (const folder of new Set([root, ...above, ...beside])) {
    const claude = join(folder, '.claude');
    // In the home folder, the settings of the project are the user's.
    if (claude !== config) {
      yield* foreignIn(places, join(claude, 'settings.json'));
      yield* foreignIn(places, join(claude, 'settings.local.json'));
    }
    yield* foreignIn(places, join(folder, '.mcp.json'), 'mcpServers');
  }
  for (const folder of above)
    yield* foreignFiles(places, join(folder, '.claude'));
  yield* foreignFilesBelow(places);
}

/** Those below are discovered by the client when the agent opens a file near them. */
function* foreignFilesBelow(places: ProjectPlaces): Generator<string> {
  const waiting = [places.root];
  let count = 0;
  for (;;) {
    const folder = waiting.pop();
    if (folder === undefined) return;
    if (count === MAX_FOLDERS) {
      yield 'more folders than can be checked';
      return;
    }
    count += 1;
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === '.claude') yield* foreignFiles(places, path);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name))
        waiting.push(path);
    }
  }
}

/**
 * The folders above the project up to the top of its repository; none without one. The client takes settings, servers,
 * agents and commands from them too, so they are looked through for what would run unasked.
 */
function foldersUpToRepository(root: string): string[] {
  const top = repositoryOf(root)?.top ?? root;
  const above: string[] = [];
  let folder = root;
  while (folder !== top && folder !== dirname(folder)) {
    folder = dirname(folder);
    above.push(folder);
  }
  return above;
}

/** Settings by which nothing is run and nothing is allowed. */
const HARMLESS = new Set(
  '$schema attribution includeCoAuthoredBy language model permissions.ask permissions.deny'.split(
    ' ',
  ),
);

/** What a JSON file of the client brings, or one key of it alone, named together with the file. */
function* foreignIn(
  places: ProjectPlaces,
  path: string,
  only?: string,
): Generator<string> {
  const shown = asWord(relative(places.root, path));
  const json = readJson(path);
  if (json === UNREADABLE) yield `${shown}, which cannot be checked`;
  const found = Object.entries(isObject(json) ? json : {})
    .filter(([key]) => key === (only ?? key))
    .flatMap(([key, value]) =>
      only === undefined
        ? foreignSetting(places, key, value)
        : foreignServers(places, value),
    )
    .filter((key) => !HARMLESS.has(key));
  if (found.length > 0) yield `${found.join(' and ')} in ${shown}`;
}

function foreignSetting(
  places: ProjectPlaces,
  key: string,
  value: unknown,
): string[] {
  const entries = isObject(value) ? Object.entries(value) : [];
  switch (key) {
    case 'hooks': {
      const hooks = placesOfHooks({ hooks: value }).filter(
        ({ hook }) => !isOwn(places, hook),
      );
      const events = new Set(hooks.map(({ event }) => event));
      return events.size === 0
        ? []
        : [`hooks for ${[...events].map((event) => asWord(event)).join(', ')}`];
    }
    case 'permissions':
    case 'env':
      return entries.map(([name]) => asWord(`${key}.${name}`));
    case 'enabledPlugins':
      return entries
        .filter(
          ([name, isOn]) => isOn === true && !/^holdfast(?:@|$)/.test(name),
        )
        .map(([name]) => `the plugin ${asWord(name)}`);
    case 'statusLine':
      return isOurStatusLine(value) ? [] : [key];
    default:
      return [asWord(key)];
  }
}

const foreignServers = (places: ProjectPlaces, servers: unknown): string[] =>
  Object.entries(isObject(servers) ? servers : {})
    .filter(([, server]) => !isOwn(places, server))
    .map(([name]) => `the MCP server ${asWord(name)}`);

/** A hook or server that looks like ours may still run a file of the project. */
function isOwn(places: ProjectPlaces, entry: unknown): boolean {
  if (!isObject(entry) || !(isOurHook(entry) || isOurServer(entry)))
    return false;
  return reasonNotToRun(entry, places) === null;
}

/**
 * Agents, slash commands and skills can all start programs and allow tools, by their front matter or as plugins. So only
 * those that `init` writes are not foreign: byte by byte, for their seal can be copied.
 */
function* foreignFiles(
  { root, config, ownFiles }: ProjectPlaces,
  claude: string,
): Generator<string> {
  if (claude === config) return;
  for (const kind of ['agents', 'commands', 'skills'])
    for (const path of filesBelow(join(claude, kind))) {
      const file = readTextFile(path, MAX_BYTES, 'refused');
      const own = ownFiles.get(relative(claude, path));
      if (file.kind !== 'text' || file.text !== own)
        yield asWord(relative(root, path));
    }
}

/** A link counts as a file. */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of entriesIn(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

const MAX_BYTES = 5_000_000;

/** The client might read what we refuse to: too large, binary, or not a file. */
const UNREADABLE = Symbol('unreadable');

function readJson(path: string): unknown {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'absent') return undefined;
  // If it is not JSON, the client cannot read it either, so it runs nothing of it.
  return file.kind === 'text' ? parseJson(file.text) : UNREADABLE;
}
