import { expect, test } from 'vitest';
import { isPlainId } from '../../../src/text/sanitize.ts';

test.each(['a', '0', '_-', '36b8f84d-df4e-4d49-b662-bcde71a8764f', 'x'.repeat(128)])(
  '%j can be a file name',
  (id) => {
    expect(isPlainId(id)).toBe(true);
  },
);

test.each(['', '.', '..', 'a/b', 'a b', 'a\n', 'ä', 'a.json', 'x'.repeat(129)])(
  '%j cannot',
  (id) => {
    expect(isPlainId(id)).toBe(false);
  },
);
