import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { checkVersions } from '../../../../src/doctor/checks/versions.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import { cacheName, literalOf } from '../../../../src/install/runtime/code-cache.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import { makePatient, packageWith, pathWith, settingsWith, type Patient } from '../support.ts';

function lookAt(patient: Patient, programs: Record<string, string>): Finding[] {
  const environment = { PATH: pathWith(patient, programs) };
  return checkVersions.run(patient.examined({ environment, node: { version: 'v22.1.0' } }));
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
  ])('%j is %s', (installs, level) => {
    const patient = makePatient();
    patient.configure('holdfast/installs.json', installs);
    expect(versions(patient)).toMatchObject([{ level }]);
  });

  test('that is not of this version is brought up to date where it is registered', () => {
    const patient = makePatient();
    patient.configure('settings.json', settingsWith(commandFor('/x/holdfast/dist/hook.cjs')));
    patient.configure('holdfast/installs.json', { runtime: { version: '1.0.0' }, installs: [] });
    expect(versions(patient)).toMatchObject([{ fix: 'holdfast init --scope user' }]);
  });

  test('must be the same as this holdfast, if it is of the same version', () => {
    const patient = makePatient();
    packageWith(patient, 'the hooks');
    patient.configure('holdfast/installs.json', { runtime: { version: '1.2.3' }, installs: [] });
    patient.configure('holdfast/bin/holdfast.cjs', '// the program\n');
    const hooks = patient.configure('holdfast/dist/hook.cjs', 'other hooks');
    expect(versions(patient)).toMatchObject([
      {
        level: 'warning',
        evidence: [
          expect.stringContaining('dist/cli.cjs: missing'),
          expect.stringContaining(`${hooks}: differs from`),
        ],
      },
    ]);
    patient.configure('holdfast/dist/cli.cjs', '// the commands\n');
    patient.configure('holdfast/dist/hook.cjs', 'the hooks');
    expect(versions(patient)).toMatchObject([{ level: 'ok' }]);
  });

  test('has a record; one that was damaged is told, set aside or not', () => {
    const patient = makePatient();
    const record = patient.configure('holdfast/installs.json', '{');
    const damaged = { level: 'warning', message: expect.stringContaining('is damaged') };
    expect(versions(patient)).toMatchObject([
      { ...damaged, evidence: [record, expect.any(String)] },
    ]);
    renameSync(record, `${record}.damaged-20250601T120000Z`);
    expect(versions(patient)).toMatchObject([{ level: 'skipped' }, damaged]);
    patient.configure('holdfast/installs.json', { runtime: { version: '1.2.3' }, installs: [] });
    expect(versions(patient)).toMatchObject([{ level: 'ok' }, damaged]);
  });
});

describe('the code cache of the hooks', () => {
  const code = `(function (require) {${'/* code */'.repeat(50)} return 7; })`;
  const lookAtCache = (cache: Buffer | null, node?: string): Finding[] => {
    const patient = makePatient();
    const hooks = patient.configure('holdfast/dist/hook.cjs', `const code = ${literalOf(code)};\n`);
    if (cache !== null) writeFileSync(join(dirname(hooks), cacheName(code)), cache);
    const PATH = node === undefined ? process.env['PATH'] : pathWith(patient, { node });
    return checkVersions.run(patient.examined({ environment: { PATH } })).slice(3);
  };
  const cached = (): Buffer => new Script(code).createCachedData();

  test('is in order if V8 takes it', () => {
    expect(lookAtCache(cached())).toMatchObject([{ level: 'ok' }]);
  });

  test.each([
    ['is cut off', () => cached().subarray(0, 100)],
    ['is empty', () => Buffer.alloc(0)],
    ['is of other code', () => new Script(`${code};`).createCachedData()],
  ])('that %s is rejected, and that is told', (_name, cache) => {
    expect(lookAtCache(cache())).toMatchObject([
      { level: 'warning', message: expect.stringContaining('rejects'), fix: 'holdfast init' },
    ]);
  });

  test('that is not there is noted', () => {
    expect(lookAtCache(null)).toMatchObject([{ level: 'note', fix: 'holdfast init' }]);
  });

  test('of which Node says nothing was not looked at', () => {
    expect(lookAtCache(cached(), 'v20.0.0')).toMatchObject([{ level: 'skipped' }]);
  });
});
