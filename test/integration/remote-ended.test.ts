import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareHub, type Hub, type TestClone } from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const DAY = 24 * 3_600_000;

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

function refsOf(hub: Hub): string[] {
  return hub
    .git('for-each-ref', '--format=%(refname)', 'refs/holdfast')
    .split('\n')
    .filter((ref) => ref !== '');
}

/** Two clones with one run, which a has ended; b has not heard of it. */
const endedElsewhere = prepareHub((hub) => {
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(a.run(['start', 'Shop', '--phases', 'A,B']));
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  ok(b.run(['sync', 'on', 'origin']));
  const runId = String(onlyRun(a.root).run_id);
  ok(a.run(['complete', runId]));
  ok(a.run(['sync']));
  return { a, b, runId, ref: `refs/holdfast/runs/-/${runId}` };
});

/** As if the run had ended that many days ago. */
function age(hub: Hub, ref: string, days: number): void {
  const seed = hub.clone(`seed-${days}`);
  seed.git('fetch', '-q', 'origin', `${ref}:refs/heads/run`);
  seed.git('checkout', '-q', 'run');
  const file = join(seed.root, 'run.json');
  const ended_at = new Date(Date.now() - days * DAY).toISOString();
  const run: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...run, ended_at }));
  seed.git('commit', '-qam', 'completed');
  seed.git('push', '-q', 'origin', `HEAD:${ref}`);
}

function recordOf(clone: TestClone, runId: string): Record<string, unknown> {
  const path = join(clone.root, `untracked/workflow-archive/${runId}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('a run that ended', () => {
  it('keeps its one ref, and does not come to a fresh clone', () => {
    const { hub, a, b, ref } = endedElsewhere();
    const fresh = hub.clone('fresh');
    ok(fresh.run(['sync', 'on', 'origin']));
    for (const clone of [b, a, fresh]) ok(clone.run(['sync']));
    expect(refsOf(hub)).toEqual([ref]);
    expect(stateFiles(fresh.root)).toEqual([]);
    expect(fresh.git('for-each-ref', 'refs/holdfast/runs', 'refs/worktree')).toBe('');
  });

  it('ends on a machine that was away, too', () => {
    const { b, runId } = endedElsewhere();
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(b.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    expect(ok(b.run(['sync']))).toContain('everything was in step');
  });

  it('comes back to all when it is reopened, and can end again', () => {
    const { hub, a, b, runId, ref } = endedElsewhere();
    ok(b.run(['sync']));
    ok(b.run(['reopen', runId]));
    ok(b.run(['sync']));
    ok(a.run(['sync']));
    expect(onlyRun(a.root)).toMatchObject({ run_id: runId, status: 'in_progress' });
    const c = hub.clone('c');
    ok(c.run(['sync', 'on', 'origin']));
    expect(onlyRun(c.root).run_id).toBe(runId);
    ok(a.run(['complete', runId]));
    for (const clone of [a, b, c]) ok(clone.run(['sync']));
    expect(refsOf(hub)).toEqual([ref]);
    for (const clone of [a, b, c]) expect(archived(clone.root)).toContain(`${runId}.json`);
  });

  it('is called ended by `sync status`, and `doctor` has nothing to say', () => {
    const { a, b, runId } = endedElsewhere();
    expect(ok(b.run(['sync', 'status']))).toMatch(new RegExp(`${runId} +in step`));
    ok(b.run(['sync']));
    for (const clone of [a, b]) {
      expect(ok(clone.run(['sync', 'status']))).toContain('1 run ended.');
      expect(clone.json(['sync', '--dry-run'])).toMatchObject({ would_send: [] });
    }
    expect(b.run(['doctor', '--verbose'], { code: 1 }).stdout).toContain('sync is on with origin');
    ok(b.run(['reopen', runId]));
    expect(ok(b.run(['sync', 'status']))).toMatch(
      new RegExp(`${runId} +to send +phase, status, journal`),
    );
    ok(b.run(['sync']));
    expect(ok(a.run(['sync']))).toContain('1 updated here');
    expect(ok(a.run(['sync', 'status']))).toMatch(new RegExp(`${runId} +in step`));
  });
});

describe('prune', () => {
  it('removes a run that ended more than 30 days ago, also from a clone that never had it', () => {
    const { hub, a, ref, runId } = endedElsewhere();
    age(hub, ref, 29);
    expect(a.json(['sync', 'prune'])).toMatchObject({ pruned: [] });
    hub.clone('unrelated').git('push', '-q', 'origin', 'HEAD:refs/holdfast/runs/-/notes');
    age(hub, ref, 31);
    const c = hub.clone('c');
    ok(c.run(['sync', 'on', 'origin']));
    expect(c.json(['sync', 'prune', '--dry-run'])).toMatchObject({ pruned: [runId] });
    expect(refsOf(hub)).toContain(ref);
    expect(c.json(['sync', 'prune'])).toMatchObject({ pruned: [runId] });
    expect(refsOf(hub)).toEqual(['refs/holdfast/runs/-/notes']);
  });

  it('leaves a run finished, even if a machine that was away until long after still has it open', () => {
    const { hub, a, b, ref, runId } = endedElsewhere();
    age(hub, ref, 31);
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
});
