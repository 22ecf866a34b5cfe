import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const folder = new URL('../src/ui/page/', import.meta.url);

/** The page of `holdfast ui` as one file: its script and its style are in the HTML, so that it fetches nothing. */
export async function buildPage() {
  const shared = {
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    metafile: true,
  };
  const script = await build({
    ...shared,
    entryPoints: ['src/ui/page/app.tsx'],
    format: 'iife',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    platform: 'browser',
  });
  const style = await build({
    ...shared,
    entryPoints: ['src/ui/page/page.css'],
    target: ['chrome123', 'firefox120', 'safari17.5'],
  });
  const html = readFileSync(new URL('page.html', folder), 'utf8')
    .replace(/>\s+</g, '><')
    .replace(
      '<style></style>',
      () => `<style>${style.outputFiles[0].text.trim()}</style>`,
    )
    .replace(
      '<script></script>',
      () => `<script>${script.outputFiles[0].text.trim()}</script>`,
    );
  return { html, metafile: script.metafile };
}
