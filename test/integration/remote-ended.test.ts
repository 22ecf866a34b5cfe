import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeGit, makeHub, prepareHub, type Hub, type TestClone } from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const DAY = 24 * 3_600_000;

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** Commits that the command makes are dated some days ago. */
function daysAgo(clone: TestClone, days: number, words: string[]): void {
  const date = `${Math.floor((Date.now() - days * DAY) / 1_000)} +0000`;
  const script = `case "$*" in *" commit-tree "*) export GIT_AUTHOR_DATE="${date}" GIT_COMMITTER_DATE="${date}";; esac`;
  ok(clone.run(words, { env: { PATH: fakeGit(join(clone.home, 'past'), script) } }));
}

function refsOf(hub: Hub): string[] {
  return hub
    .git('for-each-ref', '--format=%(refname)', 'refs/holdfast')
    .split('\n')
    .filter((ref) => ref !== '');
}

/** Two clones with one run, which a ended some days ago; b has not heard of it. */
function endElsewhere(days: number) {
  return (hub: Hub): { a: TestClone; b: TestClone; runId: string } => {
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    ok(a.run(['start', 'Shop', '--phases', 'A,B']));
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['sync']));
    ok(b.run(['sync', 'on', 'origin']));
    const runId = String(onlyRun(a.root).run_id);
    daysAgo(a, days, ['complete', runId]);
    ok(a.run(['sync']));
    return { a, b, runId };
  };
}

const endedToday = prepareHub(endElsewhere(0));
const endedThreeDaysAgo = prepareHub(endElsewhere(3));

