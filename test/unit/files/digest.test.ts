import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/text/digest.ts';

const anyText = fc
  .array(fc.nat(0xffff), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units));

test('the digest of a text is the same on every machine and in every version', () => {
  expect(digestOf('')).toBe('0bdcb81aee8d83');
  expect(digestOf('holdfast\n')).toBe('161333be09d407');
});

test('any small change of a text changes it', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 3 }),
      (before, at, added) => {
        const cut = at % (before.length + 1);
        const after = before.slice(0, cut) + added + before.slice(cut);
        expect(digestOf(after)).not.toBe(digestOf(before));
      },
    ),
  );
});
