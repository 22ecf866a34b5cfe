import { basename, join, relative, resolve } from 'node:path';
import { isObject, parseJson } from '../text/json.ts';
import { configFolder, homeFolder, realPath } from './environment.ts';
import { fitsPattern, matchesName, readProjectFile, readTextFile } from './read-file.ts';

const SECRET = /^(?:\.env.*|.*\.pem|id_.*)$/i;
const MAX_BYTES = 1_000_000;
const MAX_RULES = 1_000;

/** Reads files for a model. What a deny rule of the settings keeps from the client's Read tool is refused here, too. */
export function contextReader(root: string) {
  const isWithheld = withholder(root);
  return (path: string, maxBytes: number): ReturnType<typeof readProjectFile> =>
    isWithheld(path)
      ? { kind: 'refused', why: 'withheld from agents' }
      : readProjectFile(root, path, maxBytes);
}

/** Tests whether a path is kept from agents, by its own name or by that of the file it leads to. */
export function withholder(root: string): (path: string) => boolean {
  const isDenied = denier(root);
  return (path) => {
    const full = resolve(root, path);
    return SECRET.test(basename(full)) || SECRET.test(basename(realPath(full))) || isDenied(path);
  };
}

/** Tests whether a deny rule keeps a file from the client's Read tool. */
export function denier(root: string): (path: string) => boolean {
  let rules: Pattern[] | null = null;
  return (path) =>
    // Most projects have no such rules, and to resolve the links of many files takes long.
    (rules ??= denyRules(root)).some(({ from, parts }) => {
      const full = resolve(root, path);
      const real = realPath(full);
      const places =
        from === 'absolute' ? [full, real] : [relative(root, full), relative(realPath(root), real)];
      return places.some((place) =>
        fitsPattern(place.toLowerCase().split(/[/\\]/), parts, '**', matchesName),
      );
    });
}

type Pattern = { from: 'absolute' | 'below'; parts: string[] };

function denyRules(root: string): Pattern[] {
  const home = homeFolder();
  const files = [
    '/etc/claude-code/managed-settings.json',
    '/Library/Application Support/ClaudeCode/managed-settings.json',
    // The settings of a project can set CLAUDE_CONFIG_DIR for hooks.
    join(home, '.claude/settings.json'),
    join(configFolder(process.env, home), 'settings.json'),
    join(root, '.claude/settings.json'),
    join(root, '.claude/settings.local.json'),
  ];
  const rules = files.flatMap((path): unknown[] => {
    const file = readTextFile(path, MAX_BYTES);
    const json = file.kind === 'text' ? parseJson(file.text) : undefined;
    const permissions = isObject(json) ? json['permissions'] : undefined;
    const deny = isObject(permissions) ? permissions['deny'] : undefined;
    return Array.isArray(deny) ? deny : [];
  });
  return rules.slice(0, MAX_RULES).flatMap((rule) => {
    const [all, pattern = '**'] = /^Read(?:\((.{0,1000})\))?$/s.exec(String(rule)) ?? [];
    return all === undefined ? [] : [patternOf(pattern, home)];
  });
}

/** As in `.gitignore`: a name alone counts in every folder, and a folder stands for all that is below it. */
function patternOf(rule: string, home: string): Pattern {
  // Sets of characters are taken for any text: a file that is left out needlessly costs less than one that leaks.
  const glob = rule
    .toLowerCase()
    .replace(/\[[^\]]*\]|\{[^}]*\}/g, '*')
    .replace(/\/+$/, '');
  const isAbsolute = /^(?:\/\/|~\/)/.test(glob);
  const path = glob.replace(/^~/, home.toLowerCase()).replace(/^\/\//, '/');
  if (isAbsolute) return { from: 'absolute', parts: [...path.split('/'), '**'] };
  const isAnywhere = !path.replace(/^\.\//, '').includes('/');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return { from: 'below', parts: [...(isAnywhere ? ['**'] : []), ...names, '**'] };
}
