import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  commandBelow,
  PLUGIN_ROOT,
  type HookCommand,
} from '../src/install/host-commands.ts';
import { hookEntries } from '../src/install/hooks.ts';
import { codexHooks } from '../src/install/other-hosts.ts';

const AUTHOR = { name: 'The holdfast authors' };

/** Older clients are not tested. */
const ENGINES = { 'claude-code': '>=2.1.139' };

/** Clients before 2.1.286 ignore this key and run the hooks beside it. */
const MODULES = ['../dist/module/register.js'];

/** The plugin, made from what `init` installs, and this repository's own hooks: path → content. */
export function pluginFiles(root: string): Map<string, string> {
  const { name, version, description, license, keywords, repository } =
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const plugin = {
    name,
    version,
    description,
    author: AUTHOR,
    license,
    keywords,
    engines: ENGINES,
  };
  const files = new Map([
    ['.claude-plugin/plugin.json', json(plugin)],
    [
      '.claude-plugin/marketplace.json',
      json(marketplace(name, description, repository?.url)),
    ],
    [
      'hooks/hooks.json',
      json({ modules: MODULES, ...hooks(commandBelow(PLUGIN_ROOT)) }),
    ],
    // Codex takes the same marketplace, but no modules.
    [
      '.codex-plugin/plugin.json',
      json({
        name,
        version,
        description,
        author: AUTHOR,
        license,
        hooks: './hooks/codex.json',
      }),
    ],
    ['hooks/codex.json', json(codexHooks(commandBelow(PLUGIN_ROOT)))],
    // The hooks of a clone do nothing before its first build.
    ['.claude/settings.json', json(hooks(commandBelow('$CLAUDE_PROJECT_DIR')))],
    [
      'skills/holdfast/SKILL.md',
      textOf(join(root, 'src/install/assets/skill/SKILL.md')),
    ],
  ]);
  for (const folder of ['src/install/assets/commands', 'src/install/plugin'])
    for (const file of readdirSync(join(root, folder)).toSorted())
      files.set(`commands/${file}`, textOf(join(root, folder, file)));
  return files;
}

/** The branch `release` has the built files; this folder has them where it was built, as in the package. */
function marketplace(
  name: string,
  description: string,
  url: string | undefined,
): object {
  const source =
    url === undefined ? './' : { source: 'url', url, ref: 'release' };
  return {
    name,
    owner: AUTHOR,
    metadata: { description },
    plugins: [{ name, source, description }],
  };
}

/** Without the hook for `reading.enforce: block`, which `init` registers in the projects that want it. */
function hooks(command: HookCommand): object {
  const groups: Record<string, object[]> = {};
  for (const { event, matcher, hook } of hookEntries(command, false))
    (groups[event] ??= []).push({ matcher, hooks: [hook] });
  return { hooks: groups };
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
