import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/cli.ts';

const read = (path: string): string =>
  readFileSync(join(repository, path), 'utf8');

function outputOf(...words: string[]): string {
  return execFileSync(process.execPath, words, {
    cwd: repository,
    encoding: 'utf8',
  });
}

it('docs/terminal.svg shows what holdfast prints; update it with `npm run picture`', () => {
  const picture = outputOf('scripts/picture.mjs', '--print');
  expect(picture).toContain('WORKFLOW RESTORED AFTER COMPACTION');
  expect(read('docs/terminal.svg')).toBe(picture);
});

it('docs/dashboard.svg shows the dashboard and the status, in colour; update it with `npm run picture`', () => {
  const picture = outputOf('scripts/dashboard.mjs', '--print');
  for (const part of [
    '✓ Design',
    '▸ Checkout',
    '↷ Upgrade',
    'Hooks',
    '[x]',
    'Tasks (1 of 3 done)',
  ])
    expect(picture.replaceAll('\u00A0', ' ')).toContain(part);
  expect(picture).toContain('<tspan fill="#7ee787">✓ Design</tspan>');
  expect(read('docs/dashboard.svg')).toBe(picture);
});

type Cost = { what: string; characters: number; tokens: number };

function costs(table: string): Cost[] {
  const rows = table.matchAll(/^\| (.+?) +\| .+? +\| (\d+) +\| (\d+) +\|$/gm);
  return [...rows].map(([, what = '', characters, tokens]) => ({
    what,
    characters: Number(characters),
    tokens: Number(tokens),
  }));
}

it('docs/internals/performance.md is up to date; update it with `npm run bench -- context --write`', () => {
  const measured = costs(
    outputOf('--import', 'tsx', 'scripts/bench.mjs', 'context'),
  );
  const written = costs(read('docs/internals/performance.md'));
  expect(measured.length).toBeGreaterThan(8);
  expect(written.map(({ what }) => what)).toEqual(
    measured.map(({ what }) => what),
  );
  const hooks = measured.filter(({ what }) => what.startsWith('hooks'));
  expect(hooks).toMatchObject([{ characters: 0 }, { characters: 0 }]);
  for (const [index, { what, characters, tokens }] of measured.entries()) {
    // Times and session names differ in length by a few characters.
    const tolerance = 8 + characters * 0.02;
    const row = written[index] ?? { characters: 0, tokens: 0 };
    expect(Math.abs(characters - row.characters), what).toBeLessThanOrEqual(
      tolerance,
    );
    expect(Math.abs(tokens - row.tokens), what).toBeLessThanOrEqual(tolerance);
  }
});

it('the guidance of realistic runs keeps every fact, with less than half the tokens of the files', () => {
  const rows: unknown[] = JSON.parse(
    outputOf('--import', 'tsx', 'scripts/bench.mjs', 'tokens', '--json'),
  );
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) {
    expect(row).toMatchObject({ lost: [] });
    const { guidance, naive } = Object(row);
    expect(guidance.tokens).toBeLessThan(naive.tokens / 2);
  }
});
