import { describe, expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import type { Step } from '../../../src/machine/template-types.generated.ts';
import {
  action,
  aTemplate,
  restarted,
  started,
} from '../../support/templates.ts';

function walk(steps: Step[]): string[] {
  const machine = new WorkflowStateMachine(aTemplate(steps), {
    context: { risky: true },
  });
  machine.start('', { target: 'production', count: 3 });
  const entered: string[] = [];
  while (machine.getState().status === 'running') {
    entered.push(machine.getState().step);
    machine.advance(`did ${machine.getState().step}`);
  }
  return entered;
}

describe('a step with a condition', () => {
  test.each([
    ['an input', 'state.inputs.target == "production"', true],
    ['a fact of the run', 'state.context.risky == true', true],
    ['an output of an earlier step', 'state.outputs.plan == "did plan"', true],
    ['an output that is missing', 'state.outputs.review != null', false],
    ['a key of the machine', 'state.machine.pivots > 0', false],
    ['nothing that can be read', 'state.context.', false],
  ])('looks at %s', (_what, when, isEntered) => {
    const steps = [action('plan'), action('check', { when }), action('ship')];
    expect(walk(steps).includes('check')).toBe(isEntered);
  });

  test('is judged again when the run comes by again', () => {
    const again = action('again', { when: 'state.machine.pivots > 0' });
    const machine = started(
      aTemplate([action('plan'), again, action('review')]),
    );
    machine.advance();
    expect(machine.getState()).toMatchObject({
      step: 'review',
      passedBy: ['again'],
    });
    machine.pivot('plan');
    expect(machine.getState().passedBy).toBeUndefined();
    machine.advance();
    expect(restarted(machine).getState().step).toBe('again');
  });
});

test('artefacts of a state that has them as a plain list count for its step', () => {
  const template = aTemplate([action('plan'), action('build')]);
  const state = { ...started(template).getState(), artefacts: ['plan.md'] };
  const machine = WorkflowStateMachine.fromState(template, state);
  expect(machine.getState().artefacts).toEqual({ plan: ['plan.md'] });
});

test('a state that says by a boolean whether its step records files is read', () => {
  const template = aTemplate([action('plan'), action('build')]);
  const state = { ...started(template).getState(), currentStepArtefacts: true };
  expect(WorkflowStateMachine.fromState(template, state).getState().step).toBe(
    'plan',
  );
});
