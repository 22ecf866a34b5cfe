import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calling } from '../src/install/plan/assets.ts';
import { commandFor, hookEntries } from '../src/install/plan/hook-entry.ts';

const AUTHOR = { name: 'The holdfast authors' };

/** Since 2.1.139 a hook needs no shell; the versions of the host before that are not served. */
const ENGINES = { 'claude-code': '>=2.1.139' };

/** The host puts the folder of the plugin in its place, in hooks, commands and skills alike. */
const PLUGIN = '${CLAUDE_PLUGIN_ROOT}';

/** Clients before 2.1.286 ignore this key and run the hooks beside it. */
const MODULES = ['../dist/module/register.js'];

/** By its path: the host has `bin/` on the PATH of its shell, but not where a slow profile of the user's keeps it from that. */
const INVOCATION = `node "${PLUGIN}/bin/holdfast.cjs"`;

/** The plugin that the package is as well, made of the texts that `init` writes: path from the root → content. */
export function pluginFiles(root: string): Map<string, string> {
  const { name, version, description, license, keywords } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const files = new Map([
    [
      '.claude-plugin/plugin.json',
      json({ name, version, description, author: AUTHOR, license, keywords, engines: ENGINES }),
    ],
    ['.claude-plugin/marketplace.json', json(marketplace(name, description))],
    ['hooks/hooks.json', json({ modules: MODULES, hooks: hooks() })],
    ['skills/holdfast/SKILL.md', filledIn(join(root, 'src/install/assets/skill/SKILL.md'))],
  ]);
  for (const folder of ['src/install/assets/commands', 'src/install/plugin'])
    for (const file of readdirSync(join(root, folder)).toSorted())
      files.set(`commands/${file}`, filledIn(join(root, folder, file)));
  return files;
}

function marketplace(name: string, description: string): object {
  return {
    name,
    owner: AUTHOR,
    metadata: { description },
    plugins: [{ name, source: './', description }],
  };
}

/** PreToolUse would start a process at every edit and command: `init` registers it where a project wants it. */
function hooks(): Record<string, object[]> {
  const entries = hookEntries(commandFor(`${PLUGIN}/dist/hook.cjs`), false);
  return Object.fromEntries(
    entries.map(({ event, matcher, hook }) => [event, [{ matcher, hooks: [hook] }]]),
  );
}

function filledIn(path: string): string {
  return calling(readFileSync(path, 'utf8'), INVOCATION);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
