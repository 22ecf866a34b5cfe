import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slugOf } from '../../../src/text/slug.ts';
import { repetitions } from '../../support/repetitions.ts';

describe('a workflow name becomes a folder name', () => {
  test.each([
    [
      'Feature Implementation (User Auth)',
      'feature-implementation-user-auth',
      'lower-case',
    ],
    ['a  &  b___c', 'a-b-c', 'every run of anything else is one dash'],
    [
      'Ünïcödé Çafé Ñandú',
      'unicode-cafe-nandu',
      'Latin letters lose their accents',
    ],
    ['İstanbul', 'istanbul', 'also an accent that lower-casing sets free'],
    ['v2.10 релиз', 'v2-10-релиз', 'letters of other scripts stay'],
    ['Йод и\u0306', 'йод-й', 'in NFC, with their own marks'],
    [
      'हिन्दी परियोजना',
      'हिन्दी-परियोजना',
      'words of scripts with vowel signs stay whole',
    ],
    ['../../etc/passwd', 'etc-passwd', 'nothing climbs out of the folder'],
    ['a\u0000b\nc', 'a-b-c', 'control characters are separators'],
    ['', 'workflow', 'an empty name'],
    [' !!! 🔄 ', 'workflow', 'a name of which nothing is left'],
  ])('%j → %s: %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test('it has at most 50 characters', () => {
    expect(slugOf('a'.repeat(80))).toBe('a'.repeat(50));
    expect(slugOf('\u{10428}'.repeat(80))).toBe('\u{10428}'.repeat(50));
  });
});

describe('for any name', () => {
  const character = (max: number): fc.Arbitrary<string> =>
    fc.nat(max).map((code) => String.fromCodePoint(code));
  const name = fc.oneof(
    fc.string({ unit: character(0x2fff), maxLength: 80 }),
    fc.string({ unit: character(0x10ffff), maxLength: 80 }),
    fc.string({
      unit: fc.constantFrom(
        'A',
        'é',
        '-',
        ' ',
        '.',
        '/',
        '\u0301',
        'й',
        '\ud800',
      ),
    }),
  );
  test('it is one to 50 lower-case letters, marks, digits and single inner dashes, in NFC, and its own slug', () => {
    fc.assert(
      fc.property(name, (text) => {
        const slug = slugOf(text);
        expect(slug).toMatch(
          /^(?=.{1,50}$)[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u,
        );
        expect(slug).toBe(slug.toLowerCase().normalize('NFC'));
        expect(slugOf(slug)).toBe(slug);
      }),
      { numRuns: repetitions(1000) },
    );
  });
});

test('what makes a picture of a character is no part of the name', () => {
  expect(slugOf('⚙️ Build')).toBe('build');
  expect(slugOf('🔄️')).toBe('workflow');
  expect(slugOf('1️⃣ First')).toBe('1-first');
});
