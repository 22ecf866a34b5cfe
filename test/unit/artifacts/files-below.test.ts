import { expect, test } from 'vitest';
import { filesBelow } from '../../../src/artifacts/files-below.ts';
import { makeProject } from '../../support/project.ts';

const tree = { 'notes/a/1.md': '', 'notes/a/2.md': '', 'notes/b.md': '', 'notes/c.md': '' };

test('finds all files below a folder, in the order of their paths', () => {
  expect(filesBelow(makeProject(tree).root, 'notes')).toEqual({
    files: ['notes/a/1.md', 'notes/a/2.md', 'notes/b.md', 'notes/c.md'],
    closed: [],
    isCut: false,
  });
});

test('visits at most the allowed number of entries and reports that there were more', () => {
  const { root } = makeProject(tree);
  expect(filesBelow(root, 'notes', 5)).toMatchObject({ isCut: false });
  expect(filesBelow(root, 'notes', 4)).toMatchObject({
    files: ['notes/a/1.md', 'notes/a/2.md', 'notes/b.md'],
    isCut: true,
  });
  expect(filesBelow(root, 'notes', 2)).toMatchObject({ files: ['notes/a/1.md'], isCut: true });
});

test('a missing folder has no files', () => {
  expect(filesBelow(makeProject().root, 'notes')).toEqual({ files: [], closed: [], isCut: false });
});
