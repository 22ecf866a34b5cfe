import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { build } from 'esbuild';
import { minify } from 'terser';
import { bundledPackages, licensesOf } from './licenses.mjs';
import { buildPage } from './page.mjs';
import writeValidators from './validators.mjs';

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** commander loads child_process, and with it streams and sockets, for subcommands that are executables: unused here. */
const LAZY_CHILD_PROCESS = `exports.spawn = (...words) => require('node:child_process').spawn(...words);`;

/** The SDK's own shims bring a JSON schema compiler, a third of the bundle, which this server never calls. */
const MCP_SHIMS = `export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {
  getValidator() { throw new Error('schema validation is not bundled'); }
}`;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const ONLY_VERSION = `export default ${JSON.stringify({ version })};`;

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeValidators();

const { cacheName, makeCodeCache, withDigest } = await moduleOf(
  'src/install/runtime/code-cache.ts',
);
const { commandCaches, makeCommandCaches } = await moduleOf(
  'src/install/runtime/command-caches.ts',
);
const hook = await build({
  ...shared,
  entryPoints: ['src/hooks/main.ts'],
  outfile: 'dist/hook.cjs',
  minify: true,
  write: false,
  plugins: [builtinsByName()],
});
// The code of all hooks is loaded at every call; terser makes it three per cent smaller than esbuild does. No function
// expression of ours is a constructor, so each can become an arrow.
const smaller = async (text, compress = {}) => {
  const options = { ecma: 2022, toplevel: true, parse: { bare_returns: true } };
  return (
    await minify(text, { ...options, compress: { passes: 4, hoist_funs: true, ...compress } })
  ).code;
};
const hookCode = await smaller(hook.outputFiles[0].text, { unsafe_arrows: true });
const code = withDigest(`(function (require, process, __dirname) {${asciiOnly(hookCode)}})`);
const loader = withoutComments(readFileSync(new URL('hook-loader.cjs', import.meta.url), 'utf8'));
writeFileSync('dist/hook.cjs', loader);
writeFileSync('dist/hook-code.cjs', code);
writeFileSync('dist/hook.meta.json', JSON.stringify(hook.metafile));
const cache = makeCodeCache(code, createRequire(import.meta.url), tmpdir());
writeFileSync(`dist/${cacheName('hook', code)}`, cache);

const commandLine = {
  ...shared,
  entryPoints: ['src/cli/main.ts'],
  minifySyntax: true,
  minifyWhitespace: true,
  // The main file of some packages is UMD, which cannot be bundled.
  mainFields: ['module', 'main'],
  plugins: [replaceModule(/^node:child_process$/, /[\\/]commander[\\/]/, LAZY_CHILD_PROCESS)],
};
const cli = await build({ ...commandLine, outfile: 'dist/cli.cjs' });
writeFileSync('dist/cli.meta.json', JSON.stringify(cli.metafile));
const status = await build({
  ...commandLine,
  entryPoints: ['src/cli/main-status.ts'],
  outfile: 'dist/cli-status.cjs',
  plugins: [...commandLine.plugins, replaceModule(/package\.json$/, /version\.ts$/, ONLY_VERSION)],
  minifyIdentifiers: true,
});
writeFileSync('dist/cli-status.meta.json', JSON.stringify(status.metafile));
const statusLine = await build({
  ...shared,
  entryPoints: ['src/cli/main-statusline.ts'],
  outfile: 'dist/cli-statusline.cjs',
  minify: true,
});
writeFileSync('dist/cli-statusline.meta.json', JSON.stringify(statusLine.metafile));
for (const bundle of ['cli', 'cli-status', 'cli-statusline']) {
  const path = `dist/${bundle}.cjs`;
  const text = readFileSync(path, 'utf8');
  const source = bundle === 'cli-status' ? await smaller(text, { passes: 1 }) : text;
  writeFileSync(path, withDigest(asciiOnly(source)));
}

const mcp = await build({
  ...shared,
  entryPoints: ['src/mcp/main.ts'],
  outfile: 'dist/mcp.cjs',
  minify: true,
  mainFields: ['module', 'main'],
  plugins: [replaceModule(/^@modelcontextprotocol\/server\/_shims$/, /.*/, MCP_SHIMS)],
});
writeFileSync('dist/mcp.meta.json', JSON.stringify(mcp.metafile));

// The client reads the source of a module before it loads it and refuses what it cannot follow, so nothing is minified.
await build({
  ...shared,
  entryPoints: ['src/module/register.ts'],
  outfile: 'dist/module/register.js',
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  // Of the manifest only the version belongs into a file that is installed in projects.
  plugins: [replaceModule(/package\.json$/, /version\.ts$/, ONLY_VERSION)],
});

const page = await buildPage();
writeFileSync('dist/ui.html', page.html);
writeFileSync('dist/ui.meta.json', JSON.stringify(page.metafile));

makeCommandCaches(process.cwd(), commandCaches('dist'));

const metafiles = [hook, cli, mcp, page].map(({ metafile }) => metafile);
writeFileSync('THIRD_PARTY_LICENSES', licensesOf(bundledPackages(metafiles)));

/**
 * Requires each module of Node once and binds its functions to short names: esbuild writes
 * `(0, fs.readFileSync)(…)` at every call, which is 2.5 % of the hook's size. What hooks rarely need is loaded when it is
 * called.
 */
function builtinsByName() {
  const load = createRequire(import.meta.url);
  const RARE = new Set(['node:child_process', 'node:os']);
  const lazily = (path, name) =>
    `export const ${name} = (...words) => require('${path}').${name}(...words);`;
  return {
    name: 'builtins-by-name',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
        namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin' },
      );
      onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
        const names = Object.keys(load(path)).filter((name) => /^[A-Za-z]+$/.test(name));
        if (RARE.has(path)) return { contents: names.map((name) => lazily(path, name)).join('\n') };
        const exported = names.map(
          (name) => `export const ${name} = /* @__PURE__ */ own('${name}');`,
        );
        const head = `const module = require('${path}');\nconst own = (name) => module[name];`;
        return { contents: [head, ...exported].join('\n') };
      });
    },
  };
}

/** Gives importers whose path matches `importers` the module `contents` instead of what they ask for. */
function replaceModule(filter, importers, contents) {
  return {
    name: 'replace-module',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter }, ({ path, importer, namespace }) =>
        namespace !== 'replaced' && importers.test(importer)
          ? { path, namespace: 'replaced' }
          : undefined,
      );
      onLoad({ filter, namespace: 'replaced' }, () => ({ contents }));
    },
  };
}

/** Of whole lines. */
function withoutComments(text) {
  return text.replace(/^\/\/.*\n/gm, '');
}

/** V8 reads one-byte source twice as fast. Other characters only occur in strings and patterns, so they can be escaped. */
function asciiOnly(text) {
  return text.replace(
    /[^\u0000-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bundles and imports a TypeScript module of src/, which Node 20 cannot import itself. */
async function moduleOf(path) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [path],
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}
