import { describe, expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import type { Template, Transition } from '../../../../src/templates/template-types.generated.ts';
import {
  action,
  aTemplate,
  loop,
  ralph,
  restarted,
  started,
  sub,
} from '../../../support/templates.ts';
import { saying } from '../../../support/failures.ts';

const AT = '2025-06-01T12:00:00.000Z';
const steps = [
  action('plan'),
  loop('build'),
  ralph('polish', 2, { context: 'compact' }),
  action('budget_review'),
  action('ship'),
];

function template(fields: Partial<Template> = {}): Template {
  return aTemplate(steps, { loops: { build: [sub('code'), sub('check')] }, ...fields });
}

function atReview(fields: Partial<Template> = {}): WorkflowStateMachine {
  const machine = started(template(fields));
  machine.advance('the plan', ['plan.md']);
  machine.setTasks('build', [
    { id: 'a', title: 'A' },
    { id: 'b', title: 'B' },
  ]);
  while (machine.getState().step !== 'budget_review') machine.advance('made');
  return machine;
}

describe('a pivot', () => {
  test('goes back to an earlier step; what was made stays', () => {
    const machine = atReview();
    const before = machine.getState();
    machine.pivot('plan');
    expect(machine.getState()).toMatchObject({
      status: 'running',
      step: 'plan',
      cameFrom: 'budget_review',
      pivots: 1,
      outputs: before.outputs,
      artefacts: before.artefacts,
    });
    expect(machine.getStatus()).toMatchObject({ instructions: 'Do plan.' });
  });

  test('has the loops that are entered again walked again from their first task', () => {
    const machine = atReview();
    machine.pivot('plan');
    expect(machine.getState().tasks['build']?.map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ]);
    machine.advance();
    expect(machine.getState()).toMatchObject({ step: 'build', task: { id: 'a' }, subStep: 'code' });
  });

  test('from within a loop and to a loop leaves no task under way but the first', () => {
    const again = template();
    const machine = started({
      ...again,
      steps: [...again.steps.slice(0, 2), loop('second', { loop: 'other' })],
      loops: { ...again.loops, other: [sub('do')] },
    });
    machine.advance();
    machine.setTasks('build', [{ title: 'A' }, { title: 'B' }]);
    while (machine.getState().step === 'build') machine.advance();
    machine.setTasks('other', [{ title: 'C' }, { title: 'D' }]);
    machine.advance();
    machine.pivot('build');
    const { tasks, task } = restarted(machine).getState();
    expect(task).toMatchObject({ index: 0, title: 'A' });
    expect(tasks['build']?.map(({ status }) => status)).toEqual(['in_progress', 'pending']);
    expect(tasks['other']?.map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  test('to a loop that was skipped with an empty list asks for its tasks again', () => {
    const machine = started(template());
    machine.advance();
    machine.setTasks('build', []);
    expect(machine.getState().step).toBe('polish');
    machine.pivot('build');
    expect(machine.getState()).toMatchObject({ step: 'build', tasks: {} });
    expect(machine.getStatus().instructions).toContain('waits for its tasks');
  });

  test('begins a ralph step at its first iteration, with its action due once', () => {
    const machine = atReview();
    machine.pivot('polish');
    expect(machine.getState().ralphIteration).toBe(1);
    expect(machine.getContextActionIfNeeded()).toBe('compact');
    machine.markContextActionExecuted(AT);
    expect(restarted(machine).getContextActionIfNeeded()).toBeNull();
  });

  test('replaces the outputs of a ralph step, also if fewer iterations are enough this time', () => {
    const listed = [
      ralph('polish', 3, { instructions: 'Before: {outputs.polish}' }),
      action('ship', { instructions: 'Ship {outputs.polish}' }),
    ];
    const machine = started(aTemplate(listed));
    for (const output of ['old 1', 'old 2', 'old 3']) machine.advance(output);
    machine.pivot('polish');
    machine.advance('new 1');
    expect(machine.getStatus().instructions).toBe('Before: new 1');
    machine.advance('new 2', [], true);
    expect(machine.getStatus().instructions).toBe('Ship new 2');
    expect(machine.getState().outputs).toEqual({ 'polish.1': 'new 1', 'polish.2': 'new 2' });
  });

  test.each([
    ['clear', 'clear'],
    ['compact', 'compact'],
    ['keep', null],
  ] as const)('takes the transition of its way: %s', (context, expected) => {
    const way: Transition = { from: 'budget_review', to: 'polish', context, preserve: ['plan'] };
    const machine = atReview({ transitions: [way] });
    machine.pivot('polish');
    expect(machine.getContextActionIfNeeded()).toBe(expected);
    expect(machine.getState().preserved).toEqual(['plan']);
  });
});

describe('where a pivot may not go', () => {
  test.each([
    [
      'itself',
      'budget_review',
      'step "budget_review" does not come before the current step "budget_review"',
    ],
    ['a later step', 'ship', 'step "ship" does not come before the current step "budget_review"'],
    [
      'a step there is none of',
      'plam',
      'this workflow has no step "plam"; did you mean "plan"? Earlier',
    ],
    ['a name that objects have', 'constructor', 'this workflow has no step "constructor"'],
  ])('%s', (_what, to, message) => {
    const machine = atReview();
    const before = machine.getState();
    const refused = (): void => machine.pivot(to);
    expect(refused).toThrow(saying(message));
    expect(refused).toThrow(saying(/earlier steps: plan, build, polish$/i));
    expect(machine.getState()).toEqual(before);
  });

  test('to a step that does not apply, which is not offered either', () => {
    const listed = [action('plan'), action('docs', { when: 'false' }), action('ship')];
    const machine = started(aTemplate(listed));
    machine.advance();
    expect(() => machine.pivot('docs')).toThrow(saying('does not apply to this run'));
    expect(() => machine.pivot('ship')).toThrow(saying(/earlier steps: plan$/));
  });

  test('anywhere, from the first step', () => {
    expect(() => started(template()).pivot('ship')).toThrow(saying('this is the first step'));
  });

  test('anywhere, in a run that is over', () => {
    const machine = atReview();
    machine.fail('no money');
    expect(() => machine.pivot('plan')).toThrow(saying('"Feature" has failed (no money)'));
  });

  test.each([
    ['six times by default', undefined, 6],
    ['as the template allows', 2, 2],
  ])('too often: %s', (_what, max, allowed) => {
    const machine = atReview(max === undefined ? {} : { max_pivots: max });
    for (let made = 0; made < allowed; made += 1) {
      machine.pivot('polish');
      machine.advance();
      machine.advance();
    }
    const before = machine.getState();
    expect(before.pivots).toBe(allowed);
    expect(() => machine.pivot('polish')).toThrow(saying(`its template allows ${allowed}`));
    expect(machine.getState()).toEqual(before);
  });
});

describe('what a transition preserves is known at its step, and only there', () => {
  const of = (transition: Omit<Transition, 'from' | 'to'>): WorkflowStateMachine => {
    const machine = started(
      aTemplate([action('plan'), action('code'), action('ship')], {
        transitions: [{ from: 'plan', to: 'code', ...transition }],
      }),
    );
    machine.advance();
    return machine;
  };

  test.each([
    ['clear', ['summary', 'plan', 'plan'], ['summary', 'plan']],
    ['compact', ['feedback'], ['feedback']],
    ['keep', ['budget'], ['budget']],
    ['clear', undefined, []],
    ['compact', undefined, undefined],
    ['keep', undefined, undefined],
  ] as const)('%s with %j', (context, preserve, expected) => {
    const machine = of({ context, ...(preserve === undefined ? {} : { preserve: [...preserve] }) });
    expect(restarted(machine).getState().preserved).toEqual(expected);
    machine.fail('x');
    machine.reopen();
    expect(machine.getState().preserved).toEqual(expected);
    machine.advance();
    expect(machine.getState()).not.toHaveProperty('preserved');
  });
});