function recordOf(clone: TestClone, runId: string): Record<string, unknown> {
  const path = join(clone.root, `untracked/workflow-archive/${runId}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('a run that ended', () => {
  it('keeps its ref for a day, and is then kept apart from those that may still change', () => {
    const hub = makeHub();
    const { a, runId } = endElsewhere(0.9)(hub);
    expect(refsOf(hub)).toEqual([`refs/holdfast/runs/-/${runId}`]);
    ok(a.run(['sync']));
    expect(refsOf(hub)).toEqual([`refs/holdfast/runs/-/${runId}`]);
    const fresh = hub.clone('fresh');
    ok(fresh.run(['sync', 'on', 'origin']));
    expect(fresh.git('for-each-ref', 'refs/holdfast/runs', 'refs/worktree')).toBe('');
    const laterHub = makeHub();
    const later = endElsewhere(1.1)(laterHub);
    expect(refsOf(laterHub)).toEqual([`refs/holdfast/ended/-/${later.runId}`]);
    for (const clone of [later.a, later.b, later.a]) {
      ok(clone.run(['sync']));
      expect(refsOf(laterHub)).toEqual([`refs/holdfast/ended/-/${later.runId}`]);
    }
    expect(later.a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'ended' }] });
  });

  it('ends on a machine that was away, too', () => {
    const { b, runId } = endedThreeDaysAgo();
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(b.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    expect(ok(b.run(['sync']))).toContain('everything was in step');
  });

  it('gets what such a machine has added meanwhile, and so does every other', () => {
    const { hub, a, b, runId } = endedThreeDaysAgo();
    ok(b.run(['update', '--set', 'found=a bug']));
    ok(b.run(['sync']));
    ok(a.run(['sync']));
    for (const clone of [a, b])
      expect(recordOf(clone, runId)).toMatchObject({
        status: 'completed',
        context: { found: 'a bug' },
      });
    expect(refsOf(hub)).toEqual([`refs/holdfast/ended/-/${runId}`]);
    expect(a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'ended' }] });
  });

  it('comes back to all when it is reopened, and can end again', () => {
    const { hub, a, b, runId } = endedThreeDaysAgo();
    ok(b.run(['sync']));
    ok(b.run(['reopen', runId]));
    ok(b.run(['sync']));
    ok(a.run(['sync']));
    expect(onlyRun(a.root)).toMatchObject({ run_id: runId, status: 'in_progress' });
    const c = hub.clone('c');
    ok(c.run(['sync', 'on', 'origin']));
    expect(onlyRun(c.root).run_id).toBe(runId);
    daysAgo(a, 2, ['complete', runId]);
    for (const clone of [a, b, c]) ok(clone.run(['sync']));
    expect(refsOf(hub)).toEqual([`refs/holdfast/ended/-/${runId}`]);
    for (const clone of [a, b, c]) expect(archived(clone.root)).toContain(`${runId}.json`);
  });

  it('is not asked for by a machine that never had it', () => {
    const { hub, runId } = endedThreeDaysAgo();
    const c = hub.clone('c');
    const trace = join(c.home, 'trace');
    const PATH = fakeGit(join(c.home, 'traced'), `export GIT_TRACE_PACKET=${trace}`);
    ok(c.run(['start', 'Other']));
    ok(c.run(['sync', 'on', 'origin']));
    ok(c.run(['sync'], { env: { PATH } }));
    const fetched = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.includes(' fetch'));
    expect(fetched.join('\n')).toContain('ref-prefix refs/holdfast/runs/-/');
    expect(fetched.join('\n')).toContain('ref-prefix refs/holdfast/ended/-/other-');
    expect(fetched.join('\n')).not.toContain(runId);
    expect(c.git('for-each-ref')).not.toContain(runId);
  });

  it('stays ended for all if a version of holdfast that does not look there sends it again, and nothing of that is lost', () => {
    const { hub, a, b, runId } = endedThreeDaysAgo();
    b.git('config', 'holdfast.-.moves-ended', 'false');
    const script =
      'case "$*" in *" fetch "*) grep -v "^refs/holdfast/ended/" | "$real" "$@"; exit $?;; esac';
    const older = { env: { PATH: fakeGit(join(b.home, 'older'), script) } };
    ok(b.run(['update', '--set', 'found=a bug'], older));
    ok(b.run(['sync'], older));
    expect(onlyRun(b.root)).toMatchObject({ status: 'in_progress', context: { found: 'a bug' } });
    expect(refsOf(hub)).toContain(`refs/holdfast/runs/-/${runId}`);
    ok(a.run(['sync']));
    const c = hub.clone('c');
    ok(c.run(['sync', 'on', 'origin']));
    expect(stateFiles(c.root)).toEqual([]);
    // Where it was added to, it is listed for another day, so that the older version learns of its end.
    expect(ok(b.run(['sync'], older))).toContain('Ended on another machine');
    for (const clone of [a, b])
      expect(recordOf(clone, runId)).toMatchObject({
        status: 'completed',
        context: { found: 'a bug' },
      });
  });

  it('is called ended by `sync status`, before and after its ref has moved, and `doctor` has nothing to say', () => {
    const { hub, a, b, runId } = endedThreeDaysAgo();
    expect(ok(b.run(['sync', 'status']))).toMatch(new RegExp(`${runId} +in step`));
    ok(b.run(['sync']));
    for (const clone of [a, b]) {
      expect(ok(clone.run(['sync', 'status']))).toContain('1 run ended.');
      expect(clone.json(['sync', '--dry-run'])).toMatchObject({ would_send: [] });
    }
    expect(b.run(['doctor', '--verbose']).stdout).toContain('sync is on with origin');
    ok(b.run(['reopen', runId]));
    expect(ok(b.run(['sync', 'status']))).toMatch(
      new RegExp(`${runId} +to send +phase, status, journal`),
    );
    ok(b.run(['sync']));
    // What it was when it had ended is still there, and does no harm.
    expect(refsOf(hub)).toEqual([
      `refs/holdfast/ended/-/${runId}`,
      `refs/holdfast/runs/-/${runId}`,
    ]);
    expect(ok(a.run(['sync']))).toContain('1 updated here');
    expect(ok(a.run(['sync', 'status']))).toMatch(new RegExp(`${runId} +in step`));
  });

  it('is removed by prune 90 days later, wherever its ref is', () => {
    const { hub, a, b, runId } = endedThreeDaysAgo();
    ok(b.run(['sync']));
    expect(a.json(['sync', 'prune'])).toMatchObject({ pruned: [] });
    const old = JSON.stringify({
      ...JSON.parse(hub.git('show', `refs/holdfast/ended/-/${runId}:run.json`)),
      ended_at: new Date(Date.now() - 91 * DAY).toISOString(),
    });
    replaceRun(hub, `refs/holdfast/ended/-/${runId}`, old);
    const c = hub.clone('c');
    ok(c.run(['sync', 'on', 'origin']));
    expect(c.json(['sync', 'prune', '--dry-run'])).toMatchObject({ pruned: [runId] });
    expect(c.git('for-each-ref')).not.toContain(runId);
    expect(c.json(['sync', 'prune'])).toMatchObject({ pruned: [runId] });
    expect(refsOf(hub)).toEqual([]);
  });
});

it('stays finished, even if a machine that was away until long after the prune still has it open', () => {
  const { hub, a, b, runId } = endedToday();
  const ref = `refs/holdfast/runs/-/${runId}`;
  const old = JSON.stringify({
    ...JSON.parse(hub.git('show', `${ref}:run.json`)),
    ended_at: new Date(Date.now() - 91 * DAY).toISOString(),
  });
  replaceRun(hub, ref, old);
  ok(a.run(['sync']));
  expect(a.json(['sync', 'prune'])).toMatchObject({ pruned: [runId] });
  expect(a.git('for-each-ref')).not.toContain(runId);
  ok(b.run(['update', '--set', 'found=a bug']));
  ok(b.run(['sync']));
  for (const clone of [a, b]) ok(clone.run(['sync']));
  for (const clone of [a, b]) {
    expect(stateFiles(clone.root)).toEqual([]);
    expect(recordOf(clone, runId)).toMatchObject({
      status: 'completed',
      context: { found: 'a bug' },
    });
  }
});

describe('a remote', () => {
  it('that does not let refs be removed keeps them, and is not asked again', () => {
    const hub = makeHub();
    const hook = join(hub.path, 'hooks/update');
    const script = 'case $3 in *[!0]*) exit 0;; esac; echo "nothing is removed here" >&2; exit 1';
    writeFileSync(hook, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const a = hub.clone('a');
    ok(a.run(['sync', 'on', 'origin']));
    for (const name of ['One', 'Two']) ok(a.run(['start', name]));
    ok(a.run(['sync']));
    for (const path of stateFiles(a.root))
      daysAgo(a, 3, ['complete', path.replace(/^.*state-(.*)\.json$/, '$1')]);
    ok(a.run(['sync']));
    expect(a.git('config', 'holdfast.-.moves-ended').trim()).toBe('false');
    const refs = refsOf(hub);
    expect(refs.filter((ref) => ref.includes('/runs/'))).toHaveLength(2);
    expect(refs.filter((ref) => ref.includes('/ended/'))).toHaveLength(1);
    expect(ok(a.run(['sync']))).toContain('everything was in step');
    expect(refsOf(hub)).toEqual(refs);
    rmSync(hook);
    ok(a.run(['sync', 'on', 'origin']));
    for (const _ of [1, 2]) ok(a.run(['sync']));
    expect(refsOf(hub).every((ref) => ref.includes('/ended/'))).toBe(true);
  });

  it('that has something else there keeps it', () => {
    const { hub, a } = endedToday();
    const b = hub.clone('other');
    const alias = 'alias.old=!GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit-tree -m completed';
    const commit = b.git('-c', alias, 'old', 'HEAD^{tree}');
    b.git('push', '-q', 'origin', `${commit.trim()}:refs/holdfast/runs/-/notes`);
    for (const _ of [1, 2]) ok(a.run(['sync']));
    expect(refsOf(hub)).toContain('refs/holdfast/runs/-/notes');
    expect(refsOf(hub)).not.toContain('refs/holdfast/ended/-/notes');
  });
});

it('a sync that is killed between the two refs leaves both, and the next one finishes', () => {
  const { hub, a, runId } = endedToday();
  hub.git('update-ref', '-d', `refs/holdfast/runs/-/${runId}`);
  ok(a.run(['reopen', runId]));
  daysAgo(a, 3, ['complete', runId]);
  const script = 'case "$*" in *"--force-with-lease"*) kill -9 $PPID; kill -9 $$;; esac';
  a.run(['sync'], { env: { PATH: fakeGit(join(a.home, 'deadly'), script) } });
  expect(refsOf(hub)).toEqual([`refs/holdfast/ended/-/${runId}`, `refs/holdfast/runs/-/${runId}`]);
  ok(a.run(['sync']));
  expect(refsOf(hub)).toEqual([`refs/holdfast/ended/-/${runId}`]);
});

/** The same run with another `run.json`, as its next commit. */
function replaceRun(hub: Hub, ref: string, text: string): void {
  const seed = hub.clone('seed-of-run');
  seed.git('fetch', '-q', 'origin', `${ref}:refs/heads/run`);
  seed.git('checkout', '-q', 'run');
  writeFileSync(join(seed.root, 'run.json'), text);
  seed.git('commit', '-qam', 'completed');
  seed.git('push', '-q', 'origin', `HEAD:${ref}`);
}
