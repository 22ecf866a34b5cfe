/**
 * For files that are committed: the user's own copy, else the project's dependency. What a project has of its own
 * may name code of that project; the settings of a user never do.
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
