import { describe, expect, test } from 'vitest';
import { replaceFile } from '../../../src/files/atomic-write.ts';
import { LockLost, withLock, type Lock } from '../../../src/files/lock.ts';
import { compile } from '../../support/child.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject, type Project } from '../../support/project.ts';

const WAIT = 3_000;
const locked = (project: Project, work: (lock: Lock) => void): void =>
  withLock(project.at('.lock'), WAIT, work);

describe('a holder that was stopped for too long and overtaken', () => {
  const overtake = (project: Project): void => {
    letTimePass(project.at('.lock'), 6);
    locked(project, (lock) =>
      replaceFile(lock, project.root, project.at('file'), 'theirs'),
    );
  };

  test('between its last look and its rename: the same', () => {
    const project = makeProject({ file: 'old' });
    locked(project, ({ token, isHeld }) => {
      const stoppedAfterLook = (): boolean => {
        const held = isHeld();
        overtake(project);
        return held;
      };
      const lock = { token, isHeld: stoppedAfterLook };
      expect(() =>
        replaceFile(lock, project.root, project.at('file'), 'ours'),
      ).toThrow(LockLost);
    });
    expect(project.read('file')).toBe('theirs');
    expect(project.names('.')).toEqual(['file']);
  });
});

describe('a writer that is killed', () => {
  test('in the middle of a write leaves the old content; the next writer tidies up', async () => {
    const project = makeProject({ file: 'old' });
    const dying = compile(`
      import { join } from 'node:path';
      import { replaceFile } from './files/atomic-write.ts';
      import { withLock } from './files/lock.ts';
      const folder = process.argv[2] ?? '';
      withLock(join(folder, '.lock'), 1_000, (lock) => {
        const isHeld = () => process.kill(process.pid, 'SIGKILL');
        replaceFile({ ...lock, isHeld }, folder, join(folder, 'file'), 'never');
      });
    `);
    expect(await dying.start(project.root).killed()).toBe('SIGKILL');
    expect(project.read('file')).toBe('old');
    expect(
      project.names('.').filter((name) => name.startsWith('.tmp-')),
    ).toHaveLength(1);
    locked(project, (lock) =>
      replaceFile(lock, project.root, project.at('file'), 'new'),
    );
    expect(project.read('file')).toBe('new');
    expect(project.names('.')).toEqual(['file']);
  });
});
