import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import { trust } from '../../../src/workflow/gates/trust.ts';
import { gatesOf } from '../../../src/workflow/machine/gates.ts';
import { makeProject } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { action, aTemplate, ralph } from '../../support/templates.ts';
import { begun, contextIn, machineIn } from './support.ts';

const done = { artefacts: [] };

function looking(until: string, isTrusted = true) {
  const project = makeProject();
  const context = contextIn(project);
  const template = aTemplate([ralph('again', 3, { until }), action('end')]);
  if (isTrusted) trust(context, template, 'here', NOW);
  const { run } = startRun(context, begun(template), { switches: false });
  return { project, context, template, runId: run.runId };
}

describe('until', () => {
  test('ends the iterations once its command exits 0, and the journal says so', async () => {
    const { project, context, runId } = looking('test -e green');
    const first = await advanceRun(context, undefined, done);
    expect(first.until).toMatchObject({ command: 'test -e green', isMet: false, exitCode: 1 });
    expect(machineIn(context, runId)).toMatchObject({ step: 'again', ralphIteration: 2 });
    project.write('green', '');
    const second = await advanceRun(context, undefined, done);
    expect(second.until).toMatchObject({ isMet: true });
    expect(machineIn(context, runId)).toMatchObject({ step: 'end' });
    const events = context.store.journal(second.run).filter(({ event }) => event === 'advanced');
    expect(events.map((event) => event['until'])).toEqual([
      { command: 'test -e green', met: false, exit_code: 1 },
      { command: 'test -e green', met: true, exit_code: 0 },
    ]);
  });

  test('is not needed, and not run, after the last iteration', async () => {
    const { project, context, runId } = looking('echo run >> runs; exit 1');
    for (let i = 0; i < 3; i += 1) await advanceRun(context, undefined, done);
    expect(machineIn(context, runId)).toMatchObject({ step: 'end' });
    expect(project.read('runs')).toBe('run\nrun\n');
  });

  test('shows what a command printed that was not met', async () => {
    const { context } = looking('echo two tests fail; exit 3');
    const { until } = await advanceRun(context, undefined, done);
    expect(until).toMatchObject({ exitCode: 3, output: 'two tests fail' });
  });

  test('is shown to the user who trusts the template, and refused before that', async () => {
    const { project, context, template, runId } = looking('touch ran', false);
    expect(gatesOf(template)).toEqual([{ where: 'step "again", until', command: 'touch ran' }]);
    await expect(advanceRun(context, undefined, done)).rejects.toMatchObject({
      code: 'gate_untrusted',
      failure: { command: 'touch ran' },
    });
    expect(project.exists('ran')).toBe(false);
    expect(machineIn(context, runId)).toMatchObject({ ralphIteration: 1 });
  });
});

test('a command under until cannot move its own run', async () => {
  const { context, runId } = looking('exit 1');
  const inGate = { ...context, environment: { HOLDFAST_GATE: runId } };
  await expect(advanceRun(inGate, runId, done)).rejects.toMatchObject({ code: 'inside_own_gate' });
});
