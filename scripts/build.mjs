import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, licensesOf } from './licenses.mjs';

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const { cacheName, literalOf, makeCodeCache } = await moduleOf('src/install/runtime/code-cache.ts');
const hook = await build({
  ...shared,
  entryPoints: ['src/hooks/main.ts'],
  outfile: 'dist/hook.cjs',
  minify: true,
  write: false,
  plugins: [builtinsByName()],
  external: ['./hook-artifacts.cjs', './hook-reading.cjs', './hook-steps.cjs'],
});
const entry = await build({
  ...shared,
  entryPoints: ['src/hooks/entry.ts'],
  minify: true,
  write: false,
});
const code = `(function (require, call) {${asciiOnly(hook.outputFiles[0].text)}\n})`;
const cache = cacheName(code);
const loader = readFileSync(new URL('hook-loader.cjs', import.meta.url), 'utf8');
writeFileSync(
  'dist/hook.cjs',
  loader
    .replace('__DIGEST__', cache.split('-')[1])
    .replace('/* __ENTRY__ */', () => asciiOnly(entry.outputFiles[0].text).trimEnd())
    .replace('__CODE__', () => literalOf(code)),
);
writeFileSync('dist/hook.meta.json', JSON.stringify(hook.metafile));
writeFileSync(`dist/${cache}`, makeCodeCache(code, createRequire(import.meta.url), tmpdir()));

const artifacts = await build({
  ...shared,
  entryPoints: ['src/restore/artifact-support-module.ts'],
  outfile: 'dist/hook-artifacts.cjs',
  minify: true,
});
writeFileSync('dist/hook-artifacts.meta.json', JSON.stringify(artifacts.metafile));

const reading = await build({
  ...shared,
  entryPoints: ['src/hooks/reading-support-module.ts'],
  outfile: 'dist/hook-reading.cjs',
  minify: true,
});
writeFileSync('dist/hook-reading.meta.json', JSON.stringify(reading.metafile));

const steps = await build({
  ...shared,
  entryPoints: ['src/restore/step-support-module.ts'],
  outfile: 'dist/hook-steps.cjs',
  minify: true,
});
writeFileSync('dist/hook-steps.meta.json', JSON.stringify(steps.metafile));

const commandLine = {
  ...shared,
  entryPoints: ['src/cli/main.ts'],
  minifySyntax: true,
  minifyWhitespace: true,
  // Some packages offer only a UMD file as their main one, which cannot be bundled.
  mainFields: ['module', 'main'],
  plugins: [lazyChildProcess()],
};
const cli = await build({ ...commandLine, outfile: 'dist/cli.cjs' });
writeFileSync('dist/cli.meta.json', JSON.stringify(cli.metafile));
const status = await build({
  ...commandLine,
  entryPoints: ['src/cli/main-status.ts'],
  outfile: 'dist/cli-status.cjs',
});
writeFileSync('dist/cli-status.meta.json', JSON.stringify(status.metafile));
for (const file of ['dist/cli-status.cjs', 'dist/hook-reading.cjs'])
  writeFileSync(file, asciiOnly(readFileSync(file, 'utf8')));

const mcp = await build({
  ...shared,
  entryPoints: ['src/mcp/main.ts'],
  outfile: 'dist/mcp.cjs',
  minify: true,
  mainFields: ['module', 'main'],
  alias: { '@modelcontextprotocol/server/_shims': './scripts/mcp-shims.mjs' },
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
});

const metafiles = [hook, artifacts, cli, mcp].map(({ metafile }) => metafile);
writeFileSync('THIRD_PARTY_LICENSES', licensesOf(bundledPackages(metafiles)));

/**
 * Each module of Node is asked for once, and its functions have short names. esbuild alone writes
 * `(0, fs.readFileSync)(…)` at every call, which is a fortieth of the hook.
 */
function builtinsByName() {
  const load = createRequire(import.meta.url);
  return {
    name: 'builtins-by-name',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
        namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin' },
      );
      onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
        const names = Object.keys(load(path)).filter((name) => /^[A-Za-z]+$/.test(name));
        const exported = names.map(
          (name) => `export const ${name} = /* @__PURE__ */ own('${name}');`,
        );
        const head = `const module = require('${path}');\nconst own = (name) => module[name];`;
        return { contents: [head, ...exported].join('\n') };
      });
    },
  };
}

function lazyChildProcess() {
  const path = fileURLToPath(new URL('lazy-child-process.cjs', import.meta.url));
  return {
    name: 'lazy-child-process',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        /[\\/]commander[\\/]/.test(importer) ? { path } : undefined,
      ),
  };
}

/** V8 reads a text of single bytes twice as fast; what is beyond them stands in strings and patterns only. */
function asciiOnly(text) {
  return text.replace(
    /[^\u0000-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A module of the sources, where Node cannot read TypeScript itself. */
async function moduleOf(path) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [path],
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}
