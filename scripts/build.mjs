import { mkdirSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

mkdirSync('dist', { recursive: true });
const hook = await build({
  ...shared,
  entryPoints: ['src/hooks/main.ts'],
  outfile: 'dist/hook.cjs',
  minify: true,
});
const cli = await build({
  ...shared,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/cli.cjs',
  minifySyntax: true,
});
writeFileSync('dist/hook.meta.json', JSON.stringify(hook.metafile));
writeFileSync('dist/cli.meta.json', JSON.stringify(cli.metafile));
