import { expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import { action, approval, aTemplate, loop, started, sub } from '../../../support/templates.ts';

test('an approval step says how to answer, after its own instructions', () => {
  const own = approval('agree', { instructions: 'Show the plan to the user.' });
  const status = started(aTemplate([own, action('build')])).getStatus();
  expect(status.progress.text).toBe("step 1 of 2 (agree), waiting for the user's approval");
  expect(status.instructions).toMatch(/^Show the plan to the user\.\n\nThis step waits/);
  expect(status.instructions).toContain('`holdfast approve`');
  expect(status.instructions).toContain('`holdfast reject --feedback "…"`');
  const bare = started(aTemplate([approval('agree')]));
  expect(bare.getStatus().instructions).toMatch(/^This step waits for the user/);
});

test.each([
  [{}, 'draft'],
  [{ on_reject: 'plan' }, 'plan'],
  [{ on_reject: 'check' }, 'draft'],
])('a rejection with %j goes back to %s', (fields, target) => {
  const steps = [action('plan'), action('draft'), action('check', { when: 'false' })];
  const machine = started(aTemplate([...steps, approval('agree', fields)]));
  machine.advance();
  machine.advance();
  expect(machine.reject()).toBe(target);
});

test('nothing is due at a loop that waits, even if somebody wrote it into the file', () => {
  const template = aTemplate([loop('items')], { loops: { items: [sub('write')] } });
  const machine = WorkflowStateMachine.fromState(template, {
    ...started(template).getState(),
    contextAction: { command: '/clear' },
  });
  expect(machine.getContextActionIfNeeded()).toBeNull();
  machine.setTasks('items', [{ title: 'A' }]);
  expect(machine.getContextActionIfNeeded()).toBeNull();
});
