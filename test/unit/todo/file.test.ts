import { chmodSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LockLost } from '../../../src/io/lock.ts';
import { readTodoFile, writeTodoFile } from '../../../src/todo/file.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { saying } from '../../support/failures.ts';

const isRoot = process.getuid?.() === 0;

/** As somebody who has just read it. */
function write(project: Project, path: string, text: string): void {
  const before = project.exists(path) ? project.read(path) : null;
  writeTodoFile(project.root, path, { before, text });
}

describe('the todo file', () => {
  test('is read byte for byte', () => {
    const text = '\uFEFF- [ ] ä\r\n\t- [x] 😀\r';
    expect(readTodoFile(makeProject({ 'TODO.md': text }).root, 'TODO.md')).toBe(text);
  });

  test('may not be there yet', () => {
    expect(readTodoFile(makeProject().root, 'docs/TODO.md')).toBeNull();
  });

  const strange: [what: string, make: (project: Project) => void, expected: RegExp][] = [
    [
      'a folder',
      (project) => project.write('TODO.md/a', ''),
      /cannot be the todo list: not a file/,
    ],
    ['a FIFO', (project) => project.fifo('TODO.md'), /not a file/],
    ['binary', (project) => project.write('TODO.md', '- [ ] a\0'), /binary/],
    ['huge', (project) => project.write('TODO.md', 'x'.repeat(200_001)), /too large/],
    ['not in UTF-8', (project) => project.write('TODO.md', Uint8Array.of(0x61, 0xff)), /UTF-8/],
    ['a link that leads nowhere', (project) => project.link('TODO.md', 'gone.md'), /broken link/],
    [
      'a link out of the project',
      (project) => {
        writeFileSync(join(project.outside, 'list.md'), '- [ ] a\n');
        project.link('TODO.md', join(project.outside, 'list.md'));
      },
      /outside the project/,
    ],
  ];
  test.each(strange)('is refused where it is %s', (_what, make, expected) => {
    const project = makeProject();
    make(project);
    expect(() => readTodoFile(project.root, 'TODO.md')).toThrow(saying(expected));
  });
});

describe('a file that git, Claude Code or holdfast reads', () => {
  const reserved = [
    '.git/config',
    '.git/hooks/pre-commit',
    '.claude/settings.local.json',
    '.claude/commands/todo.md',
    'packages/app/.claude/settings.json',
    '.Claude/settings.json',
    '.mcp.json',
    'untracked/workflow-state/sources.json',
  ];
  test.each(reserved)('%s is not the todo list, whether it exists or not', (path) => {
    const project = makeProject();
    const refused = saying(/cannot be the todo list: git, Claude Code or holdfast reads it; name/);
    expect(() => readTodoFile(project.root, path)).toThrow(refused);
    project.write(path, '- [ ] a\n');
    expect(() => readTodoFile(project.root, path)).toThrow(refused);
  });

  test('is not the todo list by a link either', () => {
    const project = makeProject({ '.claude/settings.json': '{}', '.git/HEAD': '' });
    project.link('TODO.md', '.claude/settings.json');
    project.link('docs', '.git');
    for (const path of ['TODO.md', 'docs/config'])
      expect(() => readTodoFile(project.root, path)).toThrow(saying(/holdfast reads it/));
  });

  test('is not one that only has a similar name', () => {
    const project = makeProject();
    for (const path of ['.claude/TODO.md', '.github/TODO.md', 'untracked/TODO.md', 'git/TODO.md'])
      expect(readTodoFile(project.root, path)).toBeNull();
  });
});

describe('writing the todo file', () => {
  test('makes it, with its folder', () => {
    const project = makeProject();
    write(project, 'docs/lists/TODO.md', '- [ ] a\n');
    expect(project.read('docs/lists/TODO.md')).toBe('- [ ] a\n');
    expect(project.names('docs/lists')).toEqual(['TODO.md']);
  });

  test('is called off where somebody else wrote since it was read', () => {
    const project = makeProject({ 'TODO.md': '- [ ] theirs\n' });
    const late = { before: '- [ ] old\n', text: '- [ ] old\n- [ ] ours\n' };
    expect(() => writeTodoFile(project.root, 'TODO.md', late)).toThrow(LockLost);
    expect(project.read('TODO.md')).toBe('- [ ] theirs\n');
    expect(project.names('.')).toEqual(['TODO.md']);
  });

  test('keeps its permissions', () => {
    const project = makeProject({ 'TODO.md': '' });
    chmodSync(project.at('TODO.md'), 0o640);
    write(project, 'TODO.md', '- [ ] a\n');
    expect(statSync(project.at('TODO.md')).mode & 0o777).toBe(0o640);
  });

  test('goes through a link inside the project, which stays one', () => {
    const project = makeProject({ 'docs/list.md': '' });
    project.link('TODO.md', 'docs/list.md');
    write(project, 'TODO.md', '- [ ] a\n');
    expect(lstatSync(project.at('TODO.md')).isSymbolicLink()).toBe(true);
    expect(project.read('docs/list.md')).toBe('- [ ] a\n');
  });

  test('never leaves the project by a folder that is a link', () => {
    const project = makeProject();
    project.link('docs', project.outside);
    expect(() => write(project, 'docs/TODO.md', 'a')).toThrow(saying(/leads out of the project/));
    expect(() => readFileSync(join(project.outside, 'TODO.md'))).toThrow(saying(/ENOENT/));
  });

  test('is refused where the text is too large to be read again', () => {
    const project = makeProject();
    expect(() => write(project, 'TODO.md', 'ä'.repeat(100_001))).toThrow(saying(/too large/));
    expect(project.exists('TODO.md')).toBe(false);
  });

  test('is refused where the file is read-only', () => {
    const project = makeProject({ 'TODO.md': '- [ ] a\n' });
    chmodSync(project.at('TODO.md'), 0o444);
    expect(() => write(project, 'TODO.md', 'b')).toThrow(saying(/cannot write .*TODO\.md/));
    expect(project.read('TODO.md')).toBe('- [ ] a\n');
  });

  test.skipIf(isRoot)('is refused in words where the folder is read-only', () => {
    const project = makeProject({ 'docs/a.md': '' });
    chmodSync(project.at('docs'), 0o555);
    expect(() => write(project, 'docs/TODO.md', 'b')).toThrow(
      saying('cannot write docs/TODO.md (EACCES)'),
    );
    chmodSync(project.at('docs'), 0o755);
  });
});
