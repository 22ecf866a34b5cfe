import { expect, test } from 'vitest';
import { filesBelow } from '../../../src/artifacts/files-below.ts';
import { makeProject } from '../../support/project.ts';

const tree = { 'notes/a/1.md': '', 'notes/a/2.md': '', 'notes/b.md': '', 'notes/c.md': '' };

test('all files below a folder are found, folders in the place of their names', () => {
  expect(filesBelow(makeProject(tree).root, 'notes')).toEqual({
    files: ['notes/a/1.md', 'notes/a/2.md', 'notes/b.md', 'notes/c.md'],
    closed: [],
    isCut: false,
  });
});

test('no more entries than allowed are looked at, and that there were more is told', () => {
  const { root } = makeProject(tree);
  expect(filesBelow(root, 'notes', 5)).toMatchObject({ isCut: false });
  expect(filesBelow(root, 'notes', 4)).toMatchObject({
    files: ['notes/a/1.md', 'notes/a/2.md', 'notes/b.md'],
    isCut: true,
  });
  expect(filesBelow(root, 'notes', 2)).toMatchObject({ files: ['notes/a/1.md'], isCut: true });
});

test('a folder that is gone has no files', () => {
  expect(filesBelow(makeProject().root, 'notes')).toEqual({ files: [], closed: [], isCut: false });
});
