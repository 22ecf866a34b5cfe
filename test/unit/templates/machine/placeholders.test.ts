import { describe, expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import type { Step, Template } from '../../../../src/templates/template-types.generated.ts';
import { action, approval, aTemplate, loop, ralph, sub } from '../../../support/templates.ts';

function machineOf(steps: Step[], fields: Partial<Template> = {}): WorkflowStateMachine {
  const machine = new WorkflowStateMachine(aTemplate(steps, fields));
  machine.start('', { target: '{outputs.plan} $&', count: 3, dry: false });
  return machine;
}

function instructionsAfter(output: string, instructions: string): string {
  const machine = machineOf([action('plan'), action('build', { instructions })]);
  machine.advance(output);
  return machine.getStatus().instructions;
}

describe('instructions', () => {
  test('contain inputs and outputs', () => {
    expect(
      instructionsAfter('the plan', '{outputs.plan}, {inputs.count} times, {inputs.dry}'),
    ).toBe('the plan, 3 times, false');
  });

  test('take a value literally, whatever it contains', () => {
    expect(instructionsAfter('{inputs.count} $1', '{inputs.target}: {outputs.plan}')).toBe(
      '{outputs.plan} $&: {inputs.count} $1',
    );
  });

  test('say what has no value', () => {
    expect(instructionsAfter('x', '{inputs.color} {outputs.review.1}')).toBe(
      '(no input "color") (no output of "review.1")',
    );
  });

  test('leave other braces alone', () => {
    const text = '{task.id} {inputs} {outputs.} {inputs.a b} {x: {y}}';
    expect(instructionsAfter('x', text)).toBe(text);
  });

  test('cut a long output, with a mark', () => {
    const text = instructionsAfter('x'.repeat(5_000), 'Plan: {outputs.plan} End.');
    expect(text.length).toBeLessThan(2_300);
    expect(text).toMatch(/x… \(cut: 5000 characters in all; .+\) End\.$/);
  });

  test('mean the last iteration by the id of a ralph step', () => {
    const machine = machineOf([
      ralph('polish', 11),
      action('end', { instructions: '{outputs.polish} {outputs.polish.2}' }),
    ]);
    for (let i = 1; i <= 11; i += 1) machine.advance(`it ${i}`);
    expect(machine.getStatus().instructions).toBe('it 11 it 2');
  });

  test('of sub-steps, loops that wait and approvals contain them, too', () => {
    const instructions = 'For {inputs.count}:';
    const machine = machineOf(
      [
        loop('items', { instructions }),
        approval('agree', { instructions: '{outputs.items.1.do}' }),
      ],
      { loops: { items: [sub('do', { instructions: '{task.title} {inputs.count}' })] } },
    );
    expect(machine.getStatus().instructions).toMatch(/^For 3:\n\nThis step waits for its tasks/);
    machine.setTasks('items', [{ id: '1', title: '{inputs.dry}' }]);
    expect(machine.getStatus().instructions).toBe('For 3:\n\n{inputs.dry} 3');
    machine.advance('made it');
    expect(machine.getStatus().instructions).toMatch(/^made it\n\nThis step waits for the user/);
  });
});
