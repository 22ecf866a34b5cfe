import { chmodSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { removeTextLeftovers, replaceText } from '../../../src/files/atomic-write.ts';
import { compile } from '../../support/child.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { saying } from '../../support/failures.ts';

const modeOf = (project: Project, path: string): number => statSync(project.at(path)).mode & 0o777;

describe('right before the file is replaced', () => {
  test('its writer may call it off: the file stays, and nothing is left beside it', () => {
    const project = makeProject({ file: 'old' });
    const seen: string[] = [];
    const confirm = (): void => {
      seen.push(project.read('file'), ...project.names('.'));
      throw new Error('no');
    };
    expect(() => replaceText(project.at('file'), 'new', { confirm })).toThrow(saying('no'));
    expect(seen).toEqual(['old', `.file.holdfast-${process.pid}`, 'file']);
    expect(project.read('file')).toBe('old');
    expect(project.names('.')).toEqual(['file']);
  });
});

describe('permissions', () => {
  test('of a new file are those that are asked for', () => {
    const project = makeProject();
    replaceText(project.at('secret'), 'x', { mode: 0o600 });
    replaceText(project.at('plain'), 'x');
    expect(modeOf(project, 'secret')).toBe(0o600);
    expect(modeOf(project, 'plain') & 0o600).toBe(0o600);
    expect(modeOf(project, 'plain') & 0o022).toBe(0);
  });

  test('a file that is read-only is refused, and stays as it was', () => {
    const project = makeProject({ file: 'old' });
    chmodSync(project.at('file'), 0o444);
    expect(() => replaceText(project.at('file'), 'new')).toThrow(
      expect.objectContaining({
        code: 'not_writable',
        message: `cannot write ${project.at('file')} (read-only)`,
      }),
    );
    expect(project.read('file')).toBe('old');
    expect(project.names('.')).toEqual(['file']);
  });
});

describe('a writer that is killed', () => {
  test('at any instant leaves a whole file; the next one tidies up', async () => {
    const whole = (letter: string): string => letter.repeat(50_000);
    const project = makeProject({ file: whole('a') });
    const writing = compile(`
      import { writeSync } from 'node:fs';
      import { replaceText } from './files/atomic-write.ts';
      for (let turn = 0; ; turn += 1) {
        replaceText(process.argv[2] ?? '', 'abc'.charAt(turn % 3).repeat(50_000));
        writeSync(1, '.');
      }
    `);
    for (const writes of [1, 4, 9]) {
      const writer = writing.start(project.at('file'));
      await writer.says('.'.repeat(writes));
      writer.process.kill('SIGKILL');
      await writer.killed();
      expect(['a', 'b', 'c'].map(whole)).toContain(project.read('file'));
    }
    replaceText(project.at('file'), 'new');
    expect(project.names('.')).toEqual(['file']);
  });

  test('all leftovers of a folder can be removed, and nothing else is', () => {
    const names = ['.a.holdfast-1', '.b.json.holdfast-22', '.holdfast-3', '.c.holdfast-x', 'd'];
    const project = makeProject(Object.fromEntries(names.map((name) => [name, 'x'])));
    removeTextLeftovers(project.root);
    expect(project.names('.')).toEqual(['.c.holdfast-x', '.holdfast-3', 'd']);
  });
});
