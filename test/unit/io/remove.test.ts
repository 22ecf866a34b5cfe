import { expect, test } from 'vitest';
import { removeIfEmpty } from '../../../src/io/remove.ts';
import { makeProject } from '../../support/project.ts';

test('a folder goes if nothing is in it', () => {
  const project = makeProject({ 'a/b/file': '', 'c/d/file': '' });
  project.link('e', 'a');
  for (const path of ['a/b', 'e', 'a/b/file', 'none', 'a/b/file/none'])
    removeIfEmpty(project.at(path));
  expect(project.names('.')).toEqual(['a', 'c', 'e']);
  expect(project.names('a/b')).toEqual(['file']);
});
