import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkGit } from '../../../../src/doctor/checks/git.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { STATE } from '../../../support/store.ts';
import { git, levels, makePatient, of, type Patient } from '../support.ts';

function inGit(tree: Record<string, string | object>): Patient {
  const patient = makePatient(tree);
  git(patient, 'init', '--quiet');
  return patient;
}

test('a project outside git has nothing to hide', () => {
  expect(levels(checkGit.run(makePatient().examined()))).toEqual(['ok']);
});

test('what git refuses to look at was not looked at', () => {
  const { examined } = makePatient({ '.git/HEAD': 'not a repository' });
  expect(levels(checkGit.run(examined()))).toEqual(['skipped']);
});

test('without git nothing was looked at', () => {
  const { examined, outside } = makePatient();
  expect(checkGit.run(examined({ environment: { PATH: outside } }))).toMatchObject([
    { level: 'skipped', message: 'git is not on the PATH' },
  ]);
});

test('what a repository would have git start is not started', () => {
  const patient = inGit({ [minimalPath]: minimalState, [`${STATE}/.gitignore`]: '*\n' });
  patient.write('evil.sh', `#!/bin/sh\ntouch '${patient.at('executed')}'\n`);
  chmodSync(patient.at('evil.sh'), 0o755);
  git(patient, 'config', 'core.fsmonitor', patient.at('evil.sh'));
  expect(levels(checkGit.run(patient.examined()))).toEqual(['ok']);
  expect(patient.exists('executed')).toBe(false);
});

test('a git hook that runs doctor does not lead it into another repository', () => {
  const patient = inGit({ [minimalPath]: minimalState });
  git(patient, 'add', '.');
  const other = inGit({});
  const environment = { ...patient.examined().environment, GIT_DIR: other.at('.git') };
  expect(of('broken', checkGit.run(patient.examined({ environment })))).toHaveLength(1);
});

test('a state folder that hides itself is in order, its .gitignore committed or not', () => {
  const patient = inGit({ [minimalPath]: minimalState, [`${STATE}/.gitignore`]: '*\n' });
  expect(levels(checkGit.run(patient.examined()))).toEqual(['ok']);
  git(patient, 'add', '--force', `${STATE}/.gitignore`);
  expect(levels(checkGit.run(patient.examined()))).toEqual(['ok']);
});

test('so is one that the project itself ignores', () => {
  const { examined } = inGit({ [minimalPath]: minimalState, '.gitignore': 'untracked/\n' });
  expect(levels(checkGit.run(examined()))).toEqual(['ok']);
});

test('state files that git tracks are broken, and only a person takes them out', () => {
  const patient = inGit({ [minimalPath]: minimalState });
  git(patient, 'add', '.');
  const findings = checkGit.run(patient.examined());
  expect(of('broken', findings)).toMatchObject([
    {
      evidence: [minimalPath],
      fix: expect.stringContaining(`git rm -r --cached ${STATE}`),
      fixable: false,
    },
  ]);
});

describe('a state folder that git does not ignore', () => {
  test('gets the .gitignore that is missing', () => {
    const { examined, read } = inGit({ [minimalPath]: minimalState });
    expect(checkGit.run(examined())).toMatchObject([{ level: 'warning', fixable: true }]);
    expect(checkGit.fix?.(examined())).toEqual([`wrote ${STATE}/.gitignore`]);
    expect(read(`${STATE}/.gitignore`)).toBe('*\n');
    expect(levels(checkGit.run(examined()))).toEqual(['ok']);
  });

  test('keeps one that somebody wrote', () => {
    const { examined, read } = inGit({
      [minimalPath]: minimalState,
      [`${STATE}/.gitignore`]: '!*\n',
    });
    expect(checkGit.run(examined())).toMatchObject([
      { level: 'warning', fixable: false, fix: `add a line with * to ${STATE}/.gitignore` },
    ]);
    expect(checkGit.fix?.(examined())).toEqual([]);
    expect(read(`${STATE}/.gitignore`)).toBe('!*\n');
  });
});
