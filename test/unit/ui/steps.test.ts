import { describe, expect, it } from 'vitest';
import { stepDiagram } from '../../../src/ui/steps.ts';
import { startTemplateRun } from '../../../src/templates/template-run.ts';
import { aPhase, aState, NOW } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';

describe('a run of phases', () => {
  it('of a million phases is drawn around the current one', () => {
    const { steps, leftOut } = stepDiagram(
      aState({ phase: aPhase({ current: 500_000, total: 1_000_000, name: 'Now' }) }),
    );
    expect(steps).toHaveLength(300);
    expect(leftOut).toBe(999_700);
    expect(steps.find(({ state }) => state === 'current')).toMatchObject({
      n: 500_000,
      title: 'Now',
    });
  });
});

it('a run of a template whose state is broken is drawn by its phases', () => {
  const template = aTemplate([action('plan'), action('build')]);
  const broken = { ...startTemplateRun(template, undefined, NOW), machine: { step: 'gone' } };
  expect(stepDiagram(broken).steps.map(({ step, title }) => [step, title])).toEqual([
    [null, 'plan'],
    [null, 'build'],
  ]);
});
