import { expect, test } from 'vitest';
import { MAX_NAME, nameFrom } from '../../../src/operations/workflow-name.ts';

test.each([
  ['User Auth', 'User Auth'],
  ['  User\n\tAuth\u0007 ', 'User Auth'],
  ['x'.repeat(MAX_NAME), 'x'.repeat(MAX_NAME)],
  ['x'.repeat(MAX_NAME + 1), null],
  [' \n', null],
  ['', null],
])('%j is the name %j', (given, name) => {
  expect(nameFrom(given)).toBe(name);
});
