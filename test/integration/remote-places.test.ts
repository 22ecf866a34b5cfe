import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneAt, makeHub, serve, untouched, type Hub, type TestClone } from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

function on(...clones: TestClone[]): void {
  for (const clone of clones) ok(clone.run(['sync', 'on', 'origin']));
}

/** What the last one gets from the others, they get from it: it does not have to sync again. */
function exchange(...clones: TestClone[]): void {
  for (const clone of [...clones, ...clones.slice(0, -1)]) ok(clone.run(['sync']));
}

/** A run that was synced in a clone, and its copy in a worktree of that clone. */
function withCopyInWorktree(start: string[]): { main: TestClone; tree: TestClone } {
  const hub = makeHub();
  const main = hub.clone('a');
  ok(main.run(start));
  on(main);
  ok(main.run(['sync']));
  const path = join(hub.base, 'tree');
  main.git('worktree', 'add', '-q', path);
  const tree = cloneAt(path, main.home);
  ok(tree.run(['import', '-'], { input: ok(main.run(['export'])) }));
  return { main, tree };
}

describe('projects of one repository', () => {
  it('never meet: the folder is part of the ref', () => {
    const hub = makeHub();
    const [top, other] = [hub.clone('a'), hub.clone('b')];
    const inFolder = ({ root, home }: TestClone, folder: string): TestClone => {
      mkdirSync(join(root, folder, '.claude'), { recursive: true });
      return cloneAt(join(root, folder), home);
    };
    const [shop, blog] = [inFolder(top, 'apps/shop'), inFolder(top, 'apps/blog')];
    const shopElsewhere = inFolder(other, 'apps/shop');
    for (const clone of [top, shop, blog]) ok(clone.run(['start', 'Release']));
    on(shop);
    expect(top.run(['sync'], { code: 1 }).stderr).toContain('sync is off');
    on(top, blog, other, shopElsewhere);
    exchange(top, shop, blog, shopElsewhere, other);
    const projects = hub
      .git('for-each-ref', '--format=%(refname)', 'refs/holdfast')
      .trim()
      .split('\n')
      .map((ref) => ref.split('/')[3] ?? '');
    expect(new Set(projects).size).toBe(3);
    expect(projects).toContain('-');
    expect(projects.filter((name) => /^[0-9a-f]{12}$/.test(name))).toHaveLength(2);
    for (const clone of [top, shop, blog, other, shopElsewhere])
      expect(stateFiles(clone.root)).toHaveLength(1);
    expect(onlyRun(shopElsewhere.root).run_id).toBe(onlyRun(shop.root).run_id);
  });
});

