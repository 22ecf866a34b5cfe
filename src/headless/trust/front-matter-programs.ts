import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { readTextFile } from '../../io/read-file.ts';
import { isObject } from '../../util/json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { entriesIn } from '../../io/folder-entries.ts';

const MAX_BYTES = 1_000_000;
/** Far more than anybody has. */
const MAX_FILES = 10_000;
const MAX_DEPTH = 8;

/** Keys of the front matter by which an agent, a skill or a slash command starts programs. */
const KEYS = { hooks: 'hooks', mcpServers: 'MCP servers' } as const;

/** What the agents, skills and slash commands of a `.claude` folder bring, as the user would look for it. */
export function frontMatterPrograms(
  root: string,
  claudeFolder: string,
  skills: readonly string[],
): string[] {
  const files = [
    ...markdownBelow(join(claudeFolder, 'agents')),
    ...markdownBelow(join(claudeFolder, 'commands')),
    ...skills.flatMap((name) => skillFiles(join(claudeFolder, 'skills', name))),
  ];
  if (files.length > MAX_FILES) {
    const shown = sanitizeLine(relative(root, claudeFolder));
    return [`more than ${MAX_FILES} agents, skills and commands in ${shown}`];
  }
  return files.toSorted().flatMap((file) => programsIn(file, sanitizeLine(relative(root, file))));
}

/** A skill may be a whole plugin. */
function skillFiles(folder: string): string[] {
  return [
    join(folder, 'SKILL.md'),
    ...markdownBelow(join(folder, 'agents')),
    ...markdownBelow(join(folder, 'commands')),
    ...entriesIn(join(folder, 'skills')).map(({ name }) =>
      join(folder, 'skills', name, 'SKILL.md'),
    ),
  ];
}

function markdownBelow(folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isFolder(entry, path)) return markdownBelow(path, depth + 1);
    return /\.md$/i.test(entry.name) ? [path] : [];
  });
}

/** The client follows links. */
function isFolder(
  entry: { isDirectory: () => boolean; isSymbolicLink: () => boolean },
  path: string,
): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function programsIn(path: string, shown: string): string[] {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'absent') return [];
  if (file.kind === 'refused') return [`${shown}, which cannot be checked`];
  const block = /^\s*---[^\n]*\n(.*?)^---/ms.exec(file.text)?.[1] ?? '';
  // Most files have neither word, and need no parser; a backslash may hide one.
  if (!/hooks|mcpServers|\\/.test(block)) return [];
  const fields = parseFields(block);
  if (fields === null) return [`the front matter of ${shown}, which cannot be checked`];
  const keys = (['hooks', 'mcpServers'] as const).filter(
    (key) => fields[key] !== undefined && fields[key] !== null,
  );
  return keys.map((key) => `${KEYS[key]} in the front matter of ${shown}`);
}

/** Null if it cannot be checked. */
function parseFields(block: string): Record<string, unknown> | null {
  try {
    const fields: unknown = parse(block, { merge: true, logLevel: 'error', maxAliasCount: 20 });
    return isObject(fields) ? fields : {};
  } catch {
    // It is not YAML, or too much of it; the client might still read it.
    return null;
  }
}
