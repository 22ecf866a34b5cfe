import { rmSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { treeMark } from '../../../src/headless/progress.ts';
import { makeProject, type Project } from '../../support/project.ts';

const project = (): Project =>
  makeProject({ 'src/a.ts': 'one', 'docs/b.md': 'two', 'untracked/notes.md': 'mine' });

describe('the mark of a project without git', () => {
  it.each<[string, (files: Project) => void]>([
    ['a new file', (files) => files.write('src/new.ts', '')],
    ['a longer file', (files) => files.write('src/a.ts', 'one more')],
    ['a file written later', (files) => utimesSync(files.at('docs/b.md'), 1, 1)],
    ['a removed file', (files) => rmSync(files.at('docs/b.md'))],
    ['a file of the user below untracked/', (files) => files.write('untracked/more.md', 'x')],
  ])('changes with %s', (_name, change) => {
    const files = project();
    const before = treeMark(files.root);
    expect(treeMark(files.root)).toBe(before);
    change(files);
    expect(treeMark(files.root)).not.toBe(before);
  });

  it.each([
    'untracked/workflow-state/x/state-1.json',
    'untracked/workflow-logs/x/events.jsonl',
    'untracked/workflow-archive/x.json',
    'node_modules/.cache/x',
  ])('does not change with %s', (path) => {
    const files = project();
    files.write(path, 'before');
    const before = treeMark(files.root);
    files.write(path, 'and after');
    expect(treeMark(files.root)).toBe(before);
  });

  it('is unknown for more files than can be looked at', () => {
    expect(treeMark(project().root, 2)).toBeNull();
  });
});
