import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUntouched, sealed } from '../../../src/install/own-file.ts';
import { texts } from '../../../src/install/assets.generated.ts';

const TEXT = '---\ndescription: Shows things\n---\n\nShow them.\n';

test.each(Object.entries(texts))('%s is known again', (_name, text) => {
  expect(isUntouched(sealed(text))).toBe(true);
});

test('the seal stands in the front matter; what a model reads is the same', () => {
  const [open, seal, ...rest] = sealed(TEXT).split('\n');
  expect(seal).toMatch(/^x-holdfast: [0-9a-f]+$/);
  expect([open, ...rest].join('\n')).toBe(TEXT);
});

test('line ends that git or an editor converted are no change of the user’s', () => {
  expect(isUntouched(sealed(TEXT).replaceAll('\n', '\r\n'))).toBe(true);
});

describe('changed by the user', () => {
  const [open = '', seal = '', ...rest] = sealed(TEXT).split('\n');
  test.each([
    ['a word', sealed(TEXT).replace('Show them', 'Show it')],
    ['a space at the end', `${sealed(TEXT)} `],
    ['an empty line at the end', `${sealed(TEXT)}\n`],
    ['the last line end is missing', sealed(TEXT).trimEnd()],
    ['no front matter', sealed(TEXT).split('---\n').at(-1) ?? ''],
    ['the seal is missing', TEXT],
    ['the seal of another text', sealed('---\nother\n---\n').replace('other', 'else')],
    ['the seal is there twice', [open, seal, seal, ...rest].join('\n')],
    ['the seal stands elsewhere', [open, rest[0], seal, ...rest.slice(1)].join('\n')],
    ['a byte order mark', `\uFEFF${sealed(TEXT)}`],
    ['nothing is left', ''],
  ])('%s', (_what, text) => {
    expect(isUntouched(text)).toBe(false);
  });

  test('any letter more or less, anywhere', () => {
    const whole = sealed(TEXT);
    const edit = fc.tuple(fc.nat(whole.length), fc.nat(3), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(edit, ([at, length, put]) => {
        const changed = whole.slice(0, at) + put + whole.slice(at + length);
        fc.pre(changed.replaceAll('\r\n', '\n') !== whole);
        expect(isUntouched(changed)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
