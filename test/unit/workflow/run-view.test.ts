import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import { startTemplateRun, machineOf, withMachine } from '../../../src/workflow/template-run.ts';
import {
  awaitsContext,
  contextActionOf,
  contextActionHappened,
  stepView,
} from '../../../src/workflow/run-view.ts';
import { parseRun } from '../../../src/workflow/run.ts';
import { aState, NOW } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const AT = NOW.toISOString();

function begun(context?: 'compact' | 'clear'): RunState {
  const step = action('plan', context === undefined ? {} : { context });
  return startTemplateRun(aTemplate([step, action('end')]), 'log in', NOW);
}

function edited(fields: object): RunState {
  const state = begun('clear');
  return { ...state, machine: { ...state.machine, ...fields } };
}

describe('the view of a run', () => {
  test('is null without a template', () => {
    expect(parseRun(aState()).kind).toBe('phases');
    expect(stepView(aState())).toBeNull();
  });

  test('tells the step, what it asks for first, and what the run is about', () => {
    expect(stepView(begun('compact'))).toMatchObject({
      kind: 'step',
      status: { step: 'plan', instructions: 'Do plan.' },
      action: { command: '/compact', state: 'due' },
      machine: { summary: 'log in', outputs: {} },
      carries: 'all',
    });
  });

  test('of a broken state names the field', () => {
    expect(stepView(edited({ step: 'gone' }))).toEqual({
      kind: 'broken',
      problem: { field: 'machine.step', expected: { kind: 'step_of_template' } },
    });
  });

  test('of a state that was edited after it was parsed is a new one', () => {
    const sound = begun();
    parseRun(sound);
    const broken: RunState = { ...sound, machine: { ...sound.machine, step: 'gone' } };
    expect(() => parseRun(broken)).toThrow(saying('machine.step'));
    const otherTemplate: RunState = { ...sound, template: { ...aTemplate([action('other')]) } };
    expect(() => parseRun(otherTemplate)).toThrow(saying('machine.step'));
  });

  test('of a run that was advanced is that of its new step', () => {
    const state = begun();
    const machine = machineOf(state);
    machine?.advance('done');
    const moved = machine === null ? state : withMachine(state, machine);
    expect(moved.machine).toMatchObject({ step: 'end', outputs: { plan: 'done' } });
    expect(state.machine).toMatchObject({ step: 'plan', outputs: {} });
  });
});

describe('a run that was ended before its last step', () => {
  test.each(['completed', 'cancelled'] as const)('has no context action: %s', (status) => {
    const ended: RunState = { ...begun('clear'), status };
    expect(stepView(ended)).toMatchObject({ action: null });
    expect(contextActionOf(ended)).toBeNull();
    expect(awaitsContext(ended)).toBe(false);
  });
});

describe('a run awaits a compaction or a clear', () => {
  test.each([
    ['that is due', edited({}), true],
    ['that was asked for', edited({ contextActionExecuted: true }), true],
    [
      'but not one that has happened',
      edited({
        contextActionExecuted: true,
        contextAction: { command: '/clear', performedAt: AT },
      }),
      false,
    ],
    ['but not where its step asks for none', begun(), false],
    ['but not when it failed', edited({ status: 'failed' }), false],
    ['but not when it is broken', edited({ step: 'gone' }), false],
    ['but not without a template', aState(), false],
  ])('%s', (_what, state, expected) => {
    expect(awaitsContext(state)).toBe(expected);
  });
});

describe('what happens to the conversation', () => {
  test.each([
    ['clear', 'clear', 'performed'],
    ['compact', 'clear', 'due'],
    ['clear', 'compact', 'performed'],
    ['compact', 'compact', 'performed'],
  ] as const)('a %s makes a %s that was due %s', (what, asked, expected) => {
    const after = contextActionHappened(begun(asked), what, AT);
    expect(contextActionOf(after)).toEqual({ command: `/${asked}`, state: expected });
  });

  test('leaves a broken run as it is', () => {
    const broken = edited({ step: 'gone' });
    expect(contextActionHappened(broken, 'clear', AT)).toBe(broken);
  });
});