describe('kinds of clones', () => {
  it('worktrees are projects of their own, with the refs of one clone', () => {
    const hub = makeHub();
    const main = hub.clone('a');
    const path = join(hub.base, 'tree');
    main.git('worktree', 'add', '-q', path);
    const tree = cloneAt(path, main.home);
    ok(main.run(['start', 'Shop', '--phases', 'A,B']));
    on(main);
    ok(main.run(['sync']));
    const before = [main, tree].map(untouched);
    ok(tree.run(['sync']));
    expect(onlyRun(tree.root).workflow).toBe('Shop');
    ok(tree.run(['update', '--set', 'tree=1']));
    ok(main.run(['update', '--set', 'main=1']));
    exchange(tree, main);
    for (const clone of [main, tree])
      expect(onlyRun(clone.root).context).toEqual({ tree: 1, main: 1 });
    const { machines } = main.json(['sync', 'status']);
    expect(machines).toHaveLength(2);
    expect([main, tree].map(untouched)).toEqual(before);
  });

  it('a worktree with a copy of a run goes on from it: nothing was changed in two places', () => {
    const start = ['start', '--template', 'bugfix', 'Login', '--set', 'ticket=42'];
    const { main, tree } = withCopyInWorktree([...start, '--session', 'session-one']);
    ok(tree.run(['update', '--set', 'ticket=43']));
    ok(tree.run(['advance']));
    for (const clone of [tree, main, tree])
      expect(ok(clone.run(['sync']))).not.toContain('Changed in two places');
    for (const clone of [tree, main])
      expect(onlyRun(clone.root)).toMatchObject({ context: { ticket: 43 }, phase: { current: 2 } });
    const history = ok(main.run(['history']));
    expect(history.match(/started/g)).toHaveLength(1);
    expect(history.match(/session-[^o]* on machine/g)).toBeNull();
    expect(main.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'in_step' }] });
  });

  it('a worktree with a copy of the folder of runs is in step until something changes', () => {
    const hub = makeHub();
    const main = hub.clone('a');
    ok(main.run(['start', 'Shop', '--phases', 'A,B']));
    on(main);
    ok(main.run(['sync']));
    const path = join(hub.base, 'tree');
    main.git('worktree', 'add', '-q', path);
    cpSync(join(main.root, 'untracked'), join(path, 'untracked'), { recursive: true });
    const tree = cloneAt(path, main.home);
    expect(tree.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'in_step' }] });
    expect(tree.json(['sync', '--dry-run'])).toMatchObject({ would_send: [] });

    ok(main.run(['update', '--set', 'main=1']));
    ok(main.run(['sync']));
    expect(tree.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'to_receive' }] });
    ok(tree.run(['update', '--set', 'tree=1']));
    expect(tree.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'to_merge' }] });
  });

  it('a worktree with a copy of a run keeps what was edited by hand where it came from', () => {
    const start = ['start', 'Shop', '--phases', 'A,B', '--set', 'ticket=42'];
    const { main, tree } = withCopyInWorktree(start);
    const file = join(main.root, stateFiles(main.root)[0] ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ticket": 42', '"ticket": 44'));
    ok(main.run(['sync']));
    ok(tree.run(['advance']));
    exchange(tree, main);
    for (const clone of [tree, main])
      expect(onlyRun(clone.root)).toMatchObject({ context: { ticket: 44 }, phase: { current: 2 } });
  });

  it('a bare clone with worktrees', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    ok(a.run(['start', 'Shop']));
    on(a);
    ok(a.run(['sync']));
    const bare = hub.clone('bare.git', { words: ['--bare'] });
    const path = join(hub.base, 'tree');
    bare.git('worktree', 'add', '-q', path, 'main');
    const tree = cloneAt(path, bare.home);
    on(tree);
    expect(onlyRun(tree.root).workflow).toBe('Shop');
    ok(tree.run(['update', '--set', 'x=1']));
    exchange(tree, a);
    expect(onlyRun(a.root).context).toEqual({ x: 1 });
  });

  it('a shallow clone stays shallow and has the whole history of its runs', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    for (const n of [1, 2, 3]) a.git('commit', '-q', '--allow-empty', '-m', `commit ${n}`);
    a.git('push', '-q', 'origin', 'HEAD');
    ok(a.run(['start', 'Shop', '--phases', 'A,B,C']));
    on(a);
    ok(a.run(['advance']));
    ok(a.run(['sync']));
    const url = `file://${hub.path}`;
    const b = hub.clone('b', { url, words: ['--depth', '1'] });
    on(b);
    ok(b.run(['advance']));
    exchange(b, a);
    expect(onlyRun(a.root).phase.name).toBe('C');
    expect(b.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    expect(b.git('rev-parse', '--is-shallow-repository').trim()).toBe('true');
  });

  it('a detached HEAD, and a repository without any commit', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    a.git('checkout', '-q', '--detach');
    b.git('checkout', '-q', '--orphan', 'unborn');
    ok(a.run(['start', 'Shop']));
    on(a, b);
    exchange(a, b);
    expect(onlyRun(b.root).workflow).toBe('Shop');
    expect(() => b.git('rev-parse', '--verify', 'HEAD')).toThrow();
  });

  it('a remote of its own', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    const backup = join(hub.base, 'backup.git');
    a.git('init', '-q', '--bare', backup);
    a.git('remote', 'add', 'backup', backup);
    ok(a.run(['start', 'Shop']));
    ok(a.run(['sync', 'on', 'backup']));
    ok(a.run(['sync']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
    expect(a.git('ls-remote', 'backup')).toContain('refs/holdfast/runs/-/shop-');
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
    expect(a.git('log', '--format=%an %ce', '--glob=refs/holdfast/*')).not.toContain('nn');
  });
});

