import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnmodified, sign } from '../../../src/install/assets.ts';
import { texts } from '../../../src/install/assets.generated.ts';
import { repetitions } from '../../support/repetitions.ts';

const TEXT = '---\ndescription: Shows things\n---\n\nShow them.\n';

test.each(Object.entries(texts))('%s is known again', (_name, text) => {
  expect(isUnmodified(sign(text))).toBe(true);
});

test('the seal stands in the front matter; what a model reads is the same', () => {
  const [open, seal, ...rest] = sign(TEXT).split('\n');
  expect(seal).toMatch(/^x-holdfast: [0-9a-f]+$/);
  expect([open, ...rest].join('\n')).toBe(TEXT);
});

test('line ends that git or an editor converted are no change of the user’s', () => {
  expect(isUnmodified(sign(TEXT).replaceAll('\n', '\r\n'))).toBe(true);
});

describe('changed by the user', () => {
  const [open = '', seal = '', ...rest] = sign(TEXT).split('\n');
  test.each([
    ['a word', sign(TEXT).replace('Show them', 'Show it')],
    ['a space at the end', `${sign(TEXT)} `],
    ['an empty line at the end', `${sign(TEXT)}\n`],
    ['the last line end is missing', sign(TEXT).trimEnd()],
    ['no front matter', sign(TEXT).split('---\n').at(-1) ?? ''],
    ['the seal is missing', TEXT],
    ['the seal of another text', sign('---\nother\n---\n').replace('other', 'else')],
    ['the seal is there twice', [open, seal, seal, ...rest].join('\n')],
    ['the seal stands elsewhere', [open, rest[0], seal, ...rest.slice(1)].join('\n')],
    ['a byte order mark', `\uFEFF${sign(TEXT)}`],
    ['nothing is left', ''],
  ])('%s', (_what, text) => {
    expect(isUnmodified(text)).toBe(false);
  });

  test('any letter more or less, anywhere', () => {
    const whole = sign(TEXT);
    const edit = fc.tuple(fc.nat(whole.length), fc.nat(3), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(edit, ([at, length, put]) => {
        const changed = whole.slice(0, at) + put + whole.slice(at + length);
        fc.pre(changed.replaceAll('\r\n', '\n') !== whole);
        expect(isUnmodified(changed)).toBe(false);
      }),
      { numRuns: repetitions(300) },
    );
  });
});
