import { describe, expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import type { Template } from '../../../../src/templates/template-types.generated.ts';
import {
  action,
  aTemplate,
  loop,
  ralph,
  restarted,
  started,
  sub,
} from '../../../support/templates.ts';

const AT = '2025-06-01T12:00:00.000Z';
const LATER = '2025-06-01T12:05:00.000Z';

/** What comes before each entry of a whole run, by the entry's output key. */
function actionsOf(template: Template, titles: string[] = ['A', 'B']): Record<string, unknown> {
  const machine = started(template);
  const actions: [string, unknown][] = [];
  while (machine.getState().status === 'running') {
    const { stepType, task, step, subStep, ralphIteration } = machine.getState();
    if (stepType === 'loop' && task === undefined) {
      expect(machine.getContextActionIfNeeded()).toBeNull();
      machine.setTasks(
        step,
        titles.map((title) => ({ id: title, title })),
      );
      continue;
    }
    const key = [step, task?.id, subStep, ralphIteration].filter((part) => part !== undefined);
    actions.push([key.join('.'), machine.getContextActionIfNeeded()]);
    machine.markContextActionExecuted(AT);
    machine.advance();
  }
  return Object.fromEntries(actions);
}

describe('an action comes first, the instructions after it', () => {
  test.each([['clear'], ['compact']] as const)('%s', (context) => {
    const machine = started(aTemplate([action('build', { context })]));
    expect(machine.getState().contextActionExecuted).toBe(false);
    expect(machine.getContextActionIfNeeded()).toBe(context);
    machine.markContextActionExecuted(AT);
    expect(machine.getContextActionIfNeeded()).toBeNull();
    expect(machine.getState()).toMatchObject({
      contextActionExecuted: true,
      contextAction: { command: `/${context}`, requestedAt: AT },
    });
    expect(machine.getStatus().instructions).toBe('Do build.');
  });

  test('a step that asks for none is given at once', () => {
    const machine = started(aTemplate([action('build')]));
    expect(machine.getContextActionIfNeeded()).toBeNull();
    expect(machine.getContextActionState()).toBeNull();
  });

  test('asking twice without an answer asks for the same', () => {
    const machine = started(aTemplate([action('build', { context: 'clear' })]));
    expect(machine.getContextActionIfNeeded()).toBe('clear');
    expect(machine.getContextActionIfNeeded()).toBe('clear');
  });

  test('the time of a request is that of the first', () => {
    const machine = started(aTemplate([action('build', { context: 'clear' })]));
    machine.markContextActionExecuted(AT);
    machine.markContextActionExecuted(LATER);
    expect(machine.getState().contextAction?.requestedAt).toBe(AT);
  });
});

describe('every entry has its own', () => {
  test('step', () => {
    const template = aTemplate([
      action('a', { context: 'compact' }),
      action('b', { context: 'clear' }),
      action('c'),
      action('d', { context: 'compact' }),
    ]);
    expect(actionsOf(template)).toEqual({ a: 'compact', b: 'clear', c: null, d: 'compact' });
  });

  test('sub-step and task: that of the step for those that have none', () => {
    const template = aTemplate([loop('items', { context: 'compact' })], {
      loops: { items: [sub('write'), sub('review', { context: 'clear' })] },
    });
    expect(actionsOf(template)).toEqual({
      'items.A.write': 'compact',
      'items.A.review': 'clear',
      'items.B.write': 'compact',
      'items.B.review': 'clear',
    });
  });

  test('iteration', () => {
    expect(actionsOf(aTemplate([ralph('polish', 3, { context: 'clear' })]))).toEqual({
      'polish.1': 'clear',
      'polish.2': 'clear',
      'polish.3': 'clear',
    });
  });
});

describe('a transition', () => {
  const to = (context: 'clear' | 'compact' | 'keep') => [{ from: 'a', to: 'b', context }];

  test.each([
    ['beats the step', 'clear', 'compact', 'clear'],
    ['acts where the step has none', 'compact', undefined, 'compact'],
    ['keep cancels that of the step', 'keep', 'clear', null],
  ] as const)('%s', (_rule, context, own, expected) => {
    const b = action('b', own === undefined ? {} : { context: own });
    const template = aTemplate([action('a'), b], { transitions: to(context) });
    expect(actionsOf(template)).toEqual({ a: null, b: expected });
  });

  test('from another step has no say', () => {
    const template = aTemplate([action('a'), action('x'), action('b', { context: 'compact' })], {
      transitions: to('keep'),
    });
    expect(actionsOf(template)).toMatchObject({ b: 'compact' });
  });

  test('into a loop acts before the first sub-step of the first task only', () => {
    const template = aTemplate([action('a'), loop('b', { context: 'compact' })], {
      loops: { b: [sub('write'), sub('review')] },
      transitions: to('clear'),
    });
    const { a: _a, 'b.A.write': first, ...rest } = actionsOf(template);
    expect(first).toBe('clear');
    expect(new Set(Object.values(rest))).toEqual(new Set(['compact']));
  });

  test('is beaten by what the sub-step itself asks for', () => {
    const template = aTemplate([action('a'), loop('b')], {
      loops: { b: [sub('write', { context: 'compact' })] },
      transitions: to('keep'),
    });
    expect(actionsOf(template)).toMatchObject({ 'b.A.write': 'compact', 'b.B.write': 'compact' });
  });

  test('into a ralph step acts before the first iteration only', () => {
    const template = aTemplate([action('a'), ralph('b', 2, { context: 'clear' })], {
      transitions: to('keep'),
    });
    expect(actionsOf(template)).toEqual({ a: null, 'b.1': null, 'b.2': 'clear' });
  });

  test('is remembered while the loop waits for its tasks, also by another process', () => {
    const machine = started(
      aTemplate([action('a'), loop('b')], {
        loops: { b: [sub('write')] },
        transitions: to('clear'),
      }),
    );
    machine.advance();
    const later = restarted(machine);
    later.setTasks('b', [{ title: 'A' }]);
    expect(later.getContextActionIfNeeded()).toBe('clear');
  });

  test('out of a loop that had nothing to do counts as one out of that loop', () => {
    const template = aTemplate([action('x'), loop('a'), action('b')], {
      loops: { a: [sub('write')] },
      transitions: to('clear'),
    });
    const before = started(template);
    before.setTasks('a', []);
    before.advance();
    const waiting = started(template);
    waiting.advance();
    waiting.setTasks('a', []);
    for (const machine of [before, waiting]) {
      expect(machine.getState().step).toBe('b');
      expect(machine.getContextActionIfNeeded()).toBe('clear');
    }
  });
});

describe('nothing is due', () => {
  test('while a loop waits for its tasks', () => {
    const machine = started(
      aTemplate([loop('items', { context: 'clear' })], { loops: { items: [sub('write')] } }),
    );
    expect(machine.getContextActionIfNeeded()).toBeNull();
    machine.markContextActionExecuted(AT);
    machine.setTasks('items', [{ title: 'A' }]);
    expect(machine.getContextActionIfNeeded()).toBe('clear');
  });

  test('while it waits, even if somebody wrote one into the file', () => {
    const template = aTemplate([loop('items')], { loops: { items: [sub('write')] } });
    const machine = WorkflowStateMachine.fromState(template, {
      ...started(template).getState(),
      contextAction: { command: '/clear' },
    });
    expect(machine.getContextActionIfNeeded()).toBeNull();
    machine.setTasks('items', [{ title: 'A' }]);
    expect(machine.getContextActionIfNeeded()).toBeNull();
  });

  test('once the run is complete', () => {
    const machine = started(aTemplate([action('a', { context: 'clear' })]));
    machine.advance();
    expect(machine.getContextActionIfNeeded()).toBeNull();
    expect(machine.getContextActionState()).toBeNull();
    expect(Object.keys(machine.getState())).not.toContain('contextAction');
  });

  test('while it is failed; what was due then is due when it goes on', () => {
    const machine = started(aTemplate([action('a', { context: 'clear' })]));
    machine.fail('no access');
    expect(machine.getContextActionIfNeeded()).toBeNull();
    expect(machine.getContextActionState()).toBeNull();
    machine.reopen();
    expect(machine.getContextActionIfNeeded()).toBe('clear');
  });

  test('for a retry or a run that goes on, which are no new entries', () => {
    const machine = started(
      aTemplate([action('a', { context: 'clear', on_fail: 'retry' })], { max_retries: 1 }),
    );
    machine.markContextActionExecuted(AT);
    machine.fail('flaky');
    expect(machine.getContextActionIfNeeded()).toBeNull();
    machine.fail('flaky');
    machine.reopen();
    expect(machine.getContextActionIfNeeded()).toBeNull();
    expect(machine.getState().contextAction).toEqual({ command: '/clear', requestedAt: AT });
  });
});

test('a restart keeps whether it was asked for', () => {
  const machine = started(aTemplate([action('a', { context: 'compact' })]));
  expect(restarted(machine).getContextActionIfNeeded()).toBe('compact');
  machine.markContextActionExecuted(AT);
  expect(restarted(machine).getContextActionIfNeeded()).toBeNull();
  expect(restarted(machine).getState()).toEqual(machine.getState());
});

describe('a compaction or clear that happens', () => {
  const at = (context: 'compact' | 'clear'): WorkflowStateMachine =>
    started(aTemplate([action('a', { context }), action('b', { context })]));

  test.each([
    ['compact', 'compact', 'performed'],
    ['compact', 'clear', 'performed'],
    ['clear', 'clear', 'performed'],
    ['clear', 'compact', 'due'],
  ] as const)('where a %s is due, a %s leaves it %s', (context, happened, state) => {
    const machine = at(context);
    machine.performContextAction(happened, LATER);
    expect(machine.getContextActionState()).toEqual({ command: `/${context}`, state });
    expect(machine.getState().contextActionExecuted).toBe(state === 'performed');
    expect(machine.getState().contextAction?.performedAt).toBe(
      state === 'performed' ? LATER : undefined,
    );
  });

  test('performs one that was asked for', () => {
    const machine = at('compact');
    expect(machine.getContextActionState()?.state).toBe('due');
    machine.markContextActionExecuted(AT);
    expect(machine.getContextActionState()?.state).toBe('requested');
    machine.performContextAction('compact', LATER);
    expect(machine.getContextActionState()?.state).toBe('performed');
    expect(machine.getState().contextAction).toEqual({
      command: '/compact',
      requestedAt: AT,
      performedAt: LATER,
    });
  });

  test('a second time changes nothing, and the next entry has its own', () => {
    const machine = at('compact');
    machine.performContextAction('compact', AT);
    machine.performContextAction('clear', LATER);
    expect(machine.getState().contextAction?.performedAt).toBe(AT);
    machine.advance();
    expect(machine.getContextActionState()).toEqual({ command: '/compact', state: 'due' });
  });

  test('where none is asked for is no matter', () => {
    const machine = started(aTemplate([action('a')]));
    const before = machine.getState();
    machine.performContextAction('clear', AT);
    expect(machine.getState()).toEqual(before);
  });
});
