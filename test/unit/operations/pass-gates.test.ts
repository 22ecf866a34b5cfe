import { describe, expect, test } from 'vitest';
import { passGates } from '../../../src/operations/pass-gates.ts';
import { trust } from '../../../src/workflow/gates/trust.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { action, aTemplate, started } from '../../support/templates.ts';
import { contextIn } from './support.ts';

function passing(project: Project, step: Step, isTrusted = true): Promise<string[]> {
  const context = contextIn(project);
  const template = aTemplate([step]);
  if (isTrusted) trust(context, template, 'here', NOW);
  return passGates(context, 'a-run', started(template));
}

describe('a gate', () => {
  test('of a template that nobody trusted is not run', async () => {
    const project = makeProject();
    const refused = passing(project, action('a', { gate: 'touch ran' }), false);
    await expect(refused).rejects.toMatchObject({
      code: 'gate_untrusted',
      failure: { command: 'touch ran', problem: null },
    });
    expect(project.exists('ran')).toBe(false);
  });

  test('is not run where the record of trust came with the project, and that is told', async () => {
    const project = makeProject();
    const context = contextIn(project);
    const template = aTemplate([action('a', { gate: 'touch ran' })]);
    trust({ ...context, root: project.outside, config: project.at('cfg') }, template, 'here', NOW);
    const refused = passGates(
      { ...context, config: project.at('cfg') },
      'a-run',
      started(template),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'gate_untrusted',
      failure: { problem: { kind: 'in_project' } },
    });
    expect(project.exists('ran')).toBe(false);
  });

  test('of a trusted one is run in the root of the project', async () => {
    const project = makeProject();
    expect(await passing(project, action('a', { gate: 'touch ran' }))).toEqual(['touch ran']);
    expect(project.exists('ran')).toBe(true);
  });

  test('that fails is told with its exit code and what it said', async () => {
    const refused = passing(makeProject(), action('a', { gate: 'echo two tests fail; exit 3' }));
    await expect(refused).rejects.toMatchObject({
      code: 'gate_failed',
      failure: {
        command: 'echo two tests fail; exit 3',
        exitCode: 3,
        output: expect.stringContaining('two tests fail'),
      },
    });
  });

  test('that no shell can be given is told', async () => {
    const refused = passing(makeProject(), action('a', { gate: 'echo \0' }));
    await expect(refused).rejects.toMatchObject({ code: 'gate_not_started' });
  });

  test('that is not there needs no trust', async () => {
    await expect(passing(makeProject(), action('a'), false)).resolves.toBeUndefined();
  });
});
