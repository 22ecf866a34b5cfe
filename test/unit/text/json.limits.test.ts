import { expect, test } from 'vitest';
import { isWithinLimits } from '../../../src/text/json.ts';

test('too many levels or parts are not walked; brackets and commas in a text are none', () => {
  expect(isWithinLimits('['.repeat(10_000))).toBe(false);
  expect(isWithinLimits(`[${'0,'.repeat(300_000)}0]`)).toBe(false);
  expect(isWithinLimits(JSON.stringify(['[{,"\\'.repeat(300_000)]))).toBe(true);
});
