import { expect, test } from 'vitest';
import { isPlainId } from '../../../src/text/sanitize.ts';

test('an id that can be a file name', () => {
  const good = [
    'a',
    '0',
    '_-',
    '36b8f84d-df4e-4d49-b662-bcde71a8764f',
    'x'.repeat(128),
  ];
  const bad = [
    '',
    '.',
    '..',
    'a/b',
    'a b',
    'a\n',
    'ä',
    'a.json',
    'x'.repeat(129),
  ];
  expect([...good, ...bad].filter(isPlainId)).toEqual(good);
});
