import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkGit } from '../../../../src/doctor/checks/git.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { STATE } from '../../../support/store.ts';
import { git, levels, makeDoctorProject, of, type DoctorProject } from '../support.ts';

function inGit(tree: Record<string, string | object>): DoctorProject {
  const doctorProject = makeDoctorProject(tree);
  git(doctorProject, 'init', '--quiet');
  return doctorProject;
}

test('passes outside a git repository', () => {
  expect(levels(checkGit.run(makeDoctorProject().doctorContext()))).toEqual(['ok']);
});

test('is skipped if git refuses to read the repository', () => {
  const { doctorContext } = makeDoctorProject({ '.git/HEAD': 'not a repository' });
  expect(levels(checkGit.run(doctorContext()))).toEqual(['skipped']);
});

test('is skipped without git', () => {
  const { doctorContext, outside } = makeDoctorProject();
  expect(checkGit.run(doctorContext({ environment: { PATH: outside } }))).toMatchObject([
    { level: 'skipped', message: 'git is not on the PATH' },
  ]);
});

test('does not run programs that the repository configures', () => {
  const doctorProject = inGit({ [minimalPath]: minimalState, [`${STATE}/.gitignore`]: '*\n' });
  doctorProject.write('evil.sh', `#!/bin/sh\ntouch '${doctorProject.at('executed')}'\n`);
  chmodSync(doctorProject.at('evil.sh'), 0o755);
  git(doctorProject, 'config', 'core.fsmonitor', doctorProject.at('evil.sh'));
  expect(levels(checkGit.run(doctorProject.doctorContext()))).toEqual(['ok']);
  expect(doctorProject.exists('executed')).toBe(false);
});

test('checks the right repository when run from a git hook', () => {
  const doctorProject = inGit({ [minimalPath]: minimalState });
  git(doctorProject, 'add', '.');
  const other = inGit({});
  const environment = { ...doctorProject.doctorContext().environment, GIT_DIR: other.at('.git') };
  expect(of('broken', checkGit.run(doctorProject.doctorContext({ environment })))).toHaveLength(1);
});

test('notices logs of headless runs that git does not ignore', () => {
  const doctorProject = inGit({ 'untracked/workflow-logs/a/1.jsonl': '{}\n' });
  expect(checkGit.run(doctorProject.doctorContext()).map(({ message }) => message)).toEqual([
    'git does not ignore untracked/workflow-logs',
  ]);
});

test('accepts a state folder with its own .gitignore, committed or not', () => {
  const doctorProject = inGit({ [minimalPath]: minimalState, [`${STATE}/.gitignore`]: '*\n' });
  expect(levels(checkGit.run(doctorProject.doctorContext()))).toEqual(['ok']);
  git(doctorProject, 'add', '--force', `${STATE}/.gitignore`);
  expect(levels(checkGit.run(doctorProject.doctorContext()))).toEqual(['ok']);
});

test('accepts a state folder that the project ignores', () => {
  const { doctorContext } = inGit({ [minimalPath]: minimalState, '.gitignore': 'untracked/\n' });
  expect(levels(checkGit.run(doctorContext()))).toEqual(['ok']);
});

test('reports tracked state files as broken and leaves them to the user', () => {
  const doctorProject = inGit({ [minimalPath]: minimalState });
  git(doctorProject, 'add', '.');
  const findings = checkGit.run(doctorProject.doctorContext());
  expect(of('broken', findings)).toMatchObject([
    {
      evidence: [minimalPath],
      fix: expect.stringContaining(`git rm -r --cached ${STATE}`),
      fixable: false,
    },
  ]);
});

describe('a state folder that git does not ignore', () => {
  test('gets the missing .gitignore', () => {
    const { doctorContext, read } = inGit({ [minimalPath]: minimalState });
    expect(checkGit.run(doctorContext())).toMatchObject([{ level: 'warning', fixable: true }]);
    expect(checkGit.fix?.(doctorContext())).toEqual([`wrote ${STATE}/.gitignore`]);
    expect(read(`${STATE}/.gitignore`)).toBe('*\n');
    expect(levels(checkGit.run(doctorContext()))).toEqual(['ok']);
  });

  test('keeps a .gitignore that the user wrote', () => {
    const { doctorContext, read } = inGit({
      [minimalPath]: minimalState,
      [`${STATE}/.gitignore`]: '!*\n',
    });
    expect(checkGit.run(doctorContext())).toMatchObject([
      { level: 'warning', fixable: false, fix: `add a line with * to ${STATE}/.gitignore` },
    ]);
    expect(checkGit.fix?.(doctorContext())).toEqual([]);
    expect(read(`${STATE}/.gitignore`)).toBe('!*\n');
  });
});
