import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import type { WorkflowStateMachine } from '../../../src/templates/machine/machine.ts';
import { startTemplateRun, machineOf, withMachine } from '../../../src/templates/template-run.ts';
import { NOW } from '../../support/runs.ts';
import { action, aTemplate, loop, ralph, sub } from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const template = aTemplate(
  [
    action('plan', { phase: 'Design', title: 'Make a plan', context: 'compact' }),
    loop('build', { title: 'Build it' }),
    ralph('polish', 2),
  ],
  { loops: { build: [sub('write')] } },
);

/** The run as the next process finds it in its file. */
function saved(state: RunState): RunState {
  return JSON.parse(JSON.stringify(state));
}

function changed(state: RunState, change: (machine: WorkflowStateMachine) => void): RunState {
  const machine = machineOf(saved(state));
  if (machine === null) throw new Error('this run has no template');
  change(machine);
  return withMachine(state, machine);
}

const begun = startTemplateRun(template, 'log in', NOW);

describe('a run of a template', () => {
  test.each([
    ['planning', 'planning'],
    ['qa-loop', 'qa-loop'],
    ['implementation', 'implementation'],
    ['feature', 'implementation'],
    ['Bugfix', 'implementation'],
    ['default', 'custom'],
    ['constructor', 'custom'],
  ])('named %s is of type %s', (name, type) => {
    const run = startTemplateRun({ ...template, name }, undefined, NOW);
    expect(run).toMatchObject({ workflow: name, workflow_type: type });
  });

  test('keeps what others wrote into its file', () => {
    const noted: RunState = {
      ...begun,
      context: { branch: 'main' },
      mine: 1,
      phase: { ...begun.phase, estimate: '2 days' },
      machine: { ...begun.machine, kept: ['x'] },
    };
    expect(changed(noted, (machine) => machine.advance())).toMatchObject({
      context: { branch: 'main' },
      mine: 1,
      phase: { current: 2, estimate: '2 days' },
      machine: { step: 'build', kept: ['x'] },
    });
  });
});

describe('a file that cannot be is refused by the name of the field', () => {
  const step = { id: 'plan', type: 'action' };
  const withSteps = (...steps: unknown[]) => ({ template: { ...template, steps } });
  test.each<[string, object, string]>([
    ['no template', { template: undefined }, 'template must be an object'],
    ['no state', { machine: undefined }, 'machine must be an object'],
    ['no steps', withSteps(), 'machine.step must be a step of the template'],
    ['a step without id', withSteps({ type: 'action' }), 'template.steps[0].id must be text'],
    ['a step of no known type', withSteps({ ...step, type: 'x' }), 'template.steps[0].type'],
    ['two steps of one id', withSteps(step, step), 'template.steps must be'],
    [
      'a context of no known kind',
      withSteps({ ...step, context: 'x' }),
      'template.steps[0].context',
    ],
    [
      'a transition to nowhere',
      { template: { ...template, transitions: [{ from: 'plan' }] } },
      'template.transitions[0].to',
    ],
    ['a state of another template', withSteps({ ...step, id: 'other' }), 'machine.step'],
  ])('%s', (_what, fields, message) => {
    const broken: RunState = { ...begun, ...fields };
    expect(() => machineOf(broken)).toThrow(saying(`the state of this run is broken: ${message}`));
  });
});
