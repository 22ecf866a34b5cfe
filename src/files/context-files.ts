import { basename, join, relative, resolve } from 'node:path';
import { isObject, parseJson } from '../text/json.ts';
import { configFolder, homeFolder, isInside, realPath } from './environment.ts';
import { repositoryOf } from './git.ts';
import {
  fitsPattern,
  matchesName,
  readProjectFile,
  readTextFile,
  type ReadResult,
} from './read-file.ts';

const SECRET = /^(?:\.env.*|.*\.pem|id_.*)$/i;
const MAX_BYTES = 5_000_000;
const MAX_RULES = 1_000;
const MAX_RULE_CHARS = 1_000;

/** Reads files for a model. What a rule of the settings keeps from the client's Read tool is refused here, too. */
export function contextReader(
  root: string,
): (path: string, maxBytes: number) => ReturnType<typeof readProjectFile> {
  const isWithheld = withholder(root);
  return (path, maxBytes) =>
    isWithheld(path)
      ? { kind: 'refused', why: 'withheld from agents' }
      : readProjectFile(root, path, maxBytes);
}

/**
 * Reads a file of holdfast's own in the project. Agents are told what is wrong in it, so a link in its place, or in that of a
 * folder above it, is not followed to a file that is kept from them.
 */
export function readOwnFile(
  root: string,
  path: string,
  maxBytes: number,
): ReadResult {
  const isBehindLink =
    realPath(join(root, path)) !== join(realPath(root), path);
  return isBehindLink
    ? contextReader(root)(path, maxBytes)
    : readProjectFile(root, path, maxBytes);
}

/**
 * Tests whether a path is kept from agents, by its own name or by that of the file it leads to. A file about which the
 * client would ask counts: what a hook gives or a command of an agent prints is asked about by nobody.
 */
export function withholder(root: string): (path: string) => boolean {
  const hasRule = ruleTest(root, ['deny', 'ask']);
  return (path) => {
    const full = resolve(root, path);
    return (
      SECRET.test(basename(full)) ||
      SECRET.test(basename(realPath(full))) ||
      hasRule(path)
    );
  };
}

/** Tests whether a deny rule keeps a file from the client's Read tool. */
export const denier = (root: string): ((path: string) => boolean) =>
  ruleTest(root, ['deny']);

/** Whether a deny rule keeps everything in the project from the client's Read tool. */
export const deniesEverything = (root: string): boolean =>
  readRules(root, ['deny']).some(({ parts }) =>
    parts.every((part) => /^\*+$/.test(part)),
  );

type RuleList = 'deny' | 'ask';

function ruleTest(
  root: string,
  lists: readonly RuleList[],
): (path: string) => boolean {
  let rules: { patterns: Pattern[]; folders: string[] } | null = null;
  return (path) => {
    // Most projects have no such rules, and to resolve the links of many files takes long.
    rules ??= { patterns: readRules(root, lists), folders: foldersOf(root) };
    const { patterns, folders } = rules;
    if (patterns.length === 0) return false;
    const full = resolve(root, path);
    const real = realPath(full);
    const places = {
      absolute: [full, real].map(partsOf),
      below: folders
        .flatMap((folder) => [
          relative(folder, full),
          relative(realPath(folder), real),
        ])
        .map(partsOf),
    };
    return patterns.some(({ from, parts }) =>
      places[from].some((place) =>
        fitsPattern(place, parts, '**', matchesName),
      ),
    );
  };
}

const partsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .split(/[/\\]/)
    .filter((part) => part !== '');

/** `below`: from the folder of the project, or from the top of its repository. */
type Pattern = { from: 'absolute' | 'below'; parts: string[] };

const EVERYTHING: Pattern = { from: 'absolute', parts: ['**'] };

/** The folders that deny and ask rules count from: the project, and the top of its repository, where a client may have been started. */
function foldersOf(root: string): string[] {
  const top = repositoryOf(root)?.top ?? root;
  return isInside(top, root) && top !== root ? [root, top] : [root];
}

function readRules(root: string, lists: readonly RuleList[]): Pattern[] {
  const home = homeFolder();
  const rules = settingsFiles(root, home)
    .flatMap((path) => rulesIn(path, lists))
    .map((rule) => readRule(rule, home))
    .filter((pattern) => pattern !== null);
  // A file that is left out needlessly costs less than one that leaks.
  return rules.length > MAX_RULES ? [EVERYTHING] : rules;
}

function settingsFiles(root: string, home: string): string[] {
  const repository = repositoryOf(root);
  // Newer clients read the settings of the whole repository in a sub-folder and in a worktree.
  const folders = [root, repository?.top, repository?.mainCheckout].filter(
    (folder) => typeof folder === 'string',
  );
  const ofProject = [...new Set(folders)].flatMap((folder) => [
    join(folder, '.claude/settings.json'),
    join(folder, '.claude/settings.local.json'),
  ]);
  return [
    '/etc/claude-code/managed-settings.json',
    '/Library/Application Support/ClaudeCode/managed-settings.json',
    // The settings of a project can set CLAUDE_CONFIG_DIR for hooks.
    join(home, '.claude/settings.json'),
    join(configFolder(process.env, home), 'settings.json'),
    ...ofProject,
  ];
}

function rulesIn(path: string, lists: readonly RuleList[]): unknown[] {
  const file = readTextFile(path, MAX_BYTES);
  const json = file.kind === 'text' ? parseJson(file.text) : undefined;
  const permissions = isObject(json) ? json['permissions'] : undefined;
  if (!isObject(permissions)) return [];
  return lists.flatMap((list) => {
    const rules = permissions[list];
    return Array.isArray(rules) ? rules : [];
  });
}

/** `Read`, `Read(docs/**)`. The name of the tool may have `*` in it. */
const RULE = /^\s*([\w*]+)\s*(?:\((.*)\))?\s*$/s;

/** Null for a rule about another tool. */
function readRule(rule: unknown, home: string): Pattern | null {
  const [, tool = '', path = ''] = RULE.exec(String(rule)) ?? [];
  if (!matchesName('Read', tool)) return null;
  return path.length > MAX_RULE_CHARS
    ? EVERYTHING
    : patternOf(path.trim(), home);
}

/** As in `.gitignore`: a name alone counts in every folder, and a folder stands for all that is below it. */
function patternOf(rule: string, home: string): Pattern {
  // Sets of characters are taken for any text.
  const glob = rule.toLowerCase().replace(/\[[^\]]*\]|\{[^}]*\}/g, '*');
  const isAbsolute = /^(?:\/\/|~(?:\/|$))/.test(glob);
  const path = isAbsolute ? glob.replace(/^~/, home.toLowerCase()) : glob;
  const names = partsOf(path).filter((name) => name !== '.');
  if (isAbsolute) return { from: 'absolute', parts: [...names, '**'] };
  const isAnywhere = !path
    .replace(/^\.\//, '')
    .replace(/\/+$/, '')
    .includes('/');
  return {
    from: 'below',
    parts: [...(isAnywhere ? ['**'] : []), ...names, '**'],
  };
}
