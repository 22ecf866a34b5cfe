import { expect, test } from 'vitest';
import { MAX_NAME, parseWorkflowName } from '../../../src/operations/start.ts';

test.each([
  ['User Auth', 'User Auth'],
  ['  User\n\tAuth\u0007 ', 'User Auth'],
  ['x'.repeat(MAX_NAME), 'x'.repeat(MAX_NAME)],
  ['x'.repeat(MAX_NAME + 1), null],
  [' \n', null],
  ['', null],
])('%j is the name %j', (given, name) => {
  expect(parseWorkflowName(given)).toBe(name);
});
