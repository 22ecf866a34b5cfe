import { describe, expect, test } from 'vitest';
import { checkVersions } from '../../../src/doctor/check-versions.ts';
import type { Finding } from '../../../src/doctor/types.ts';
import { makePatient, pathWith, type Patient } from './support.ts';

function lookAt(patient: Patient, programs: Record<string, string>): Finding[] {
  const environment = { PATH: pathWith(patient, programs) };
  const node = { version: 'v22.1.0', arch: 'arm64' };
  return checkVersions.examine(patient.examined({ environment, node }));
}

describe('Node', () => {
  test.each([
    ['v20.0.0', 'ok'],
    ['v24.3.1', 'ok'],
    ['v18.20.4', 'broken'],
  ])('%s is %s', (version, level) => {
    expect(lookAt(makePatient(), { node: version })[0]).toMatchObject({ level });
  });

  test('is the one that hooks would find; where they find none, no hook starts', () => {
    expect(lookAt(makePatient(), {})[0]).toMatchObject({
      level: 'broken',
      message: expect.stringContaining('`node` is not on the PATH'),
      evidence: ['this command runs on Node v22.1.0'],
    });
  });
});

describe('Claude Code', () => {
  test.each([
    ['2.1.139 (Claude Code)', 'ok'],
    ['2.2.0 (Claude Code)', 'ok'],
    ['2.1.138 (Claude Code)', 'broken'],
    ['1.9.999 (Claude Code)', 'broken'],
    ['no number', 'skipped'],
  ])('%s is %s', (claude, level) => {
    expect(lookAt(makePatient(), { node: 'v20.0.0', claude })[1]).toMatchObject({ level });
  });

  test('that is not there was not looked at', () => {
    expect(lookAt(makePatient(), { node: 'v20.0.0' })[1]).toMatchObject({
      level: 'skipped',
      message: expect.stringContaining('not on the PATH'),
    });
  });
});

describe('the copy of holdfast that the hooks run', () => {
  const versions = (patient: Patient): Finding[] => lookAt(patient, { node: 'v20.0.0' }).slice(2);

  test('is not looked at where there is none', () => {
    expect(versions(makePatient())).toMatchObject([{ level: 'skipped' }]);
  });

  test.each([
    [{ runtime: { version: '1.2.3' }, installs: [] }, 'ok'],
    [{ runtime: { version: '1.2.2' }, installs: [] }, 'warning'],
    ['{', 'warning'],
  ])('%j is %s', (installs, level) => {
    const patient = makePatient();
    patient.configure('holdfast/installs.json', installs);
    expect(versions(patient)).toMatchObject([{ level }]);
  });

  test('has a code cache of this Node, or that is noted', () => {
    const patient = makePatient();
    patient.configure('holdfast/dist/hook.cjs', '');
    patient.configure('holdfast/dist/hook-0123-v18.0.0-arm64.cache', '');
    expect(versions(patient)[1]).toMatchObject({ level: 'note', fix: 'holdfast init' });
    patient.configure('holdfast/dist/hook-0123-v20.0.0-arm64.cache', '');
    expect(versions(patient)[1]).toMatchObject({ level: 'ok' });
  });
});
