import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  locate,
  readProjectFile,
  readTextFile,
} from '../../../src/files/read-file.ts';
import { isInside } from '../../../src/files/environment.ts';
import { makeProject } from '../../support/project.ts';

const MAX = 100;

test.each([
  ['a byte order mark is no part of it', Buffer.from('\uFEFFtext'), 'text'],
  [
    'bytes that are no UTF-8 are replaced',
    Uint8Array.of(0x61, 0xff, 0x62),
    'a\uFFFDb',
  ],
])('%s', (_what, bytes, text) => {
  const project = makeProject();
  project.write('a.md', bytes);
  expect(readTextFile(project.at('a.md'), MAX)).toMatchObject({ text });
});

test.each(['b.md', 'a.md/b.md'])(
  'a file that is not there is absent: %s',
  (path) => {
    const { root } = makeProject({ 'a.md': '' });
    expect(readTextFile(join(root, path), MAX)).toEqual({ kind: 'absent' });
    expect(readProjectFile(root, path, MAX)).toEqual({ kind: 'absent' });
  },
);

describe('refused with the reason', () => {
  test('a link out of the project, also where only a folder on the way is one', () => {
    const project = makeProject();
    writeFileSync(join(project.outside, 'secret'), 'secret');
    project.link('file', join(project.outside, 'secret'));
    project.link('folder', project.outside);
    const refused = { kind: 'refused', why: 'outside the project' };
    expect(readProjectFile(project.root, 'file', MAX)).toEqual(refused);
    expect(readProjectFile(project.root, 'folder/secret', MAX)).toEqual(
      refused,
    );
    expect(readProjectFile(project.root, '../outside/secret', MAX)).toEqual(
      refused,
    );
  });
});

test('a project that is itself reached by a link is still one project', () => {
  const project = makeProject({ 'a.md': 'text' });
  const link = join(project.outside, 'link');
  project.link('../outside/link', project.root);
  expect(readProjectFile(link, 'a.md', MAX)).toMatchObject({ text: 'text' });
});

test('a folder whose name begins alike is not inside', () => {
  expect(isInside('/home/dev/app', '/home/dev/app')).toBe(true);
  expect(isInside('/home/dev/app', '/home/dev/app/x')).toBe(true);
  expect(isInside('/home/dev/app', '/home/dev/apple')).toBe(false);
  expect(isInside('/', '/anything')).toBe(true);
  const project = makeProject();
  mkdirSync(`${project.root}-2`);
  expect(locate(project.root, `${project.root}-2`)).toBe('outside the project');
});
