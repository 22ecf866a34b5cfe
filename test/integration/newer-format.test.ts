import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact } from '../support/hooks.ts';

const S1 = { session: 's1' };

/** A project with a run that a newer version has written, and its file. */
function project(): { box: Sandbox; file: string; bytes: () => string } {
  const box = sandbox({ 'TODO.md': '- [ ] a\n' });
  const { run } = box.json(['start', 'Alpha', '--phases', 'A,B'], S1) as {
    run: { run_id: string };
  };
  const file = join(
    box.root,
    `untracked/workflow-state/alpha/state-${run.run_id}.json`,
  );
  const state = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(
    file,
    JSON.stringify({ ...state, schema_version: 2, later: { x: 1 } }),
  );
  return { box, file, bytes: () => readFileSync(file, 'utf8') };
}

test('it can be looked at, and every change is refused with the reason', () => {
  const { box, bytes } = project();
  const before = [bytes(), readFileSync(join(box.root, 'TODO.md'), 'utf8')];
  expect(box.run(['status'], S1).stdout).toContain('1/2 A');
  expect(box.run(['history'], S1).stdout).toContain('started');
  for (const look of ['list', 'show', 'guidance', 'prime'])
    expect(box.run([look], S1).code).toBe(0);
  for (const change of [
    'advance',
    'cancel',
    'complete',
    'complete --purge',
    'pause',
    'skip',
    'update --set a=1',
    'resume alpha',
    'release',
    'todo add b',
  ])
    expect(
      box.run(change.split(' '), { ...S1, code: 1 }).stderr,
      change,
    ).toMatch(
      /^holdfast: a newer version of holdfast wrote alpha-\d+_\d+, so this one only reads it; update/,
    );
  expect(box.run(['validate'], { code: 1 }).stdout).toContain(
    'update holdfast to change it',
  );
  expect([bytes(), readFileSync(join(box.root, 'TODO.md'), 'utf8')]).toEqual(
    before,
  );
});

test('an archived one is not reopened, an import does not replace it, and other runs go on beside it', () => {
  const { box, file, bytes } = project();
  const before = bytes();
  box.run(['start', 'Beta', '--phases', 'A,B'], { session: 's2' });
  box.run(['advance', 'beta'], { session: 's2' });
  expect(preCompact(box, 's2').stdout).toContain('Beta');
  expect(box.run(['status', 'beta']).stdout).toContain('2/2');
  const exported = join(box.home, 'run.json');
  writeFileSync(exported, box.run(['export', 'alpha']).stdout);
  expect(box.run(['import', exported], { code: 1 }).stderr).toContain(
    'a newer version of holdfast',
  );
  expect(bytes()).toBe(before);
  const archive = join(box.root, 'untracked/workflow-archive');
  mkdirSync(archive, { recursive: true });
  renameSync(file, join(archive, basename(file).replace('state-', '')));
  expect(box.run(['reopen', 'alpha'], { code: 1 }).stderr).toContain(
    'only reads it',
  );
});
