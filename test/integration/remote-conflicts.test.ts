import { expect, it } from 'vitest';
import { makeHub, type TestClone } from '../support/clones.ts';
import { onlyRun } from '../support/state.ts';

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** Two clones that both have moved the same run. */
function moved(onA: string[][], onB: string[][]): { a: TestClone; b: TestClone; runId: string } {
  const hub = makeHub();
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(a.run(['start', 'Shop', '--phases', 'A,B,C']));
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  ok(b.run(['sync', 'on', 'origin']));
  const runId = String(onlyRun(a.root).run_id);
  for (const words of onA) ok(a.run([...words]));
  for (const words of onB) ok(b.run([...words]));
  ok(a.run(['sync']));
  return { a, b, runId };
}

it('a conflict about the phase is told in words', () => {
  const { a, b, runId } = moved([['advance']], [['advance'], ['advance']]);
  const told = ok(b.run(['sync']));
  const kept = 'kept phase 3/3 C (in progress)';
  const other = 'phase 2/3 B (in progress)';
  expect(told).toContain(`${runId}, phase: ${kept}; the other value, ${other}, is in`);
  ok(a.run(['sync']));
  for (const clone of [a, b]) {
    expect(ok(clone.run(['status', '--look']))).toContain(`${kept}; the other value was ${other}`);
    expect(ok(clone.run(['history', runId]))).toContain(`${kept}, the other value was ${other}`);
  }
});

it('a phase that got a name on each machine stays one phase, and the other list is told', () => {
  const { a, b, runId } = moved([['update', '--name', 'Plan']], [['update', '--name', 'Design']]);
  const told = ok(b.run(['sync']));
  ok(a.run(['sync']));
  const [kept, other] =
    onlyRun(b.root).phases?.[0] === 'Plan' ? ['Plan', 'Design'] : ['Design', 'Plan'];
  expect(told).toContain(
    `${runId}, phases: kept ["${kept}","B","C"]; the other value, ["${other}","B","C"], is in`,
  );
  for (const clone of [a, b]) {
    const shown = ok(clone.run(['status', '--look']));
    expect(shown).toContain(`1/3 ${kept} (in progress)`);
    expect(shown).toMatch(new RegExp(`▸ ${kept} +· B +· C`));
  }
});

it('a conflict that a later reopening has settled is not told', () => {
  const { a, b, runId } = moved([['complete']], [['advance'], ['update', '--set', 'x=1']]);
  expect(ok(b.run(['sync']))).toContain('(completed)');
  ok(a.run(['sync']));
  ok(a.run(['reopen', runId]));
  ok(a.run(['sync']));
  ok(b.run(['sync']));
  for (const clone of [a, b]) {
    expect(onlyRun(clone.root)).toMatchObject({ status: 'in_progress' });
    const told = ok(clone.run(['status']));
    expect(told).not.toContain('was changed on another machine');
    expect(ok(clone.run(['history', runId]))).toContain('was changed on two machines');
  }
});

it('a conflict after a reopening is told', () => {
  const { a, b, runId } = moved([['complete']], []);
  ok(b.run(['sync']));
  ok(b.run(['reopen', runId]));
  ok(b.run(['sync']));
  ok(a.run(['sync']));
  ok(a.run(['advance']));
  for (const words of [['advance'], ['advance']]) ok(b.run(words));
  for (const clone of [a, b, a]) ok(clone.run(['sync']));
  for (const clone of [a, b])
    expect(ok(clone.run(['status']))).toContain('phase was changed on another machine as well');
});
