import fc from 'fast-check';
import { join } from 'node:path';
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
  const expand = (pattern: string): string[] => expandGlob(makeProject(tree).root, pattern);

  test('a star stands for one name, not for folders below', () => {
    const found = expand('CLAUDE/Plan/*-*/PLAN.md').toSorted();
    expect(found).toEqual(['CLAUDE/Plan/00001-one/PLAN.md', 'CLAUDE/Plan/00002-two/PLAN.md']);
  });

  test('a question mark for one character', () => {
    expect(expand('CLAUDE/Plan/0000?-t?o/PLAN.md')).toEqual(['CLAUDE/Plan/00002-two/PLAN.md']);
    expect(expand('CLAUDE/Plan/README.m?')).toEqual(['CLAUDE/Plan/README.md']);
  });

  test('hidden names are meant only where the pattern says so', () => {
    expect(expand('CLAUDE/Plan/*/PLAN.md')).not.toContain('CLAUDE/Plan/.hidden/PLAN.md');
    expect(expand('CLAUDE/Plan/.*/PLAN.md')).toEqual(['CLAUDE/Plan/.hidden/PLAN.md']);
  });

  test('a path without a pattern is itself', () => {
    expect(expand('./CLAUDE//Plan/README.md')).toEqual(['CLAUDE/Plan/README.md']);
  });

  test('folders that are missing or files fit nothing', () => {
    expect(expand('nowhere/*/PLAN.md')).toEqual([]);
    expect(expand('CLAUDE/Plan/README.md/*')).toEqual([]);
  });

  test('a link that leads in a circle fits nothing', () => {
    const project = makeProject();
    project.link('loop', join(project.root, 'loop'));
    expect(expandGlob(project.root, 'loop/*')).toEqual([]);
  });
});

test('a name fits as the same regular expression would say', () => {
  const names = ['a', 'b', 'ab', 'ba', 'aab', 'abab', 'bbbb', 'a.b', '(a)', 'abba', 'a*b'];
  const { root } = makeProject(Object.fromEntries(names.map((name) => [name, ''])));
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.', '('), minLength: 1 });
  fc.assert(
    fc.property(
      pattern.filter((text) => /[*?]/.test(text)),
      (text) => {
        const same = text.replace(/[.()]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
        const expected = names.filter((name) => new RegExp(`^${same}$`).test(name));
        expect(expandGlob(root, text).toSorted()).toEqual(expected.toSorted());
      },
    ),
  );
});

test('no pattern is slow', () => {
  const { root } = makeProject({ ['a'.repeat(200)]: '' });
  expect(expandGlob(root, `${'*a'.repeat(100)}b`)).toEqual([]);
});
