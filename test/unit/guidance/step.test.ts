import { describe, expect, it, test } from 'vitest';
import { outputLines, stepLines, stepTitle } from '../../../src/guidance/step.ts';
import { stepView, type StepView } from '../../../src/workflow/run-view.ts';
import { withMachine } from '../../../src/workflow/run.ts';
import { aState } from '../../support/runs.ts';
import { action, aTemplate, ralph, started } from '../../support/templates.ts';

const template = aTemplate(
  [action('plan', { agent: 'architect' }), ralph('polish', 3, { context: 'clear' })],
  { agents: { architect: { description: 'Plans.' } } },
);

function viewAfter(moves: (machine: ReturnType<typeof started>) => void): StepView | null {
  const machine = started(template);
  moves(machine);
  return stepView(withMachine(aState({ template: { ...template } }), machine));
}

test('a run without a template has no instructions', () => {
  expect(stepLines(stepView(aState()))).toEqual([]);
});

describe('the instructions of a step', () => {
  it('are quoted, under a title that says where the run stands', () => {
    const view = viewAfter(() => undefined);
    expect(stepTitle(view)).toBe('Instructions for step 1 of 2 (plan)');
    expect(stepLines(view)).toEqual([
      'This is a task for the agent "architect": it is delegated.',
      '> Do plan.',
    ]);
  });

  it('wait for an action that nobody was told of yet', () => {
    const lines = stepLines(viewAfter((machine) => machine.advance('the plan')));
    expect(lines).toEqual([expect.stringMatching(/^\/clear is due before this step begins/)]);
  });

  it('stand beside one that was asked for and has not happened', () => {
    const lines = stepLines(
      viewAfter((machine) => {
        machine.advance();
        machine.markContextActionExecuted('2025-06-01T12:00:00.000Z');
      }),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^\/clear was asked for; it has not happened yet/),
      '> Improve polish.',
    ]);
  });

  it('stand alone once it has happened', () => {
    const lines = stepLines(
      viewAfter((machine) => {
        machine.advance();
        machine.performContextAction('clear', '2025-06-01T12:00:00.000Z');
      }),
    );
    expect(lines).toEqual(['> Improve polish.']);
  });

  it('that are one long line come in pieces, none of them lost', () => {
    const words = Array.from({ length: 200 }, (_, index) => `word-${index}`).join(' ');
    const long = aTemplate([action('plan', { instructions: words })]);
    const lines = stepLines(
      stepView(withMachine(aState({ template: { ...long } }), started(long))),
    );
    expect(lines.length).toBeGreaterThan(4);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(302);
    expect(lines.map((line) => line.slice(2)).join(' ')).toBe(words);
  });
});

test('what earlier steps handed on comes latest first', () => {
  const view = viewAfter((machine) => {
    machine.advance('the plan');
    machine.advance('first polish');
  });
  expect(outputLines(view)).toEqual([
    'output of polish.1: first polish',
    'output of plan: the plan',
  ]);
});

test('a state that somebody broke is told, and costs nothing else', () => {
  const view = stepView(aState({ template: { ...template }, machine: { step: 'nowhere' } }));
  expect(view?.kind).toBe('broken');
  expect(stepLines(view)).toEqual([expect.stringMatching(/^They cannot be read: /)]);
});
