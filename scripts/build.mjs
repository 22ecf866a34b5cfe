import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { makeCodeCache } from './code-cache.mjs';

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

const hook = await build({
  ...shared,
  entryPoints: ['src/hooks/main.ts'],
  outfile: 'dist/hook.cjs',
  minify: true,
  write: false,
});
const [{ text }] = hook.outputFiles;
const code = `(function (require) {${text}\n})`;
const digest = createHash('sha256').update(code).digest('hex').slice(0, 12);
const loader = readFileSync(new URL('hook-loader.cjs', import.meta.url), 'utf8');
writeFileSync(
  'dist/hook.cjs',
  loader.replace('__DIGEST__', digest).replace('__CODE__', () => JSON.stringify(code)),
);
writeFileSync('dist/hook.meta.json', JSON.stringify(hook.metafile));
writeFileSync(
  `dist/hook-${digest}-${process.version}-${process.arch}.cache`,
  makeCodeCache(code, 'hook.cjs'),
);

const cli = await build({
  ...shared,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/cli.cjs',
  minifySyntax: true,
});
writeFileSync('dist/cli.meta.json', JSON.stringify(cli.metafile));
