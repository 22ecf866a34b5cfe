import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repository, type Result } from '../support/cli.ts';

const fixtures = join(repository, 'test/fixtures/token-runs');

function bench(...words: string[]): Result {
  const script = join(repository, 'scripts/bench.mjs');
  const child = spawnSync(process.execPath, ['--import', 'tsx', script, 'tokens', ...words], {
    cwd: repository,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { code: child.status, stdout: child.stdout, stderr: child.stderr };
}

/** A folder with one of the runs, once for each edit. */
function editedRuns(...edits: ((text: string) => string)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(join(fixtures, 'code-review.yaml'), 'utf8');
  cpSync(join(fixtures, 'documents'), join(folder, 'documents'), { recursive: true });
  for (const [index, edit] of edits.entries())
    writeFileSync(join(folder, `run-${index + 1}.yaml`), edit(text));
  return folder;
}

it('the guidance keeps every fact of realistic runs at a fraction of the size', () => {
  const { code, stdout } = bench('--json');
  const rows: unknown[] = JSON.parse(stdout);
  expect(rows).toHaveLength(readdirSync(fixtures).filter((name) => name.endsWith('.yaml')).length);
  for (const row of rows) {
    expect(row).toMatchObject({ lost: [] });
    const { guidance, naive, saving_percent } = Object(row);
    expect(guidance.characters).toBeGreaterThan(500);
    expect(guidance.characters).toBeLessThanOrEqual(8_000);
    expect(guidance.tokens).toBeLessThan(naive.tokens / 2);
    expect(saving_percent).toBe(Math.round(100 - (100 * guidance.tokens) / naive.tokens));
  }
  expect(code).toBe(0);
});

it('a lost fact is named, and the exit code is 1', () => {
  const folder = editedRuns((text) => `${text}  - nobody ever said this\n`);
  const { code, stdout } = bench('--runs', folder);
  expect(code).toBe(1);
  expect(stdout).toContain('13 of 14 (92 %)');
  expect(stdout).toContain('lost in "A code review with its findings": nobody ever said this');
});

it('also as JSON; a fact that the run no longer has is lost too', () => {
  const folder = editedRuns(
    (text) => `${text}  - nobody ever said this\n`,
    (text) => text.replace(', --set, base=main', ''),
  );
  const { code, stdout } = bench('--runs', folder, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { facts: 14, lost: ['nobody ever said this'] },
    { facts: 13, lost: ['base: main'] },
  ]);
});

it('a run without facts is refused', () => {
  const folder = editedRuns((text) => text.replace(/^facts:[^]*/m, 'facts: []\n'));
  const { code, stderr } = bench('--runs', folder);
  expect(code).toBe(1);
  expect(stderr).toContain('run-1.yaml: facts must be a list of one or more strings');
});
