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
  makePatient,
  of,
  pathWith,
  settingsWith,
  type Patient,
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
function healthy(): { patient: Patient; examined: () => DoctorContext } {
  const patient = makePatient({
    [minimalPath]: minimalState,
    [`${STATE}/.gitignore`]: '*\n',
    'docs/RELEASING.md': 'How we release.\n',
  });
  git(patient, 'init', '--quiet');
  patient.write(LOCAL, JSON.stringify(settingsWith(installHooks(patient))));
  patient.configure('holdfast/installs.json', { runtime: { version: '1.2.3' }, installs: [] });
  const programs = pathWith(patient, { claude: '2.1.325 (Claude Code)' });
  const environment = {
    PATH: [programs, process.env['PATH']].join(delimiter),
    HOME: patient.outside,
  };
  return { patient, examined: () => patient.examined({ environment }) };
}

const look = { fix: false };

test('a healthy project has nothing above a note, every check has looked, nothing is written', () => {
  const { patient, examined } = healthy();
  const before = everything(patient.root);
  const { findings, summary } = diagnose(examined(), look);
  expect([...of('broken', findings), ...of('warning', findings)]).toEqual([]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(CHECKS));
  expect(summary).toMatchObject({ broken: 0, warnings: 0, fixed: 0 });
  expect(summary.ok).toBeGreaterThan(8);
  expect(everything(patient.root)).toEqual(before);
});

test('a project with nothing at all is looked at as well', () => {
  const { examined, root } = makePatient();
  const { findings } = diagnose(examined(), look);
  expect(of('broken', findings)).toMatchObject([{ check: 'registration', fix: 'holdfast init' }]);
  expect(of('warning', findings)).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});

test('what is wrong and not a note has its fix', () => {
  const { examined } = makePatient({
    [LOCAL]: '{,}',
    [minimalPath]: '{',
    [LOCK]: '',
    '.claude/holdfast.json': '{"unknown": 1}',
  });
  const { findings } = diagnose(examined(), look);
  const troubles = [...of('broken', findings), ...of('warning', findings)];
  expect(troubles.length).toBeGreaterThan(3);
  expect(troubles.filter(({ fix }) => fix === undefined)).toEqual([]);
});

describe('--fix', () => {
  test('mends what it calls fixable, says so, and reports what is true then', () => {
    const patient = makePatient({ [`${STATE}/.gitignore`]: '*\n' });
    const { examined } = patient;
    git(patient, 'init', '--quiet');
    patient.write(LOCK, '');
    age(patient.at(LOCK), 60);
    patient.write(`${STATE}/.tmp-x-1`, '');
    patient.write('untracked/workflow-archive/x.json', '{}');
    const before = diagnose(examined(), look);
    expect(before.findings.filter(({ fixable }) => fixable)).toHaveLength(3);

    const after = diagnose(examined(), { fix: true });
    expect(after.findings.filter(({ fixed }) => fixed).map(({ message }) => message)).toEqual([
      `removed the stale lock ${LOCK}`,
      `removed ${STATE}/.tmp-x-1`,
      'wrote untracked/workflow-archive/.gitignore',
    ]);
    expect(after.findings.filter(({ fixable }) => fixable)).toEqual([]);
    expect(after.summary).toMatchObject({ fixed: 3, warnings: 0 });
    expect(diagnose(examined(), look).summary).toMatchObject({ fixed: 0, warnings: 0 });
  });

  test('touches nothing else', () => {
    const broken = { [LOCAL]: '{,}', [minimalPath]: '{', '.claude/holdfast.json': '[]' };
    const { examined, root } = makePatient(broken);
    const before = everything(root);
    const { summary } = diagnose(examined(), { fix: true });
    expect(summary.fixed).toBe(0);
    expect(everything(root)).toEqual(before);
  });
});

test('what stands in the way of a check is a finding, and the other checks go on', () => {
  const { examined, at } = makePatient({ [minimalPath]: minimalState });
  mkdirSync(at(LOCK));
  const { findings } = diagnose(examined(), look);
  expect(findings.filter(({ check }) => check === 'lock')).toMatchObject([
    { level: 'broken', message: expect.stringContaining('.lock exists but is not a directory') },
  ]);
  expect(findings.some(({ check }) => check === 'git')).toBe(true);
});
