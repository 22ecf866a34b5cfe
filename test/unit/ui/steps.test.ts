import { expect, it } from 'vitest';
import { startTemplateRun } from '../../../src/state/template-run.ts';
import { stepDiagram } from '../../../src/ui/steps.ts';
import { aRun, NOW } from '../../support/runs.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';

it('before a loop, the page shows the context action of its first sub-step, which is the one that is performed', () => {
  const template = aTemplate(
    [action('plan'), loop('build', { context: 'compact' })],
    { loops: { build: [sub('code', { context: 'clear' }), sub('test')] } },
  );
  const run = aRun(startTemplateRun(template, undefined, NOW));
  const { steps } = stepDiagram(run, new Map());
  expect(steps.map(({ contextBefore }) => contextBefore)).toEqual([
    null,
    'clear',
  ]);
});
