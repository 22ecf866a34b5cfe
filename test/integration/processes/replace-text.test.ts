import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { removeTextLeftovers, replaceText } from '../../../src/files/atomic-write.ts';
import { compile } from '../../support/child.ts';
import { makeProject } from '../../support/project.ts';

describe('permissions', () => {
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
