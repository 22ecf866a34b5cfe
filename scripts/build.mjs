import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundledPackages, licensesOf } from './licenses.mjs';
import { buildPage } from './page.mjs';
import writeValidators from './validators.mjs';

// `--test` makes a package in dist/test/ for the tests. It differs from the one that is published in that its clock can be set.
const isForTests = process.argv.includes('--test');
const folder = isForTests ? resolve('dist/test') : process.cwd();
const dist = join(folder, 'dist');

/** Changes with the code, so that nothing that other code has kept is believed. */
const code = createHash('sha256');
for (const name of readdirSync('src', { recursive: true }).toSorted())
  if (/\.tsx?$/.test(name)) code.update(readFileSync(join('src', name)));

const shared = {
  define: {
    'process.env.HOLDFAST_BUILD': JSON.stringify(
      code.digest('hex').slice(0, 12),
    ),
    ...(isForTests ? {} : { 'process.env.HOLDFAST_NOW': 'undefined' }),
  },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** The SDK's own shims bring a JSON schema compiler, a third of the bundle, which this server never calls. */
const MCP_SHIMS = `export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {
  getValidator() { throw new Error('schema validation is not bundled'); }
}`;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const ONLY_VERSION = `export default ${JSON.stringify({ version })};`;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
if (isForTests)
  for (const name of ['bin', 'package.json', 'schemas'])
    cpSync(name, join(folder, name), { recursive: true });
writeValidators();

const hook = await build({
  ...shared,
  entryPoints: ['src/hooks/main.ts'],
  outfile: `${dist}/hook.cjs`,
  minify: true,
});
writeFileSync(`${dist}/hook.meta.json`, JSON.stringify(hook.metafile));

const cli = await build({
  ...shared,
  entryPoints: ['src/cli/main.ts'],
  outfile: `${dist}/cli.cjs`,
  minifySyntax: true,
  minifyWhitespace: true,
  // The main file of some packages is UMD, which cannot be bundled.
  mainFields: ['module', 'main'],
});
writeFileSync(`${dist}/cli.meta.json`, JSON.stringify(cli.metafile));
for (const path of [`${dist}/hook.cjs`, `${dist}/cli.cjs`])
  writeFileSync(path, asciiOnly(readFileSync(path, 'utf8')));

const mcp = await build({
  ...shared,
  entryPoints: ['src/mcp/main.ts'],
  outfile: `${dist}/mcp.cjs`,
  minify: true,
  mainFields: ['module', 'main'],
  plugins: [
    replaceModule(/^@modelcontextprotocol\/server\/_shims$/, /.*/, MCP_SHIMS),
  ],
});
writeFileSync(`${dist}/mcp.meta.json`, JSON.stringify(mcp.metafile));

// The client reads the source of a module before it loads it and refuses what it cannot follow, so nothing is minified.
await build({
  ...shared,
  entryPoints: ['src/autopilot/register.ts'],
  outfile: `${dist}/module/register.js`,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  // Of the manifest only the version belongs into a file that is installed in projects.
  plugins: [replaceModule(/package\.json$/, /version\.ts$/, ONLY_VERSION)],
});

cpSync('src/install/opencode-plugin.js', `${dist}/module/opencode.js`);

const page = await buildPage();
writeFileSync(`${dist}/ui.html`, page.html);
writeFileSync(`${dist}/ui.meta.json`, JSON.stringify(page.metafile));

const metafiles = [hook, cli, mcp, page].map(({ metafile }) => metafile);
writeFileSync('THIRD_PARTY_LICENSES', licensesOf(bundledPackages(metafiles)));

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
      onLoad({ filter, namespace: 'replaced' }, () => ({
        contents,
        resolveDir: process.cwd(),
      }));
    },
  };
}

/**
 * V8 reads one-byte source twice as fast, which is a tenth of the time of `status`. esbuild escapes other characters in
 * strings; those that are left are in patterns.
 */
function asciiOnly(text) {
  return text.replace(
    /[^\u0000-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
