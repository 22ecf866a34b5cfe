import { hostname } from 'node:os';
import { join } from 'node:path';
import { readdirSync, statSync, truncateSync, utimesSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logFailure } from '../../../src/hooks/log.ts';
import { expandGlob } from '../../../src/files/read-file.ts';
import { checkedOutCommit } from '../../../src/files/git.ts';
import { filesLoadedByHost, projectFiles } from '../../../src/guidance/reading/reading-list.ts';
import { withLock } from '../../../src/files/lock.ts';
import { readSources } from '../../../src/sources/read-sources.ts';
import { listRuns } from '../../../src/state/store/list-runs.ts';
import { Store } from '../../../src/state/store/store.ts';
import { makeProject } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { minimalPath, minimalState } from '../../support/state.ts';

const STATE = 'untracked/workflow-state';
const COMMIT = '0123456789abcdef'.repeat(3).slice(0, 40);

test('a lock that came with the repository names no file outside it', () => {
  const project = makeProject({ [`${STATE}/.lock`]: `/../../../../outside/made 0 ${hostname()}` });
  // The kernel goes up from this folder only where it is there.
  mkdirSync(project.at(`${STATE}/.lock-taken-`));
  utimesSync(project.at(`${STATE}/.lock`), 1, 1);
  const made: string[] = [];
  withLock(project.at(`${STATE}/.lock`), 1_000, () => made.push(...readdirSync(project.outside)));
  expect(made).toEqual([]);
  expect(project.exists(`${STATE}/.lock`)).toBe(false);
});

test.each(['.tmp-x', '.lock-taken-x'])(
  'a folder %s that stands among the left-overs of writers is passed over',
  (name) => {
    const project = makeProject();
    mkdirSync(project.at(`${STATE}/${name}`), { recursive: true });
    expect(withLock(project.at(`${STATE}/.lock`), 1_000, () => 'worked')).toBe('worked');
    expect(project.exists(`${STATE}/${name}`)).toBe(true);
  },
);

test('links that lead in a circle make no endless folders', () => {
  const project = makeProject({ 'a.md': '' });
  for (const name of ['x', 'y', 'z']) project.link(name, '.');
  expect(expandGlob(project.root, Array(30).fill('*').join('/'))).toEqual([]);
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
  const project = makeProject({ '.git/HEAD': `ref: ${ref}\n`, '.git/refs/heads/x': '' });
  writeFileSync(join(project.outside, 'token'), COMMIT);
  expect(checkedOutCommit(project.root)).toBeUndefined();
});

test.each(['.git/refs/heads/main', '.git/refs/heads', '.git/HEAD'])(
  'no commit is read through a link %s that leads out of the repository',
  (link) => {
    const isHead = link.endsWith('HEAD');
    const project = makeProject(isHead ? {} : { '.git/HEAD': 'ref: refs/heads/main\n' });
    writeFileSync(join(project.outside, 'main'), COMMIT);
    project.link(link, link.endsWith('heads') ? project.outside : join(project.outside, 'main'));
    expect(checkedOutCommit(project.root)).toBeUndefined();
  },
);

test('a log of a gigabyte is cut to its end, not read', () => {
  const project = makeProject({ [`${STATE}/holdfast.log`]: 'old\n' });
  const log = project.at(`${STATE}/holdfast.log`);
  truncateSync(log, 1_000_000_000);
  const before = process.resourceUsage().maxRSS;
  logFailure(project.root, 'PreCompact', new Error('first'), NOW);
  logFailure(project.root, 'PreCompact', new Error('second'), NOW);
  expect(statSync(log).size).toBeLessThan(64_000);
  expect(project.read(`${STATE}/holdfast.log`)).toContain('second');
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000);
});

test('of files that name any number of others, only so many are looked for', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `@n${index}.md`);
  const project = makeProject({ 'CLAUDE.md': names.join(' '), 'n1.md': '', 'n1999.md': '' });
  expect([...filesLoadedByHost(project.root, project.root)]).toEqual(['CLAUDE.md', 'n1.md']);
});

test('of a reading list of any length, only so many files are looked at', () => {
  const project = makeProject();
  const { statusOf } = projectFiles(project.root);
  const kinds = Array.from({ length: 2_000 }, (_, index) => statusOf(`n${index}`).kind);
  expect([kinds[0], kinds[999], kinds[1_500]]).toEqual(['missing', 'missing', 'present']);
});

test('state files count together: what does not fit into memory is left alone, and said', () => {
  const large = JSON.stringify({ ...minimalState, context: { text: 'x'.repeat(4_000_000) } });
  const path = (name: string): string => `${STATE}/${name}/state-${name}-20251209_143052.json`;
  const project = makeProject({ [path('a')]: large, [path('b')]: large, [path('c')]: large });
  const { runs, unreadable } = listRuns(project.root);
  expect(runs.map(({ slug }) => slug)).toEqual(['a', 'b']);
  expect(unreadable).toEqual([{ path: path('c'), why: 'too large', corrupt: false }]);
});

test('a state file nested without end costs no other run', () => {
  const deep = JSON.stringify(minimalState).replace(
    '{',
    `{"context":${'['.repeat(9_000)}${']'.repeat(9_000)},`,
  );
  const project = makeProject({
    [minimalPath]: JSON.stringify(minimalState),
    [`${STATE}/deep/state-deep-20251209_143052.json`]: deep,
  });
  const { runs, unreadable } = listRuns(project.root);
  expect(runs.map(({ slug }) => slug)).toEqual(['release-process']);
  expect(unreadable).toMatchObject([{ corrupt: false }]);
});

test.each(['hooks.json', 'sources.json'])('%s is not read through a link', (name) => {
  const project = makeProject();
  const memory = { receipts: { s: { at: 1 } }, sources: { 'PLAN.md': {} } };
  writeFileSync(join(project.outside, 'memory.json'), JSON.stringify(memory));
  project.link(`${STATE}/${name}`, join(project.outside, 'memory.json'));
  const store = new Store({ root: project.root, now: () => NOW, waitMs: 100 });
  expect(name === 'hooks.json' ? store.hookState().receipts : store.sourceRecords()).toEqual({});
});

test('plans count together, the newest first', () => {
  const plan = `# Plan: P\n\nStatus: In Progress\n\n## Phase 1: A\n${'text\n'.repeat(190_000)}`;
  const project = makeProject(
    Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`plans/${10 + index}/PLAN.md`, `${plan}${index}`]),
    ),
  );
  const asked = { local_file: 'CLAUDE.local.md', plans: ['plans/*/PLAN.md'], formats: [] };
  const { sources, problems } = readSources(project.root, asked);
  const read = sources.filter(({ reading }) => reading.state === 'active').map(({ path }) => path);
  expect(read.at(-1)).toBe('plans/21/PLAN.md');
  expect(problems[0]).toEqual({
    path: 'plans/10/PLAN.md',
    message: 'plans/10/PLAN.md was not read: the plans together are larger than 4 MB',
  });
});
