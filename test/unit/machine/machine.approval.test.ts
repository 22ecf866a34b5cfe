import { expect, test } from 'vitest';
import {
  action,
  approval,
  aTemplate,
  started,
} from '../../support/templates.ts';

test.each([
  [{}, 'draft'],
  [{ on_reject: 'plan' }, 'plan'],
  [{ on_reject: 'check' }, 'draft'],
])('a rejection with %j goes back to %s', (fields, target) => {
  const steps = [
    action('plan'),
    action('draft'),
    action('check', { when: 'false' }),
  ];
  const machine = started(aTemplate([...steps, approval('agree', fields)]));
  machine.advance();
  machine.advance();
  expect(machine.reject()).toBe(target);
});
