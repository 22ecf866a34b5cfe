import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkCoverage } from '../../../../src/doctor/checks/coverage.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import { COMMITTED, levels, LOCAL, makePatient, settingsWith, withWorktree } from '../support.ts';

const settings = settingsWith(commandFor('/home/user/.claude/holdfast/dist/hook.cjs'));

test('without hooks there is nothing to cover with', () => {
  expect(levels(checkCoverage.run(makePatient().examined()))).toEqual(['skipped']);
});

describe('each scope, and the launches that it misses in which client', () => {
  test('local', () => {
    const { examined } = makePatient({ [LOCAL]: settings, '.git/HEAD': '' });
    expect(checkCoverage.run(examined())).toMatchObject([
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
    const { examined } = makePatient({ [COMMITTED]: settings });
    expect(checkCoverage.run(examined())[0]?.evidence).toEqual([
      'launched in a sub-directory of a git repository: not in 2.1.197, 2.1.325',
      'launched in a sub-directory outside git: not in 2.1.197, 2.1.325',
      'this project is not in git',
    ]);
  });

  test('user covers them all', () => {
    const { examined, configure } = makePatient();
    configure('settings.json', settings);
    expect(levels(checkCoverage.run(examined()))).toEqual(['ok']);
  });
});

test('hooks of the main tree cover a worktree in newer clients only', () => {
  const patient = makePatient();
  const root = withWorktree(patient);
  patient.write(LOCAL, JSON.stringify(settings));
  expect(checkCoverage.run(patient.examined({ root }))[0]?.evidence).toEqual([
    'launched in the project root: not in 2.1.197',
    'launched in a sub-directory of a git repository: not in 2.1.197',
    'launched in a sub-directory outside git: not in 2.1.197, 2.1.325',
    'launched in a git worktree: not in 2.1.197',
    'this project is a git worktree',
    expect.stringContaining('you are in'),
  ]);
});

test('what this place is, is told', () => {
  const { examined, at } = makePatient({ [LOCAL]: settings, '.git': 'gitdir: /elsewhere\n' });
  mkdirSync(at('src'));
  expect(checkCoverage.run(examined({ cwd: at('src') }))[0]?.evidence).toEqual(
    expect.arrayContaining([
      'this project is a git worktree',
      `you are in a sub-directory of it: ${at('src')}`,
    ]),
  );
});
