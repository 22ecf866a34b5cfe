import { canonicalPath } from '../../../src/io/canonical-path.ts';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/io/digest.ts';
import { projectFiles } from '../../../src/reading/project-files.ts';
import { makeProject } from '../../support/project.ts';

test('a file of the project is present, with its digest', () => {
  const project = makeProject({ 'docs/a.md': 'text' });
  for (const path of ['docs/a.md', './docs/../docs/a.md', project.at('docs/a.md')]) {
    const fact = projectFiles(project.root).statusOf(path);
    expect(fact.kind).toBe('present');
    expect(fact.kind === 'present' && fact.digest()).toBe(digestOf('text'));
  }
});

test('a folder is present too; folders and files that are too large have no digest', () => {
  const { root } = makeProject({ 'docs/a.md': '', 'large.md': 'x'.repeat(1_000_001) });
  for (const path of ['docs', 'large.md']) {
    const fact = projectFiles(root).statusOf(path);
    expect(fact.kind).toBe('present');
    expect(fact.kind === 'present' && fact.digest()).toBeUndefined();
  }
});

test('a path that does not exist or is not a file is missing', () => {
  const project = makeProject();
  project.fifo('pipe');
  project.link('dangling', project.at('gone'));
  for (const path of ['gone.md', 'pipe', 'dangling']) {
    expect(projectFiles(project.root).statusOf(path)).toEqual({ kind: 'missing' });
  }
});

test('a path outside the project is outside, whether it exists or not', () => {
  const project = makeProject();
  writeFileSync(join(project.outside, 'a.md'), '');
  project.link('link.md', join(project.outside, 'a.md'));
  for (const path of ['../outside/a.md', '../gone.md', '/etc/passwd', '~/notes.md', 'link.md']) {
    expect(projectFiles(project.root).statusOf(path)).toEqual({ kind: 'outside' });
  }
});

test('a file that Claude Code loads itself belongs to the host', () => {
  const { root } = makeProject({ 'CLAUDE.md': '', 'docs/CLAUDE.md': '' });
  expect(projectFiles(root).statusOf('CLAUDE.md')).toEqual({ kind: 'host' });
  expect(projectFiles(root).statusOf('docs/CLAUDE.md').kind).toBe('present');
});

test('a file has one canonical spelling', () => {
  const { root } = makeProject({ 'docs/a.md': '' });
  const { canonical } = projectFiles(root);
  for (const path of [
    'docs/a.md',
    './docs/a.md',
    'docs//a.md',
    'x/../docs/a.md',
    `${root}/docs/a.md`,
  ]) {
    expect(canonical(path)).toBe('docs/a.md');
  }
  expect(canonical('../a.md')).toBe('../a.md');
});

test('the canonical spelling of any path matches a naive resolution', () => {
  const piece = fc.constantFrom(
    'a',
    'b.md',
    '.',
    '..',
    '',
    '.hidden',
    'a..b',
    '...',
    'c:d',
    '~x',
    'ä b',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const path = pieces.join('/');
      const full = resolve('/project', path);
      const isIn = full === '/project' || full.startsWith('/project/');
      const expected = path.startsWith('~') || !isIn ? path : relative('/project', full);
      expect(canonicalPath('/project', path)).toBe(expected);
    }),
  );
});
