import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readingList, requiredPaths, type FileStatus } from '../../../src/reading/reading-list.ts';
import { digestOf } from '../../../src/io/digest.ts';
import { projectFiles } from '../../../src/reading/project-files.ts';
import type { RunState } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aState, minutesBefore } from '../../support/runs.ts';

const inContext = (digests: Record<string, string>): Partial<RunState> => ({
  context_metadata: {
    artifacts_in_context: Object.entries(digests).map(([artifact_id, digest]) => ({
      artifact_id,
      loaded_at: minutesBefore(5),
      digest,
    })),
  },
});

describe('the reading list has each required file', () => {
  const listed = (project: Project, required_reading: string[], fields: Partial<RunState> = {}) =>
    readingList(aState({ required_reading, ...fields }), projectFiles(project.root, project.root));

  test('with its state', () => {
    const project = makeProject({
      'CLAUDE.md': 'See @docs/imported.md',
      'docs/imported.md': 'x',
      'unread.md': 'x',
      'read.md': 'same',
      'changed.md': 'new',
    });
    writeFileSync(join(project.outside, 'a.md'), 'secret');
    project.link('link.md', join(project.outside, 'a.md'));
    const states = {
      '@unread.md': 'unread',
      '@read.md': 'in_context',
      '@changed.md': 'changed',
      '@gone.md': 'missing',
      '@../outside/a.md': 'outside',
      '@link.md': 'outside',
      '@CLAUDE.md': 'host',
      '@docs/imported.md': 'host',
    };
    const digests = { '@read.md': digestOf('same'), '@changed.md': digestOf('old') };
    expect(listed(project, Object.keys(states), inContext(digests))).toEqual(
      Object.entries(states).map(([path, state]) => ({ path, state })),
    );
  });

  test('once, whatever its spellings, and in the order of the run', () => {
    const project = makeProject({ 'docs/a.md': 'a', 'b.md': 'b' });
    const spellings = [
      '@b.md',
      '@./docs//a.md',
      '@docs/a.md',
      `@${project.at('docs/a.md')}`,
      '@b.md',
    ];
    expect(listed(project, spellings, inContext({ '@docs/a.md': digestOf('a') }))).toEqual([
      { path: '@b.md', state: 'unread' },
      { path: '@docs/a.md', state: 'in_context' },
    ]);
  });

  test('a file that was read and is gone is missing', () => {
    expect(listed(makeProject(), ['@a.md'], inContext({ '@a.md': 'x' }))).toEqual([
      { path: '@a.md', state: 'missing' },
    ]);
  });

  test('a run that requires nothing has an empty list', () => {
    expect(listed(makeProject({ 'a.md': '' }), [])).toEqual([]);
  });
});

test('a digest is computed only for files in the context', () => {
  const asked: string[] = [];
  const statusOf = (path: string): FileStatus => ({
    kind: 'present',
    digest: () => {
      asked.push(path);
      return `digest of ${path}`;
    },
  });
  const state = aState({
    required_reading: ['@a.md', '@b.md', '@c.md'],
    ...inContext({ '@b.md': 'digest of b.md', '@not-required.md': 'x' }),
  });
  expect(readingList(state, { canonical: (path) => path, statusOf })).toEqual([
    { path: '@a.md', state: 'unread' },
    { path: '@b.md', state: 'in_context' },
    { path: '@c.md', state: 'unread' },
  ]);
  expect(asked).toEqual(['b.md']);
});

test('a file that no longer has a digest counts as changed', () => {
  const files = {
    canonical: (path: string) => path,
    statusOf: (): FileStatus => ({ kind: 'present', digest: () => undefined }),
  };
  const state = aState({ required_reading: ['@a.md'], ...inContext({ '@a.md': 'x' }) });
  expect(readingList(state, files)).toEqual([{ path: '@a.md', state: 'changed' }]);
});

test('required paths are spelt from the project root, with @', () => {
  const { root } = makeProject();
  const state = aState({ required_reading: ['@./a.md', '@x/../a.md', '@~/b.md', '@../c.md'] });
  expect(requiredPaths(state, projectFiles(root))).toEqual(['@a.md', '@~/b.md', '@../c.md']);
});
