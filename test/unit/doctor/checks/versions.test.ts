import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { checkVersions } from '../../../../src/doctor/checks/versions.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import {
  cacheName,
  makeCodeCache,
  withDigest,
} from '../../../../src/install/runtime/code-cache.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import {
  makeDoctorProject,
  packageWith,
  pathWith,
  settingsWith,
  type DoctorProject,
} from '../support.ts';

function lookAt(doctorProject: DoctorProject, programs: Record<string, string>): Finding[] {
  const environment = { PATH: pathWith(doctorProject, programs) };
  return checkVersions.run(
    doctorProject.doctorContext({ environment, node: { version: 'v22.1.0' } }),
  );
}

describe('Node', () => {
  test.each([
    ['v20.0.0', 'ok'],
    ['v24.3.1', 'ok'],
    ['v18.20.4', 'broken'],
  ])('%s is %s', (version, level) => {
    expect(lookAt(makeDoctorProject(), { node: version })[0]).toMatchObject({ level });
  });

  test('is the one that hooks would find; if there is none, no hook starts', () => {
    expect(lookAt(makeDoctorProject(), {})[0]).toMatchObject({
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
    expect(lookAt(makeDoctorProject(), { node: 'v20.0.0', claude })[1]).toMatchObject({ level });
  });

  test('is skipped if it is not installed', () => {
    expect(lookAt(makeDoctorProject(), { node: 'v20.0.0' })[1]).toMatchObject({
      level: 'skipped',
      message: expect.stringContaining('not on the PATH'),
    });
  });
});

describe('the copy of holdfast that the hooks run', () => {
  const versions = (doctorProject: DoctorProject): Finding[] =>
    lookAt(doctorProject, { node: 'v20.0.0' }).slice(2);

  test('is skipped if there is none', () => {
    expect(versions(makeDoctorProject())).toMatchObject([{ level: 'skipped' }]);
  });

  test.each([
    [{ runtime: { version: '1.2.3' }, folders: [], installs: [] }, 'ok'],
    [{ runtime: { version: '1.2.2' }, folders: [], installs: [] }, 'warning'],
  ])('%j is %s', (installs, level) => {
    const doctorProject = makeDoctorProject();
    doctorProject.configure('holdfast/installs.json', installs);
    expect(versions(doctorProject)).toMatchObject([{ level }]);
  });

  test('is updated if it is registered and of another version', () => {
    const doctorProject = makeDoctorProject();
    doctorProject.configure('settings.json', settingsWith(commandFor('/x/holdfast/bin/hook.sh')));
    doctorProject.configure('holdfast/installs.json', {
      runtime: { version: '1.0.0' },
      folders: [],
      installs: [],
    });
    expect(versions(doctorProject)).toMatchObject([{ fix: 'holdfast init --scope user' }]);
  });

  test('must equal this installation if the version is the same', () => {
    const doctorProject = makeDoctorProject();
    packageWith(doctorProject, 'the hooks');
    doctorProject.configure('holdfast/installs.json', {
      runtime: { version: '1.2.3' },
      folders: [],
      installs: [],
    });
    doctorProject.configure('holdfast/bin/holdfast.cjs', '// the program\n');
    doctorProject.configure('holdfast/bin/hook.sh', 'the script');
    doctorProject.configure('holdfast/dist/hook-code.cjs', 'the code');
    const hooks = doctorProject.configure('holdfast/dist/hook.cjs', 'other hooks');
    expect(versions(doctorProject)).toMatchObject([
      {
        level: 'warning',
        evidence: [
          expect.stringContaining('dist/cli.cjs: missing'),
          expect.stringContaining(`${hooks}: differs from`),
        ],
      },
    ]);
    doctorProject.configure('holdfast/dist/cli.cjs', '// the commands\n');
    doctorProject.configure('holdfast/dist/hook.cjs', 'the hooks');
    expect(versions(doctorProject)).toMatchObject([{ level: 'ok' }]);
  });

  test('has a record; where that is damaged, it says what to do', () => {
    const doctorProject = makeDoctorProject();
    const record = doctorProject.configure('holdfast/installs.json', '{');
    expect(versions(doctorProject)).toMatchObject([
      { level: 'warning', evidence: [record], fix: expect.stringContaining(`delete ${record}`) },
    ]);
  });
});

describe('the code cache of the hooks', () => {
  const code = withDigest(`(function (require) {${'/* code */'.repeat(50)} return 7; })`);
  const lookAtCache = (cache: Buffer | null, node?: string): Finding[] => {
    const doctorProject = makeDoctorProject();
    const hooks = doctorProject.configure('holdfast/dist/hook-code.cjs', code);
    if (cache !== null) writeFileSync(join(dirname(hooks), cacheName('hook', code) ?? ''), cache);
    const PATH = node === undefined ? process.env['PATH'] : pathWith(doctorProject, { node });
    return checkVersions.run(doctorProject.doctorContext({ environment: { PATH } })).slice(3);
  };
  const cached = (of = code): Buffer => makeCodeCache(of, () => null, tmpdir());

  test('passes if V8 accepts it', () => {
    expect(lookAtCache(cached())).toMatchObject([{ level: 'ok' }]);
  });

  test.each([
    ['is cut off', () => cached().subarray(0, 100)],
    ['is empty', () => Buffer.alloc(0)],
    ['is of other code', () => cached(`${code};`)],
    ['is for another start of Node', () => new Script(code).createCachedData()],
  ])('that %s is rejected and reported', (_name, cache) => {
    expect(lookAtCache(cache())).toMatchObject([
      { level: 'warning', message: expect.stringContaining('rejects'), fix: 'holdfast init' },
    ]);
  });

  test('is reported if it is missing', () => {
    expect(lookAtCache(null)).toMatchObject([{ level: 'note', fix: 'holdfast init' }]);
  });

  test('is skipped if Node does not report on it', () => {
    expect(lookAtCache(cached(), 'v20.0.0')).toMatchObject([{ level: 'skipped' }]);
  });
});
