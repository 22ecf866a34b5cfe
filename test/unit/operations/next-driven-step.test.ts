import { expect, it } from 'vitest';
import { nextDrivenStep } from '../../../src/operations/next-action.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { startTemplateRun, withMachine, machineOf } from '../../../src/workflow/template-run.ts';
import { aRun, NOW } from '../../support/runs.ts';
import { action, aTemplate, loop, ralph, sub } from '../../support/templates.ts';

const started = (template: ReturnType<typeof aTemplate>): StoredRun =>
  aRun(startTemplateRun(template, undefined, NOW));

const advanced = (run: StoredRun): StoredRun => {
  const machine = machineOf(run.state);
  if (machine === null) throw new Error('no template');
  machine.advance();
  return { ...run, state: withMachine(run.state, machine) };
};

it('goes on although the settings say that steps ask', () => {
  const run = started(aTemplate([action('plan', { context: 'clear' })]));
  expect(nextDrivenStep({ ...run, state: { ...run.state, perform: 'ask' } }, null)).toMatchObject({
    next: { perform: 'clear', stop: null, prompt: expect.stringContaining('at step plan') },
  });
});

it.each([
  ['an action', aTemplate([action('plan')])],
  ['a ralph step', aTemplate([ralph('polish', 1)])],
])('is done after %s that was the last one', (_, template) => {
  expect(nextDrivenStep(advanced(started(template)), null).next).toMatchObject({ stop: 'done' });
});

it('waits for the tasks of a loop', () => {
  const template = aTemplate([loop('build')], { loops: { build: [sub('code')] } });
  expect(nextDrivenStep(started(template), null).next).toMatchObject({ stop: 'tasks' });
});

it('waits at a position that was prompted for', () => {
  const run = started(aTemplate([action('plan')]));
  const { position } = nextDrivenStep(run, null);
  expect(nextDrivenStep(run, position).next).toMatchObject({ stop: 'waiting', prompt: null });
});
