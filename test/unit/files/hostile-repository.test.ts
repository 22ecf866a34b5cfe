import { hostname } from 'node:os';
import { join } from 'node:path';
import { readdirSync, utimesSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expandGlob } from '../../../src/files/read-file.ts';
import { checkedOutCommit } from '../../../src/files/git.ts';
import { filesLoadedByHost } from '../../../src/guidance/reading/loaded-by-host.ts';
import { withLock } from '../../../src/files/lock.ts';
import { listRuns } from '../../../src/state/store/run-files.ts';
import { makeProject } from '../../support/project.ts';
import { minimalState } from '../../support/state.ts';

const STATE = 'untracked/workflow-state';
const COMMIT = '0123456789abcdef'.repeat(3).slice(0, 40);

test('a lock that came with the repository names no file outside it', () => {
  const project = makeProject({
    [`${STATE}/.lock`]: `/../../../../outside/made 0 ${hostname()}`,
  });
  // The kernel goes up from this folder only where it is there.
  mkdirSync(project.at(`${STATE}/.lock-taken-`));
  utimesSync(project.at(`${STATE}/.lock`), 1, 1);
  const made: string[] = [];
  withLock(project.at(`${STATE}/.lock`), 1_000, () =>
    made.push(...readdirSync(project.outside)),
  );
  expect(made).toEqual([]);
  expect(project.exists(`${STATE}/.lock`)).toBe(false);
});

test('the names in a folder outside do not belong to the project', () => {
  const project = makeProject();
  writeFileSync(join(project.outside, 'PLAN.md'), '');
  project.link('plans', project.outside);
  expect(expandGlob(project.root, 'plans/*')).toEqual([]);
});

test.each([
  '../../outside/token',
  'refs/../../../outside/token',
  'refs/heads/../../../../outside/token',
])('HEAD that names %s has no commit', (ref) => {
  const project = makeProject({
    '.git/HEAD': `ref: ${ref}\n`,
    '.git/refs/heads/x': '',
  });
  writeFileSync(join(project.outside, 'token'), COMMIT);
  expect(checkedOutCommit(project.root)).toBeUndefined();
});

test.each(['.git/refs/heads/main', '.git/refs/heads', '.git/HEAD'])(
  'no commit is read through a link %s that leads out of the repository',
  (link) => {
    const isHead = link.endsWith('HEAD');
    const project = makeProject(
      isHead ? {} : { '.git/HEAD': 'ref: refs/heads/main\n' },
    );
    writeFileSync(join(project.outside, 'main'), COMMIT);
    project.link(
      link,
      link.endsWith('heads') ? project.outside : join(project.outside, 'main'),
    );
    expect(checkedOutCommit(project.root)).toBeUndefined();
  },
);

test('of files that name any number of others, only so many are looked for', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `@n${index}.md`);
  const project = makeProject({
    'CLAUDE.md': names.join(' '),
    'n1.md': '',
    'n1999.md': '',
  });
  expect([...filesLoadedByHost(project.root, project.root)]).toEqual([
    'CLAUDE.md',
    'n1.md',
  ]);
});

test('state files count together: what does not fit into memory is left alone, and said', () => {
  const large = JSON.stringify({
    ...minimalState,
    context: { text: 'x'.repeat(4_000_000) },
  });
  const path = (name: string): string =>
    `${STATE}/${name}/state-${name}-20251209_143052.json`;
  const project = makeProject({
    [path('a')]: large,
    [path('b')]: large,
    [path('c')]: large,
  });
  const { runs, unreadable } = listRuns(project.root);
  expect(runs.map(({ slug }) => slug)).toEqual(['a', 'b']);
  expect(unreadable).toEqual([
    { path: path('c'), why: 'too large', corrupt: false },
  ]);
});
