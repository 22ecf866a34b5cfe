import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasHiddenCharacters } from '../../../../src/util/hidden-characters.ts';
import { manyLines, oneLine, valueText } from '../../../../src/ui/model/text.ts';

it('markup stays as it is: the page makes text nodes of it', () => {
  expect(oneLine('<img src=x onerror=alert(1)> & "x"')).toBe('<img src=x onerror=alert(1)> & "x"');
});

it('characters that hide or reorder others are replaced', () => {
  expect(oneLine('safe\u202Egnp.exe\u200B')).toBe('safe gnp.exe');
  expect(oneLine('a\nb\t c')).toBe('a b c');
  expect(manyLines('a\r\nb\u0007c\n')).toBe('a\nb c');
  expect(oneLine('\uD800x')).toBe('\uFFFDx');
});

it('is never longer than allowed, and never hides anything', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 50 }), (text, max) => {
      expect(oneLine(text, max).length).toBeLessThanOrEqual(max);
      expect(hasHiddenCharacters(oneLine(text, max))).toBe(false);
      expect(manyLines(text, max).length).toBeLessThanOrEqual(max);
    }),
  );
});

it('values of hand-written files become text', () => {
  expect(valueText({ a: [1, null] })).toBe('{"a":[1,null]}');
  expect(valueText(undefined)).toBe('');
  expect(valueText(7)).toBe('7');
});
