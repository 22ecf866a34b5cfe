import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithinLimits } from '../../../src/text/json.ts';

test.each([
  ['too deep', '['.repeat(10_000)],
  ['too deep by objects', '{"a":'.repeat(10_000)],
  ['of too many parts', `[${'0,'.repeat(300_000)}0]`],
])('JSON that is %s is not walked', (_, text) => {
  expect(isWithinLimits(text)).toBe(false);
});

test('brackets and commas in a text are no parts', () => {
  expect(isWithinLimits(JSON.stringify(['[{,"\\'.repeat(300_000)]))).toBe(true);
});

test('whatever is in a text of its own, an ordinary value is modest', () => {
  const value = fc.array(fc.string(), { maxLength: 20 });
  fc.assert(
    fc.property(value, (texts) =>
      isWithinLimits(JSON.stringify({ texts, filler: '"'.repeat(5_000) })),
    ),
  );
});
