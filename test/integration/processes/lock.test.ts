import fs, { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import { withLock } from '../../../src/files/lock.ts';
import { compile } from '../../support/child.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { saying } from '../../support/failures.ts';

const WAIT = 3_000;
const SHORT = 30;
const lockOf = (project: Project): string => project.at('.lock');
const heldByLiveProcess = `someone ${process.pid} ${hostname()}`;

describe('one at a time', () => {
  test('a writer that waits too long reports the lock file', () => {
    const project = makeProject({ '.lock': heldByLiveProcess });
    const waiting = (): void =>
      withLock(lockOf(project), SHORT, () => expect.unreachable());
    expect(waiting).toThrow(HoldfastError);
    expect(waiting).toThrow(saying(lockOf(project)));
    expect(project.read('.lock')).toBe(heldByLiveProcess);
  });
});

describe('a lock that is never released', () => {
  test('of a process that is dead is taken over at once', async () => {
    const project = makeProject();
    const dying = compile(`
      import { withLock } from './files/lock.ts';
      withLock(process.argv[2] ?? '', 1_000, () => process.kill(process.pid, 'SIGKILL'));
    `);
    expect(await dying.start(lockOf(project)).killed()).toBe('SIGKILL');
    expect(project.names('.')).toEqual(['.lock']);
    expect(withLock(lockOf(project), SHORT, () => 'done')).toBe('done');
    expect(project.names('.')).toEqual([]);
  });

  test('is taken over five seconds after it was made, by any owner', () => {
    for (const owner of [
      heldByLiveProcess,
      'someone 1 another-machine',
      'half',
    ]) {
      const project = makeProject({ '.lock': owner });
      letTimePass(lockOf(project), 3);
      expect(() => withLock(lockOf(project), SHORT, () => 'done')).toThrow(
        HoldfastError,
      );
      letTimePass(lockOf(project), 6);
      expect(withLock(lockOf(project), SHORT, () => 'done')).toBe('done');
      expect(project.names('.')).toEqual([]);
    }
  });

  test.each(['nothing', '/dev/zero', '.lock', 'held'])(
    'is taken over if it is a link: %s',
    (target) => {
      const project = makeProject({ held: heldByLiveProcess });
      symlinkSync(target, lockOf(project));
      expect(withLock(lockOf(project), WAIT, () => project.read('held'))).toBe(
        heldByLiveProcess,
      );
      expect(project.names('.')).toEqual(['held']);
    },
  );

  test('that is a folder or a FIFO is named, and nothing hangs', () => {
    const folder = makeProject({ '.lock/x': '' });
    expect(() => withLock(lockOf(folder), SHORT, () => 'done')).toThrow(
      saying(/is not a file/),
    );
    const fifo = makeProject();
    fifo.fifo('.lock');
    expect(() => withLock(lockOf(fifo), SHORT, () => 'done')).toThrow(
      saying(/is not a file/),
    );
  });

  test('is also taken over if the clock was set back', () => {
    const project = makeProject({ '.lock': heldByLiveProcess });
    letTimePass(lockOf(project), -3_600);
    expect(withLock(lockOf(project), SHORT, () => 'done')).toBe('done');
  });

  test('is also taken over if it came with an archive, dated in the future and with the names of takers', () => {
    const project = makeProject({ '.lock': 'someone 1 another-machine' });
    for (const period of [0, 1])
      project.write(`.lock-taken-someone-${period}`, 'x');
    letTimePass(lockOf(project), -1_000_000);
    expect(withLock(lockOf(project), SHORT, () => 'done')).toBe('done');
    expect(project.names('.')).toEqual([]);
  });

  test('is not taken if its owner changed meanwhile', () => {
    const project = makeProject({ '.lock': `former 999999999 ${hostname()}` });
    const realNow = Date.now();
    let looks = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      looks += 1;
      if (looks === 2) writeFileSync(lockOf(project), heldByLiveProcess);
      return realNow;
    });
    onTestFinished(() => clock.mockRestore());
    expect(() => withLock(lockOf(project), SHORT, () => 'done')).toThrow(
      HoldfastError,
    );
    expect(looks).toBeGreaterThan(2);
    expect(project.names('.')).toEqual(['.lock']);
    expect(project.read('.lock')).toBe(heldByLiveProcess);
  });

  test('and that was taken before its owner had written its name is not the owner’s', () => {
    const project = makeProject({ other: heldByLiveProcess });
    const take = (): number => (
      renameSync(project.at('other'), lockOf(project)),
      0
    );
    const write = vi.spyOn(fs, 'writeSync').mockImplementationOnce(take);
    syncBuiltinESMExports();
    onTestFinished(() => (write.mockRestore(), syncBuiltinESMExports()));
    expect(() => withLock(lockOf(project), SHORT, () => 'done')).toThrow(
      HoldfastError,
    );
    expect(project.read('.lock')).toBe(heldByLiveProcess);
  });

  test('has one taker, however many want it', async () => {
    const project = makeProject({ '.lock': heldByLiveProcess, entered: '' });
    letTimePass(lockOf(project), 6);
    const taking = compile(`
      import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
      import { join } from 'node:path';
      import { withLock } from './files/lock.ts';
      const folder = process.argv[2] ?? '';
      withLock(join(folder, '.lock'), 20_000, () => {
        mkdirSync(join(folder, 'inside'));
        for (let spin = 0; spin < 200; spin += 1) existsSync(folder);
        rmdirSync(join(folder, 'inside'));
      });
    `);
    const ends = Array.from({ length: 6 }, () =>
      taking.start(project.root).end(),
    );
    await expect(Promise.all(ends)).resolves.toHaveLength(6);
    expect(project.names('.')).toEqual(['entered']);
  });
});

test('the next writer removes the leftovers of killed ones, and nothing else', () => {
  const project = makeProject({
    '.tmp-77-abc-1': 'half a fi',
    '.lock-taken-someone-0': 'x',
    'sources.json': '{}',
    'slug/.tmp-is-a-name-here': '',
  });
  withLock(lockOf(project), WAIT, () => undefined);
  expect(project.names('.')).toEqual(['slug', 'sources.json']);
  expect(project.names('slug')).toEqual(['.tmp-is-a-name-here']);
});
