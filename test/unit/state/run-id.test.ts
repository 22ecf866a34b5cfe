import { expect, test } from 'vitest';
import { isRunId } from '../../../src/state/paths.ts';

test.each(['..', '-x', 'a b', 'a`b', 'a/b', 'a\nb', '', 'x'.repeat(300)])(
  '%j is no id of a run, because it is a part of a path and a word of a command',
  (id) => {
    expect(isRunId(id)).toBe(false);
  },
);

test.each(['shop-20260105_100000', '.hidden', 'a+b', '機能'])(
  '%j is one',
  (id) => {
    expect(isRunId(id)).toBe(true);
  },
);
