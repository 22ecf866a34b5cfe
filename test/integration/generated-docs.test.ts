import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/cli.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

function printed(script: string, ...words: string[]): string {
  return execFileSync(process.execPath, [join(repository, script), ...words], { encoding: 'utf8' });
}

it('the picture of the terminal shows what holdfast prints now; else `npm run picture`', () => {
  const picture = printed('scripts/picture.mjs', '--print');
  expect(picture).toContain('WORKFLOW RESTORED AFTER COMPACTION');
  expect(read('docs/terminal.svg')).toBe(picture);
});

interface Cost {
  what: string;
  characters: number;
  tokens: number;
}

function costs(table: string): Cost[] {
  const rows = table.matchAll(/^\| (.+?) +\| .+? +\| (\d+) +\| (\d+) +\|$/gm);
  return [...rows].map(([, what = '', characters, tokens]) => ({
    what,
    characters: Number(characters),
    tokens: Number(tokens),
  }));
}

it('the table of costs in the context is true; else `npm run bench:context -- --write`', () => {
  const measured = costs(printed('scripts/bench-context.mjs'));
  const written = costs(read('docs/context-cost.md'));
  expect(measured.length).toBeGreaterThan(8);
  expect(written.map(({ what }) => what)).toEqual(measured.map(({ what }) => what));
  for (const [index, { what, characters, tokens }] of measured.entries()) {
    // The words for times and session names differ by a few characters.
    const tolerance = 8 + characters * 0.02;
    const { characters: said = 0, tokens: saidTokens = 0 } = written[index] ?? {};
    expect(Math.abs(characters - said), what).toBeLessThanOrEqual(tolerance);
    expect(Math.abs(tokens - saidTokens), what).toBeLessThanOrEqual(tolerance);
  }
});

it('a project without a workflow, and a prompt, cost nothing in the context', () => {
  const hooks = costs(read('docs/context-cost.md')).filter(({ what }) => what.startsWith('hooks'));
  expect(hooks).toHaveLength(2);
  for (const { characters } of hooks) expect(characters).toBe(0);
});