describe('five clones', () => {
  it('that all edit at once, by file and by http, end with the same run', async () => {
    const hub = makeHub();
    hub.git('config', 'http.receivepack', 'true');
    const clones = ['a', 'b', 'c', 'd', 'e'].map((name) => hub.clone(name));
    const [first] = clones;
    if (first === undefined) throw new Error('there are clones');
    ok(first.run(['start', 'Shop', '--phases', 'A,B,C']));
    ok(first.run(['sync', 'on', 'origin']));
    ok(first.run(['sync']));
    const url = await serve(hub);
    const byHttp = clones.slice(3);
    for (const clone of byHttp) clone.git('remote', 'set-url', 'origin', url);
    // While this process serves, it cannot wait for the resident one.
    const run = async (clone: TestClone, words: string[]): Promise<string> =>
      ok(byHttp.includes(clone) ? await clone.runAsync(words) : clone.run(words));
    for (const clone of clones.slice(1)) await run(clone, ['sync', 'on', 'origin']);
    for (const [index, clone] of clones.entries())
      ok(
        clone.run([
          'update',
          '--set',
          `from${index}=1`,
          '--set',
          `last=${index}`,
          '--remind',
          `rule ${index}`,
        ]),
      );
    // All at once: some are refused because others were faster, and some of these give up.
    await Promise.all(clones.map((clone) => clone.runAsync(['sync'], { code: 'any' })));
    for (const clone of [...clones, ...clones.slice(0, -1)]) await run(clone, ['sync']);
    const states = clones.map(({ root }) => onlyRun(root));
    for (const { context, key_reminders: reminders, phase } of states) {
      expect(context).toEqual(states[0]?.context);
      expect(context).toMatchObject({ from0: 1, from1: 1, from2: 1, from3: 1, from4: 1 });
      expect(new Set(reminders)).toEqual(new Set([0, 1, 2, 3, 4].map((n) => `rule ${n}`)));
      expect(phase).toEqual(states[0]?.phase);
    }
    expect(
      new Set(
        clones.map((clone) =>
          clone.git('for-each-ref', '--format=%(objectname)', 'refs/holdfast/runs'),
        ),
      ).size,
    ).toBe(1);
  });
});

describe('prune', () => {
  it('removes runs that ended more than 30 days ago, on the remote and on every machine', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    on(a, b);
    for (const name of ['Old', 'Recent', 'Open']) ok(a.run(['start', name]));
    exchange(a, b);
    const runs = stateFiles(a.root).map((path) => path.replace(/^.*state-(.*)\.json$/, '$1'));
    const [old = '', recent = '', open = ''] = ['old', 'recent', 'open'].map(
      (slug) => runs.find((run) => run.startsWith(slug)) ?? '',
    );
    ok(a.run(['complete', recent]));
    ok(a.run(['complete', old]));
    // As if it had ended long ago on another machine.
    a.git('update-ref', '-d', `refs/worktree/holdfast/-/${old}`);
    a.git('update-ref', '-d', `refs/holdfast/runs/-/${old}`);
    a.git('push', '-q', 'origin', `:refs/holdfast/runs/-/${old}`);
    pushEnded(hub, old);
    exchange(a, b);
    expect(a.json(['sync', 'prune', '--dry-run'])).toMatchObject({ pruned: [old] });
    expect(hub.git('for-each-ref')).toContain(old);
    ok(a.run(['sync', 'prune']));
    exchange(b, a);
    for (const refs of [hub.git('for-each-ref'), a.git('for-each-ref'), b.git('for-each-ref')]) {
      expect(refs).not.toContain(old);
      expect(refs).toContain(recent);
      expect(refs).toContain(open);
    }
    expect(archived(a.root)).toContain(`${old}.json`);
  });
});

/** Pushes the run as a machine would have that ended it in 2020. */
function pushEnded(hub: Hub, runId: string): void {
  const seed = hub.clone('seed');
  seed.git('checkout', '-q', '--orphan', 'ended');
  seed.git('rm', '-rfq', '--ignore-unmatch', '.');
  const state = {
    workflow: 'Old',
    workflow_type: 'custom',
    phase: '1/1',
    status: 'completed',
    run_id: runId,
  };
  writeFileSync(
    join(seed.root, 'state.json'),
    JSON.stringify({ ...state, created_at: '2020-01-01T00:00:00Z' }),
  );
  const run = { format: 1, slug: 'old', ended_at: '2020-01-02T00:00:00.000Z', machines: {} };
  writeFileSync(join(seed.root, 'run.json'), JSON.stringify(run));
  seed.git('add', 'state.json', 'run.json');
  seed.git('commit', '-qm', 'completed');
  seed.git('push', '-q', 'origin', `HEAD:refs/holdfast/runs/-/${runId}`);
}
