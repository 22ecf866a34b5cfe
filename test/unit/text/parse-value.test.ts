import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseValue } from '../../../src/text/json.ts';

test.each([
  ['3', 3],
  ['-1.5', -1.5],
  ['null', null],
  ['["a","b"]', ['a', 'b']],
  ['{"a":1}', { a: 1 }],
])('%s is what it says', (text, value) => {
  expect(parseValue(text)).toEqual(value);
});

test.each([
  '007',
  '1.0',
  '1e3',
  '12345678901234567890',
  '"quoted"',
  'main',
  '',
  '1.2.3',
  '{a:1}',
])('%s stays as it was written, for nothing of it may be lost', (text) => {
  expect(parseValue(text)).toBe(text);
});

test('any text comes back, as itself or as the value that is written the same', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const value = parseValue(text);
      expect(typeof value === 'string' ? value : JSON.stringify(value)).toBe(
        typeof value === 'string' ? text : text.trim(),
      );
    }),
  );
});
