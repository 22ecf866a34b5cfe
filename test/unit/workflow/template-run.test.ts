import { stepStatus } from '../../../src/guidance/step-status.ts';
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import type { WorkflowStateMachine } from '../../../src/workflow/machine/machine.ts';
import {
  startTemplateRun,
  takeContextAction,
  machineOf,
  withMachine,
} from '../../../src/workflow/template-run.ts';
import { contextActionOf, contextActionHappened } from '../../../src/workflow/run-view.ts';
import { aState, NOW } from '../../support/runs.ts';
import { action, aTemplate, loop, ralph, sub } from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const AT = '2025-06-01T12:00:00.000Z';

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
  test('begins at its first step, whose phase it is in', () => {
    expect(begun).toMatchObject({
      workflow: 'log in',
      workflow_type: 'implementation',
      phase: { current: 1, total: 3, name: 'Design', status: 'in_progress' },
      phases: ['Design', 'Build it', 'polish'],
      required_reading: [],
      created_at: NOW.toISOString(),
      status: 'in_progress',
      source: { kind: 'template' },
      template,
      machine: { status: 'running', step: 'plan', summary: 'log in' },
    });
  });

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

  test('has its phase moved along with its steps', () => {
    const second = changed(begun, (machine) => machine.advance());
    expect(second.phase).toEqual({
      current: 2,
      total: 3,
      name: 'Build it',
      status: 'in_progress',
    });
    const last = changed(second, (machine) => machine.setTasks('build', []));
    expect(last.phase).toMatchObject({ current: 3, name: 'polish' });
    const done = changed(last, (machine) => {
      machine.advance();
      machine.advance();
    });
    expect(done).toMatchObject({
      status: 'completed',
      phase: { current: 3, total: 3, name: 'polish', status: 'completed' },
    });
  });

  test('that fails is failed with its reason, and goes on without it', () => {
    const failed = changed(begun, (machine) => machine.fail('no access'));
    expect(failed).toMatchObject({
      status: 'failed',
      status_reason: 'no access',
      phase: { current: 1, status: 'blocked' },
    });
    const again = changed(failed, (machine) => machine.reopen());
    expect(again).toMatchObject({ status: 'in_progress', phase: { status: 'in_progress' } });
    expect(Object.keys(again)).not.toContain('status_reason');
  });

  test('that is paused stays paused, with the reason for it', () => {
    const paused: RunState = { ...begun, status: 'paused', status_reason: 'holidays' };
    expect(changed(paused, (machine) => machine.advance())).toMatchObject({
      status: 'paused',
      status_reason: 'holidays',
      phase: { current: 2 },
    });
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

  test('does not change with the template that it was started from', () => {
    const steps = [action('only')];
    const run = startTemplateRun(aTemplate(steps), undefined, NOW);
    steps.push(action('more'));
    expect(stepStatus(run)?.progress.totalSteps).toBe(1);
  });

  test('tells where it stands', () => {
    expect(stepStatus(saved(begun))).toMatchObject({ step: 'plan', instructions: 'Do plan.' });
  });
});

describe('a run without a template', () => {
  const run = aState();

  test('has neither step nor action, and nothing that happens changes it', () => {
    expect(machineOf(run)).toBeNull();
    expect(stepStatus(run)).toBeNull();
    expect(contextActionOf(run)).toBeNull();
    expect(takeContextAction(run, AT)).toEqual({ state: run, action: null });
    expect(contextActionHappened(run, 'clear', AT)).toBe(run);
  });
});

describe('a file that cannot be is refused by the name of the field', () => {
  const step = { id: 'plan', type: 'action' };
  const withSteps = (...steps: unknown[]) => ({ template: { ...template, steps } });
  test.each<[string, object, string]>([
    ['no template', { template: undefined }, 'template must be an object'],
    ['no state', { machine: undefined }, 'machine must be an object'],
    ['no steps', withSteps(), 'template.steps must be a list that is not empty'],
    ['a step without id', withSteps({ type: 'action' }), 'template.steps[0].id must be text'],
    ['a step of no known type', withSteps({ ...step, type: 'x' }), 'template.steps[0].type'],
    ['two steps of one id', withSteps(step, step), 'template.steps[1].id'],
    [
      'a loop that is not there',
      withSteps({ id: 'x', type: 'loop' }, { id: 'y', type: 'loop' }),
      'template.steps[0].loop',
    ],
    ['no number of iterations', withSteps({ id: 'x', type: 'ralph' }), 'template.steps[0].n'],
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
    ['an empty loop', { template: { ...template, loops: { build: [] } } }, 'template.loops.build'],
    ['a state of another template', withSteps({ ...step, id: 'other' }), 'machine.step'],
  ])('%s', (_what, fields, message) => {
    const broken: RunState = { ...begun, ...fields };
    expect(() => machineOf(broken)).toThrow(saying(`the state of this run is broken: ${message}`));
  });
});

describe('the context action of a run', () => {
  test('is delivered once, and the file says so', () => {
    expect(contextActionOf(begun)).toEqual({ command: '/compact', state: 'due' });
    const first = takeContextAction(saved(begun), AT);
    expect(first.action).toBe('/compact');
    expect(first.state.machine).toMatchObject({
      contextActionExecuted: true,
      contextAction: { command: '/compact', requestedAt: AT },
    });
    expect(contextActionOf(first.state)?.state).toBe('requested');
    const again = saved(first.state);
    const second = takeContextAction(again, AT);
    expect(second.action).toBeNull();
    expect(second.state).toBe(again);
  });

  test('is performed by what happens, once', () => {
    const { state } = takeContextAction(begun, AT);
    const performed = contextActionHappened(state, 'clear', AT);
    expect(contextActionOf(performed)).toEqual({ command: '/compact', state: 'performed' });
    expect(contextActionHappened(performed, 'compact', AT)).toBe(performed);
    const unasked = contextActionHappened(begun, 'compact', AT);
    expect(takeContextAction(unasked, AT)).toEqual({ state: unasked, action: null });
  });

  test('that is a clear is not performed by a compaction', () => {
    const clearing = startTemplateRun(
      aTemplate([action('plan', { context: 'clear' })]),
      undefined,
      NOW,
    );
    expect(contextActionHappened(clearing, 'compact', AT)).toBe(clearing);
    expect(contextActionOf(contextActionHappened(clearing, 'clear', AT))?.state).toBe('performed');
  });
});
