import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { terminalPicture } from './terminal-picture.mjs';

export const binary = fileURLToPath(
  new URL('../bin/holdfast.cjs', import.meta.url),
);

/**
 * Writes the picture of a terminal session in a temporary project, or prints it if `--print` is given. `record` gets the
 * project, a home folder for its commands, and `say`, which adds lines to the picture.
 */
export function recordPicture({ name, title, columns }, record) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
  try {
    const project = join(home, 'shop');
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(join(project, 'docs'));
    writeFileSync(join(project, 'docs/spec.md'), 'Prices are kept in cents.\n');
    const lines = [];
    const say = (text, look) => {
      for (const line of text.trimEnd().split('\n'))
        lines.push({ text: timeless(line), look });
    };
    record({ home, project, say });
    const text = terminalPicture(lines, { title, columns });
    if (process.argv.includes('--print')) process.stdout.write(text);
    else writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A command as a person types it. */
export function typedLine(words) {
  const typed = words.map((word) => (/[ ,]/.test(word) ? `"${word}"` : word));
  return ['$ holdfast', ...typed].join(' ');
}

/** Fixed times, so that the picture only changes when the output does. */
function timeless(line) {
  return line
    .replace(/\d{8}_\d{6}/g, '20261115_090000')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-15T09:00:00Z')
    .replace(/\d+ minutes? ago/g, 'just now');
}
