import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneAt, makeHub, type Hub, type TestClone } from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** A clone with sync on and a run of three phases, which nobody else has yet. */
function one(): { hub: Hub; a: TestClone; runId: string } {
  const hub = makeHub();
  const a = hub.clone('a');
  ok(a.run(['start', 'Leak', '--phases', 'A,B,C']));
  ok(a.run(['sync', 'on', 'origin']));
  return { hub, a, runId: String(onlyRun(a.root).run_id) };
}

describe('a run with a secret that is completed and purged', () => {
  it('ends on the machines that have it, without the secret', () => {
    const { hub, a, runId } = one();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    const purged = a.run(['complete', '--purge']);
    ok(purged);
    expect(purged.stderr).toBe('');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(b.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(TOKEN);
    const fresh = hub.clone('fresh');
    ok(fresh.run(['sync', 'on', 'origin']));
    expect(stateFiles(fresh.root)).toEqual([]);
  });

  it('is not sent at all if it never was', () => {
    const { hub, a } = one();
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    ok(a.run(['complete', '--purge']));
    expect(ok(a.run(['sync']))).toContain('everything was in step');
    expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
    expect(a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'ended' }], secrets: [] });
  });

  it('ends everywhere although another worktree of the clone had changed it', () => {
    const { hub, a, runId } = one();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    const elsewhere = cloneAt(join(hub.base, 'beside'), a.home);
    a.git('worktree', 'add', '-q', elsewhere.root);
    ok(elsewhere.run(['sync']));
    ok(elsewhere.run(['update', runId, '--set', 'x=1']));
    ok(a.run(['advance', '--output', `key ${TOKEN}`]));
    ok(a.run(['complete', '--purge']));
    for (const clone of [a, b, elsewhere]) ok(clone.run(['sync']));
    for (const clone of [a, b, elsewhere]) expect(stateFiles(clone.root)).toEqual([]);
  });
});

it('a run that was never sent and whose state file was deleted is not sent', () => {
  const { hub, a } = one();
  rmSync(join(a.root, 'untracked/workflow-state'), { recursive: true });
  ok(a.run(['sync']));
  expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
});
