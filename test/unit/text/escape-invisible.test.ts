import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeInvisible, escapeInvisibleLines } from '../../../src/text/sanitize.ts';

describe('a text with nothing hidden in it', () => {
  test.each([
    ['npm test && echo "ä 日本"', 'npm test && echo "ä 日本"'],
    ['\u001B[2K', '<U+001B>[2K'],
    ['a\tb', 'a<U+0009>b'],
    ['a\u200Bb\u202Ec', 'a<U+200B>b<U+202E>c'],
    ['a\u00A0b', 'a<U+00A0>b'],
  ])('%j is shown as %j', (text, shown) => {
    expect(escapeInvisible(text)).toBe(shown);
  });

  test('is shown the same when it is shown again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeInvisible(escapeInvisible(text))).toBe(escapeInvisible(text));
      }),
    );
  });
});

test('lines have a margin that none of them can leave', () => {
  expect(escapeInvisibleLines('a\n\rb\n\n', '  ')).toEqual(['  │ a', '  │ <U+000D>b']);
});
