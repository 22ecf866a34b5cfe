import { expect, test } from 'vitest';
import { isWithinLimits } from '../../../src/text/json.ts';

test.each([
  ['too deep', '['.repeat(10_000)],
  ['of too many parts', `[${'0,'.repeat(300_000)}0]`],
])('JSON that is %s is not walked', (_, text) => {
  expect(isWithinLimits(text)).toBe(false);
});

test('brackets and commas in a text are no parts', () => {
  expect(isWithinLimits(JSON.stringify(['[{,"\\'.repeat(300_000)]))).toBe(true);
});
