import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadDirectory } from '../../../src/artifacts/load-directory.ts';
import { makeProject, type Project } from '../../support/project.ts';

const textOf = (
  { root }: Pick<Project, 'root'>,
  strategy: 'all' | 'latest_only' | 'summary' | undefined,
  path = 'notes',
): string => {
  const loaded = loadDirectory(root, path, strategy);
  if (loaded.kind !== 'text') throw new Error(JSON.stringify(loaded));
  expect(loaded.size).toBe(Buffer.byteLength(loaded.text));
  return loaded.text;
};

const touched = (project: Project, path: string, minute: number): void =>
  utimesSync(project.at(path), new Date(), new Date(Date.UTC(2025, 0, 1, 0, minute)));

describe('all', () => {
  test('loads every file below, ordered by name; this is the default', () => {
    const project = makeProject({
      'notes/b.md': 'two\r\nlines\r\n',
      'notes/a.md': 'one',
      'notes/deep/größe 1.md': 'three\n',
      'other.md': 'not below',
    });
    const expected =
      '--- notes/a.md ---\none\n\n--- notes/b.md ---\ntwo\r\nlines\n\n--- notes/deep/größe 1.md ---\nthree';
    expect(textOf(project, 'all')).toBe(expected);
    expect(textOf(project, undefined)).toBe(expected);
    expect(loadDirectory(project.root, 'notes', 'all')).toMatchObject({ path: 'notes' });
  });

  test('the project itself may be the folder', () => {
    const project = makeProject({ 'a.md': 'one', 'x/b.md': 'two' });
    expect(textOf(project, 'all', '.')).toBe('--- a.md ---\none\n\n--- x/b.md ---\ntwo');
  });

  test('skips hidden files and node_modules', () => {
    const project = makeProject({
      'notes/a.md': 'one',
      'notes/.secret': 'x',
      'notes/.git/config': 'x',
      'notes/node_modules/x/index.js': 'x',
    });
    expect(textOf(project, 'all')).toBe('--- notes/a.md ---\none');
  });

  test('names binary and oversized files', () => {
    const project = makeProject({ 'notes/a.md': 'one', 'notes/big.md': 'x'.repeat(1_000_001) });
    project.write('notes/logo.png', Uint8Array.of(1, 0, 2));
    expect(textOf(project, 'all')).toBe(
      '--- notes/a.md ---\none\n\nLeft out: notes/big.md (too large), notes/logo.png (binary)',
    );
  });

  test('loads at most a million bytes in total and names the rest', () => {
    const half = 'x'.repeat(400_000);
    const project = makeProject({
      'notes/1.md': half,
      'notes/2.md': half,
      'notes/3.md': half,
      'notes/4.md': 'small',
    });
    const text = textOf(project, 'all');
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).toContain('--- notes/4.md ---\nsmall');
    expect(text).toMatch(/Left out: notes\/3\.md \(too large\)$/);
  });

  test('a folder with only binary files says so', () => {
    const project = makeProject({ 'notes/a.bin': '\0' });
    expect(textOf(project, 'all')).toBe('Left out: notes/a.bin (binary)');
  });

  test('names the first of many omitted files and counts the others', () => {
    const project = makeProject();
    for (let index = 0; index < 30; index += 1) project.write(`notes/${index + 10}.bin`, '\0');
    expect(textOf(project, 'all')).toMatch(/29\.bin \(binary\), 10 more files$/);
  });
});

describe('links', () => {
  test('out of the project are never followed', () => {
    const project = makeProject({ 'notes/a.md': 'one' });
    writeFileSync(join(project.outside, 'secret.md'), 'secret');
    project.link('notes/file.md', join(project.outside, 'secret.md'));
    project.link('notes/folder', project.outside);
    for (const strategy of ['all', 'summary', 'latest_only'] as const) {
      expect(textOf(project, strategy)).not.toContain('secret');
    }
    expect(textOf(project, 'summary')).toBe('notes/a.md (3 bytes)');
  });

  test('to files inside are followed, to folders not, so that loops end', () => {
    const project = makeProject({ 'notes/a.md': 'one', 'spec.md': 'spec' });
    project.link('notes/loop', project.at('notes'));
    project.link('notes/spec.md', project.at('spec.md'));
    expect(textOf(project, 'summary')).toBe('notes/a.md (3 bytes)\nnotes/spec.md (4 bytes)');
  });

  test('and FIFOs do not block it', () => {
    const project = makeProject({ 'notes/a.md': 'one' });
    project.fifo('notes/pipe');
    expect(textOf(project, 'all')).toBe('--- notes/a.md ---\none');
  });
});

