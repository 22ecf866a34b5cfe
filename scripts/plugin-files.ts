import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calling } from '../src/install/plan/assets.ts';
import { commandFor, hookEntries } from '../src/install/plan/hook-entry.ts';

const AUTHOR = { name: 'The holdfast authors' };

/** The first version of the client that starts hooks without a shell. */
const ENGINES = { 'claude-code': '>=2.1.139' };

/** The client replaces this with the plugin's folder in hooks, commands and skills. */
const PLUGIN = '${CLAUDE_PLUGIN_ROOT}';

/** An absolute path: `bin/` is missing from PATH if the user's shell profile is too slow for the client. */
const INVOCATION = `node "${PLUGIN}/bin/holdfast.cjs"`;

/** The package is also a plugin, made of the texts that `init` installs: path from the root → content. */
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
    ['hooks/hooks.json', json({ hooks: hooks() })],
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

/** Without PreToolUse, which would start a process for every edit and command; `init` registers it on request. */
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
