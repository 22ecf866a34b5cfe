import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { checkLock } from '../../../../src/doctor/checks/lock.ts';
import { LOCK, STATE } from '../../../support/store.ts';
import { age, levels, makeDoctorProject } from '../support.ts';

const owned = (pid: number): string => `${pid}-token ${pid} ${hostname()}`;
/** No process has it: the kernel counts no further than this. */
const NOBODY = 4_194_305;

test('is skipped without a state folder and creates none', () => {
  const { doctorContext, exists } = makeDoctorProject();
  expect(levels(checkLock.run(doctorContext()))).toEqual(['skipped']);
  expect(exists('untracked')).toBe(false);
});

test('leaves a running writer and its temporary file alone', () => {
  const { doctorContext } = makeDoctorProject({
    [LOCK]: owned(process.pid),
    [`${STATE}/.tmp-x-1`]: '',
  });
  expect(levels(checkLock.run(doctorContext()))).toEqual(['note']);
});

describe('what a killed writer left behind', () => {
  test.each([
    ['a lock of a process that is gone', owned(NOBODY), 0],
    ['a lock that is held for too long', owned(process.pid), 6],
    ['a lock without a name', '', 1],
  ])('%s is found, and mended', (_name, content, seconds) => {
    const { doctorContext, at, names } = makeDoctorProject({ [LOCK]: content });
    age(at(LOCK), seconds);
    expect(checkLock.run(doctorContext())).toMatchObject([
      { level: 'warning', evidence: [LOCK], fix: 'holdfast doctor --fix', fixable: true },
    ]);
    expect(names(STATE)).toEqual(['.lock']);
    expect(checkLock.fix?.(doctorContext())).toEqual([`removed the stale lock ${LOCK}`]);
    expect(names(STATE)).toEqual([]);
    expect(levels(checkLock.run(doctorContext()))).toEqual(['ok']);
  });

  test('finds and removes temporary files and lock claims', () => {
    const left = [`${STATE}/.lock-taken-x-0`, `${STATE}/.tmp-x-1`];
    const tree = Object.fromEntries(left.map((path) => [path, '']));
    const { doctorContext, names } = makeDoctorProject({
      ...tree,
      [`${STATE}/sources.json`]: '{}',
    });
    expect(checkLock.run(doctorContext())).toMatchObject([
      { level: 'warning', evidence: left, fixable: true },
    ]);
    expect(checkLock.fix?.(doctorContext())).toEqual(left.map((path) => `removed ${path}`));
    expect(names(STATE)).toEqual(['sources.json']);
  });
});
