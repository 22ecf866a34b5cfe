import { expect, it } from 'vitest';
import { makeHub } from '../support/clones.ts';
import { onlyRun } from '../support/state.ts';

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';

it("a path of the project in a text arrives as a path of the other machine's checkout", () => {
  const hub = makeHub();
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  const start = ['start', 'Shop', '--phases', 'A,B,C', '--remind', `see ${a.root}/docs/x.md`];
  ok(
    a.run([...start, '--set', `spec=${a.root}/spec.md`, '--remind', '{project_root}s is no path']),
  );
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['advance', '--output', `wrote ${a.root}/src/api.ts.`]));
  ok(a.run(['sync']));
  ok(b.run(['sync', 'on', 'origin']));
  const runId = String(onlyRun(b.root).run_id);
  const shown = (): string[] => [
    ok(b.run(['status'])),
    ok(b.run(['show'])),
    ok(b.run(['guidance', runId])),
    ok(b.run(['history', runId])),
  ];
  for (const text of shown()) expect(text).not.toContain('{project_root}/');
  expect(ok(b.run(['status']))).toContain(`see ${b.root}/docs/x.md`);
  expect(ok(b.run(['history', runId]))).toContain(`wrote ${b.root}/src/api.ts`);
  expect(onlyRun(b.root)).toMatchObject({
    context: { spec: `${b.root}/spec.md` },
    outputs: { '1': { text: `wrote ${b.root}/src/api.ts.` } },
    key_reminders: [`see ${b.root}/docs/x.md`, '{project_root}s is no path'],
  });

  // What was only shown differently is not a change.
  const ref = `refs/holdfast/runs/-/${runId}`;
  const before = b.git('rev-parse', ref);
  expect(ok(b.run(['sync']))).toContain('everything was in step');
  expect(b.git('rev-parse', ref)).toBe(before);
  expect(b.everythingSent()).not.toContain(b.root);

  // Also what is added later, and merged.
  ok(b.run(['update', '--set', 'y=1']));
  ok(a.run(['fail', '--reason', `${a.root}/src is broken`], { session: SESSION }));
  for (const clone of [a, b, a]) ok(clone.run(['sync']));
  expect(ok(b.run(['status']))).toContain(`${b.root}/src is broken`);
  for (const text of shown()) expect(text).not.toContain(a.root);
  expect(onlyRun(a.root)).toMatchObject({ context: { spec: `${a.root}/spec.md`, y: 1 } });
  expect(a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'in_step' }] });
});