describe('latest_only', () => {
  test('loads the file that was changed last, at any depth', () => {
    const project = makeProject({
      'notes/z.md': 'old',
      'notes/deep/b.md': 'newest',
      'notes/.hidden': 'hidden',
    });
    touched(project, 'notes/z.md', 1);
    touched(project, 'notes/deep/b.md', 3);
    touched(project, 'notes/.hidden', 9);
    expect(loadDirectory(project.root, 'notes', 'latest_only')).toEqual({
      kind: 'text',
      text: 'newest',
      size: 6,
      path: 'notes/deep/b.md',
    });
  });

  test('of several with the same time, the last by name', () => {
    const project = makeProject({ 'notes/1.md': 'one', 'notes/2.md': 'two' });
    touched(project, 'notes/1.md', 1);
    touched(project, 'notes/2.md', 1);
    expect(textOf(project, 'latest_only')).toBe('two');
  });

  test('is refused if that file is binary', () => {
    const project = makeProject({ 'notes/a.bin': '\0' });
    expect(loadDirectory(project.root, 'notes', 'latest_only')).toEqual({
      kind: 'refused',
      why: 'binary',
      path: 'notes/a.bin',
    });
  });
});

test('summary: names and sizes', () => {
  const project = makeProject({ 'notes/a.md': 'x', 'notes/b/c.md': 'x'.repeat(12_345) });
  expect(textOf(project, 'summary')).toBe('notes/a.md (1 byte)\nnotes/b/c.md (12 KB)');
});

test('a folder without files is empty', () => {
  const project = makeProject({ 'notes/.gitkeep': '' });
  mkdirSync(project.at('notes/inner'));
  for (const strategy of ['all', 'summary', 'latest_only'] as const) {
    expect(loadDirectory(project.root, 'notes', strategy)).toEqual({
      kind: 'empty',
      path: 'notes',
    });
  }
});

test.skipIf(process.getuid?.() === 0)('an unreadable folder is refused or named', () => {
  const project = makeProject({ 'notes/a.md': 'one', 'notes/closed/b.md': 'two' });
  chmodSync(project.at('notes/closed'), 0);
  expect(textOf(project, 'all')).toMatch(/Left out: notes\/closed \(not permitted\)$/);
  expect(loadDirectory(project.root, 'notes/closed', 'all')).toEqual({
    kind: 'refused',
    why: 'not permitted',
    path: 'notes/closed',
  });
  chmodSync(project.at('notes/closed'), 0o755);
});

describe('a folder with 10,000 files', () => {
  const project = (): Project => {
    const made = makeProject({ 'notes/00000.md': 'first' });
    for (let index = 1; index < 10_000; index += 1) {
      writeFileSync(made.at(`notes/${String(index).padStart(5, '0')}.md`), 'x');
    }
    return made;
  };

  test('is loaded quickly, within limits, with the number of omitted files', () => {
    const made = project();
    const started = performance.now();
    expect(textOf(made, 'all')).toMatch(
      /--- notes\/00199\.md ---\nx\n\nLeft out: 9800 more files$/,
    );
    expect(textOf(made, 'summary')).toMatch(
      /notes\/00199\.md \(1 byte\)\nLeft out: 9800 more files$/,
    );
    touched(made, 'notes/00000.md', 60 * 24 * 365 * 50);
    expect(textOf(made, 'latest_only')).toBe('first');
    expect(performance.now() - started).toBeLessThan(4_000);
  }, 30_000);
});

test('limits the depth of nested folders', () => {
  const deep = Array.from({ length: 30 }, (_, index) => String(index)).join('/');
  const project = makeProject({ [`notes/${deep}/a.md`]: 'deep', 'notes/z.md': 'z' });
  expect(textOf(project, 'all')).toContain('--- notes/z.md ---\nz');
  expect(textOf(project, 'all')).not.toContain('deep');
  expect(textOf(project, 'all')).toContain('Left out: notes/0/1/2');
});
