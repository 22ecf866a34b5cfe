import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkCoverage } from '../../../../src/doctor/checks/coverage.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import {
  COMMITTED,
  levels,
  LOCAL,
  makeDoctorProject,
  settingsWith,
  withWorktree,
} from '../support.ts';

const settings = settingsWith(commandFor('/home/user/.claude/holdfast/bin/hook.sh'));

test('skips the check without hooks', () => {
  expect(levels(checkCoverage.run(makeDoctorProject().doctorContext()))).toEqual(['skipped']);
});

describe('which launches each scope misses, by client version', () => {
  test('local', () => {
    const { doctorContext } = makeDoctorProject({ [LOCAL]: settings, '.git/HEAD': '' });
    expect(checkCoverage.run(doctorContext())).toMatchObject([
      {
        level: 'note',
        evidence: [
          'launched in a sub-directory of a git repository: not in 2.1.197',
          'launched in a sub-directory outside git: not in 2.1.197, 2.1.325',
          'launched in a git worktree: not in 2.1.197',
          'this project is a git repository',
        ],
        fix: expect.stringContaining('holdfast init --scope user'),
      },
    ]);
  });

  test('project', () => {
    const { doctorContext } = makeDoctorProject({ [COMMITTED]: settings });
    expect(checkCoverage.run(doctorContext())[0]?.evidence).toEqual([
      'launched in a sub-directory of a git repository: not in 2.1.197, 2.1.325',
      'launched in a sub-directory outside git: not in 2.1.197, 2.1.325',
      'this project is not in git',
    ]);
  });

  test('user covers them all', () => {
    const { doctorContext, configure } = makeDoctorProject();
    configure('settings.json', settings);
    expect(levels(checkCoverage.run(doctorContext()))).toEqual(['ok']);
  });
});

test('hooks of the main tree cover a worktree in newer clients only', () => {
  const doctorProject = makeDoctorProject();
  const root = withWorktree(doctorProject);
  doctorProject.write(LOCAL, JSON.stringify(settings));
  expect(checkCoverage.run(doctorProject.doctorContext({ root }))[0]?.evidence).toEqual([
    'launched in the project root: not in 2.1.197',
    'launched in a sub-directory of a git repository: not in 2.1.197',
    'launched in a sub-directory outside git: not in 2.1.197, 2.1.325',
    'launched in a git worktree: not in 2.1.197',
    'this project is a git worktree',
    expect.stringContaining('you are in'),
  ]);
});

test('reports what kind of folder this is', () => {
  const { doctorContext, at } = makeDoctorProject({
    [LOCAL]: settings,
    '.git': 'gitdir: /elsewhere\n',
  });
  mkdirSync(at('src'));
  expect(checkCoverage.run(doctorContext({ cwd: at('src') }))[0]?.evidence).toEqual(
    expect.arrayContaining([
      'this project is a git worktree',
      `you are in a sub-directory of it: ${at('src')}`,
    ]),
  );
});
