import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandGlob } from '../../../src/files/read-file.ts';
import { makeProject } from '../../support/project.ts';

describe('the paths that fit a pattern', () => {
  const tree = {
    'CLAUDE/Plan/00001-one/PLAN.md': '',
    'CLAUDE/Plan/00002-two/PLAN.md': '',
    'CLAUDE/Plan/Completed/00000-old/PLAN.md': '',
    'CLAUDE/Plan/.hidden/PLAN.md': '',
    'CLAUDE/Plan/README.md': '',
  };

  test.each([
    ['*-*/PLAN.md', ['00001-one/PLAN.md', '00002-two/PLAN.md']],
    ['0000?-t?o/PLAN.md', ['00002-two/PLAN.md']],
    ['*', ['00001-one', '00002-two', 'Completed', 'README.md']],
    ['.*/PLAN.md', ['.hidden/PLAN.md']],
    ['.//README.md', ['README.md']],
    ['README.md/*', []],
  ])('%s', (pattern, found) => {
    const paths = expandGlob(makeProject(tree).root, `CLAUDE/Plan/${pattern}`);
    expect(paths.toSorted()).toEqual(
      found.map((path) => `CLAUDE/Plan/${path}`),
    );
  });
});

test('a name fits as the same regular expression would say', () => {
  const names = [
    'a',
    'b',
    'ab',
    'ba',
    'aab',
    'abab',
    'bbbb',
    'a.b',
    '(a)',
    'abba',
    'a*b',
  ];
  const { root } = makeProject(
    Object.fromEntries(names.map((name) => [name, ''])),
  );
  const pattern = fc.string({
    unit: fc.constantFrom('a', 'b', '*', '?', '.', '('),
    minLength: 1,
  });
  fc.assert(
    fc.property(
      pattern.filter((text) => /[*?]/.test(text)),
      (text) => {
        const same = text
          .replace(/[.()]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.');
        const expected = names.filter((name) =>
          new RegExp(`^${same}$`).test(name),
        );
        expect(expandGlob(root, text).toSorted()).toEqual(expected.toSorted());
      },
    ),
  );
});
