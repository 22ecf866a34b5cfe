import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  cloneAt,
  exchange,
  makeHub,
  ok,
  prepareHub,
  unsentRun,
  untouched,
  type Hub,
  type TestClone,
} from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

function on(...clones: TestClone[]): void {
  for (const clone of clones) ok(clone.run(['sync', 'on', 'origin']));
}

/** A clone with sync on and a run that was sent. */
const sent = prepareHub((hub) => {
  const { a, runId, ref } = unsentRun(hub);
  ok(a.run(['sync']));
  return { a, runId, ref };
});

it('projects of one repository never meet: the folder is part of the ref', () => {
  const { hub, a: top } = sent();
  const inFolder = ({ root, home }: TestClone, folder: string): TestClone => {
    mkdirSync(join(root, folder, '.claude'), { recursive: true });
    return cloneAt(join(root, folder), home);
  };
  const [shop, blog] = ['apps/shop', 'apps/blog'].map((folder) =>
    inFolder(top, folder),
  );
  if (shop === undefined || blog === undefined)
    throw new Error('there are two');
  const elsewhere = inFolder(hub.clone('b'), 'apps/shop');
  for (const clone of [shop, blog]) ok(clone.run(['start', 'Release']));
  expect(shop.run(['sync'], { code: 1 }).stderr).toContain('sync is off');
  on(shop, blog);
  for (const clone of [shop, blog]) ok(clone.run(['sync']));
  on(elsewhere);
  const refs = hub
    .git('for-each-ref', '--format=%(refname)', 'refs/holdfast')
    .trim()
    .split('\n');
  const projects = refs.map((ref) => ref.split('/')[3] ?? '').toSorted();
  expect(projects).toEqual([
    '-',
    expect.stringMatching(/^[0-9a-f]{12}$/),
    expect.stringMatching(/^[0-9a-f]{12}$/),
  ]);
  expect(new Set(projects).size).toBe(3);
  expect(onlyRun(elsewhere.root).run_id).toBe(onlyRun(shop.root).run_id);
});

describe('kinds of clones', () => {
  it('worktrees are projects of their own, with the refs of one clone', () => {
    const { hub, a: main } = sent();
    const path = join(hub.base, 'tree');
    main.git('worktree', 'add', '-q', path);
    const tree = cloneAt(path, main.home);
    const before = [main, tree].map(untouched);
    ok(tree.run(['sync']));
    expect(onlyRun(tree.root).workflow).toBe('Shop');
    ok(tree.run(['update', '--set', 'tree=1']));
    ok(main.run(['update', '--set', 'main=1']));
    exchange(tree, main);
    for (const clone of [main, tree])
      expect(onlyRun(clone.root).context).toEqual({ tree: 1, main: 1 });
    const ids = [main, tree].map(
      (clone) => clone.json(['sync', 'status'])['machine'],
    );
    expect(new Set(ids).size).toBe(2);
    expect([main, tree].map(untouched)).toEqual(before);
  });

  it('a bare clone with a worktree, a shallow one, and one without any commit', () => {
    const { hub, a } = sent();
    a.git('commit', '-q', '--allow-empty', '-m', 'second');
    a.git('push', '-q', 'origin', 'HEAD');
    a.git('checkout', '-q', '--detach');
    const bare = hub.clone('bare.git', { words: ['--bare'] });
    bare.git('worktree', 'add', '-q', join(hub.base, 'tree'), 'main');
    const shallow = hub.clone('b', {
      url: `file://${hub.path}`,
      words: ['--depth', '1'],
    });
    const unborn = hub.clone('c');
    unborn.git('checkout', '-q', '--orphan', 'unborn');
    const clones = [
      cloneAt(join(hub.base, 'tree'), bare.home),
      shallow,
      unborn,
    ];
    for (const [index, clone] of clones.entries()) {
      on(clone);
      ok(clone.run(['update', '--set', `from${index}=1`]));
      ok(clone.run(['sync']));
    }
    ok(a.run(['sync']));
    expect(onlyRun(a.root).context).toEqual({ from0: 1, from1: 1, from2: 1 });
    expect(shallow.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    expect(shallow.git('rev-parse', '--is-shallow-repository').trim()).toBe(
      'true',
    );
    expect(() => unborn.git('rev-parse', '--verify', 'HEAD')).toThrow();
  });

  it('a git hook that calls holdfast does not lead it to another repository', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    ok(a.run(['start', 'Shop']));
    const env = {
      GIT_DIR: join(b.root, '.git'),
      GIT_WORK_TREE: b.root,
      GIT_INDEX_FILE: join(b.root, '.git/index'),
      GIT_AUTHOR_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
    };
    ok(a.run(['sync', 'on', 'origin'], { env }));
    ok(a.run(['sync'], { env }));
    expect(b.git('for-each-ref', 'refs/holdfast')).toBe('');
    expect(
      a.git('log', '--format=%an %ce', '--glob=refs/holdfast/*'),
    ).not.toContain('nn');
  });
});

describe('prune', () => {
  /** As if the run had ended that many days ago. */
  function age(hub: Hub, ref: string, days: number): void {
    const seed = hub.clone(`seed-${days}`);
    seed.git('fetch', '-q', 'origin', ref);
    seed.git('checkout', '-q', 'FETCH_HEAD');
    const file = join(seed.root, 'run.json');
    const ended_at = new Date(Date.now() - days * 24 * 3_600_000).toISOString();
    const run: object = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...run, ended_at }));
    seed.git('commit', '-qam', 'completed');
    seed.git('push', '-q', 'origin', `HEAD:${ref}`);
  }

  it('removes a run that ended more than 30 days ago, and a machine that was away still has it finished', () => {
    const { hub, a, ref, runId } = sent();
    const b = hub.clone('b');
    on(b);
    ok(a.run(['start', 'Open'], { session: 'another' }));
    ok(a.run(['complete', runId]));
    ok(a.run(['sync']));
    age(hub, ref, 29);
    expect(a.json(['sync', 'prune'])).toMatchObject({ pruned: [] });
    age(hub, ref, 31);
    const c = hub.clone('c');
    on(c);
    expect(c.json(['sync', 'prune', '--dry-run'])).toMatchObject({
      pruned: [runId],
    });
    expect(hub.git('for-each-ref')).toContain(ref);
    ok(a.run(['sync']));
    expect(c.json(['sync', 'prune'])).toMatchObject({ pruned: [runId] });
    ok(a.run(['sync']));
    for (const { git } of [hub, a, c]) {
      expect(git('for-each-ref')).not.toContain(runId);
      expect(git('for-each-ref')).toContain('/open-');
    }
    expect(archived(a.root)).toContain(`${runId}.json`);

    ok(b.run(['update', '--set', 'found=a bug']));
    exchange(b, a);
    for (const clone of [a, b]) {
      expect(stateFiles(clone.root)).toHaveLength(1);
      const path = join(clone.root, `untracked/workflow-archive/${runId}.json`);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
        status: 'completed',
        context: { found: 'a bug' },
      });
    }
  });
});
