import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../src/doctor/doctor.ts';
import { CHECKS, type DoctorContext } from '../../../src/doctor/types.ts';
import { minimalPath, minimalState } from '../../support/state.ts';
import { LOCK, STATE } from '../../support/store.ts';
import {
  age,
  git,
  installHooks,
  LOCAL,
  makeDoctorProject,
  of,
  pathWith,
  settingsWith,
  type DoctorProject,
} from './support.ts';

/** Every file with its content and time. */
function everything(folder: string): unknown[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.git/'))
    .toSorted()
    .map((path) => {
      const stat = lstatSync(path);
      return [path, stat.mtimeMs, stat.isFile() ? readFileSync(path, 'utf8') : ''];
    });
}

/** As `init` leaves a project, on a machine that has all there is to look at. */
function healthy(): { doctorProject: DoctorProject; doctorContext: () => DoctorContext } {
  const doctorProject = makeDoctorProject({
    [minimalPath]: minimalState,
    [`${STATE}/.gitignore`]: '*\n',
    'docs/RELEASING.md': 'How we release.\n',
  });
  git(doctorProject, 'init', '--quiet');
  doctorProject.write(LOCAL, JSON.stringify(settingsWith(installHooks(doctorProject))));
  doctorProject.configure('holdfast/installs.json', {
    runtime: { version: '1.2.3' },
    folders: [],
    installs: [],
  });
  const programs = pathWith(doctorProject, { claude: '2.1.325 (Claude Code)' });
  const environment = {
    PATH: [programs, process.env['PATH']].join(delimiter),
    HOME: doctorProject.outside,
  };
  return { doctorProject, doctorContext: () => doctorProject.doctorContext({ environment }) };
}

const look = { fix: false };

test('a healthy project has notes at most, runs every check and writes nothing', () => {
  const { doctorProject, doctorContext } = healthy();
  const before = everything(doctorProject.root);
  const { findings, summary } = diagnose(doctorContext(), look);
  expect([...of('broken', findings), ...of('warning', findings)]).toEqual([]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(CHECKS));
  expect(summary).toMatchObject({ broken: 0, warnings: 0, fixed: 0 });
  expect(summary.ok).toBeGreaterThan(8);
  expect(everything(doctorProject.root)).toEqual(before);
});

test('checks an empty project', () => {
  const { doctorContext, root } = makeDoctorProject();
  const { findings } = diagnose(doctorContext(), look);
  expect(of('broken', findings)).toMatchObject([{ check: 'registration', fix: 'holdfast init' }]);
  expect(of('warning', findings)).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});

test('every problem above a note has a fix', () => {
  const { doctorContext } = makeDoctorProject({
    [LOCAL]: '{,}',
    [minimalPath]: '{',
    [LOCK]: '',
    '.claude/holdfast.json': '{"unknown": 1}',
  });
  const { findings } = diagnose(doctorContext(), look);
  const troubles = [...of('broken', findings), ...of('warning', findings)];
  expect(troubles.length).toBeGreaterThan(3);
  expect(troubles.filter(({ fix }) => fix === undefined)).toEqual([]);
});

describe('--fix', () => {
  test('repairs what it calls fixable, says so, and reports the state afterwards', () => {
    const doctorProject = makeDoctorProject({ [`${STATE}/.gitignore`]: '*\n' });
    const { doctorContext } = doctorProject;
    git(doctorProject, 'init', '--quiet');
    doctorProject.write(LOCK, '');
    age(doctorProject.at(LOCK), 60);
    doctorProject.write(`${STATE}/.tmp-x-1`, '');
    doctorProject.write('untracked/workflow-archive/x.json', '{}');
    const before = diagnose(doctorContext(), look);
    expect(before.findings.filter(({ fixable }) => fixable)).toHaveLength(3);

    const after = diagnose(doctorContext(), { fix: true });
    expect(after.findings.filter(({ fixed }) => fixed).map(({ message }) => message)).toEqual([
      `removed the stale lock ${LOCK}`,
      `removed ${STATE}/.tmp-x-1`,
      'wrote untracked/workflow-archive/.gitignore',
    ]);
    expect(after.findings.filter(({ fixable }) => fixable)).toEqual([]);
    expect(after.summary).toMatchObject({ fixed: 3, warnings: 0 });
    expect(diagnose(doctorContext(), look).summary).toMatchObject({ fixed: 0, warnings: 0 });
  });

  test('changes nothing else', () => {
    const broken = { [LOCAL]: '{,}', [minimalPath]: '{', '.claude/holdfast.json': '[]' };
    const { doctorContext, root } = makeDoctorProject(broken);
    const before = everything(root);
    const { summary } = diagnose(doctorContext(), { fix: true });
    expect(summary.fixed).toBe(0);
    expect(everything(root)).toEqual(before);
  });
});

test('an error in a check becomes a finding, and the other checks continue', () => {
  const { doctorContext, at } = makeDoctorProject({ [minimalPath]: minimalState });
  mkdirSync(at(LOCK));
  const { findings } = diagnose(doctorContext(), look);
  expect(findings.filter(({ check }) => check === 'lock')).toMatchObject([
    { level: 'broken', message: expect.stringContaining('.lock exists but is not a directory') },
  ]);
  expect(findings.some(({ check }) => check === 'git')).toBe(true);
});
