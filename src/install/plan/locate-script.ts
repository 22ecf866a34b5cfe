import { dirname, join } from 'node:path';
import { runtimeFolder, scriptFile } from '../../io/runtime-paths.ts';

/**
 * For commands that are committed: runs the user's own copy, else the project's dependency. Committed settings may
 * name code of their project; the settings of a user never do.
 */
export function locatorScript(file: 'hook.cjs' | 'mcp.cjs'): string {
  return [
    `const p=require('path'),v=process.env,h=['holdfast','dist','${file}'],`,
    "f=[p.join(v.CLAUDE_CONFIG_DIR||p.join(require('os').homedir(),'.claude'),...h)];",
    'for(let d=v.CLAUDE_PROJECT_DIR||process.cwd(),u;d!==u;u=d,d=p.dirname(d))',
    "f.push(p.join(d,'node_modules',...h));",
    'process.argv.length=1;',
    "const x=f.find(require('fs').existsSync);",
  ].join('');
}

/** Where a committed command looks for bin/hook.sh, in its order. */
export function scriptLocations({ root, config }: { root: string; config: string }): string[] {
  return [runtimeFolder(config), join(root, 'node_modules', 'holdfast')].map(scriptFile);
}

/** Where that script looks, in its order. */
export function locationsOf(
  file: 'hook.cjs' | 'mcp.cjs',
  { root, config }: { root: string; config: string },
): string[] {
  const locations = [join(runtimeFolder(config), 'dist', file)];
  for (let folder = root; ; folder = dirname(folder)) {
    locations.push(join(folder, 'node_modules', 'holdfast', 'dist', file));
    if (dirname(folder) === folder) return locations;
  }
}
