import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSettings } from '../../../../src/doctor/checks/settings.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import {
  levels,
  LOCAL,
  COMMITTED,
  makeDoctorProject,
  of,
  pathWith,
  withWorktree,
} from '../support.ts';

test('passes without any settings and names each file it looked for', () => {
  const { doctorContext, config } = makeDoctorProject();
  const findings = checkSettings.run(doctorContext());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toEqual([
    `${LOCAL}: missing`,
    `${COMMITTED}: missing`,
    `${config}/settings.json: missing`,
  ]);
});

describe('settings that the host silently ignores are reported as broken, with the line', () => {
  test.each([
    ['a comment', '{\n  // mine\n  "model": "x"\n}', 2],
    ['a trailing comma', '{\n  "model": "x",\n}', 2],
  ])('%s', (why, text, line) => {
    const { doctorContext, read } = makeDoctorProject({ [LOCAL]: text });
    const findings = checkSettings.run(doctorContext());
    expect(of('broken', findings)).toMatchObject([
      { evidence: [`${LOCAL}:${line}: ${why}`], fix: `correct line ${line} of ${LOCAL} by hand` },
    ]);
    expect(of('ok', findings)[0]?.evidence?.join()).not.toContain(LOCAL);
    expect(read(LOCAL)).toBe(text);
  });

  test('hooks in a format that it does not read', () => {
    const { doctorContext } = makeDoctorProject({ [COMMITTED]: { hooks: { SessionStart: {} } } });
    expect(of('broken', checkSettings.run(doctorContext()))).toMatchObject([
      {
        message: `${COMMITTED}: "hooks.SessionStart" is not in the format that Claude Code expects`,
      },
    ]);
  });
});

test('an empty file disables nothing', () => {
  const { doctorContext } = makeDoctorProject({ [LOCAL]: '\n' });
  const findings = checkSettings.run(doctorContext());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toContain(`${LOCAL}: empty`);
});

describe('disabled hooks are reported as broken', () => {
  test('by the user', () => {
    const { doctorContext, configure } = makeDoctorProject();
    const path = configure('settings.json', { disableAllHooks: true });
    expect(of('broken', checkSettings.run(doctorContext()))).toMatchObject([
      { message: `${path} switches hooks off`, fix: `take "disableAllHooks" out of ${path}` },
    ]);
  });
});

describe('among several files that enable or disable hooks, the highest precedence wins', () => {
  const switched = (isOff: boolean): object => ({ disableAllHooks: isOff });

  test('local before project', () => {
    const { doctorContext } = makeDoctorProject({
      [COMMITTED]: switched(true),
      [LOCAL]: switched(false),
    });
    expect(levels(checkSettings.run(doctorContext()))).toEqual(['ok']);
    const other = makeDoctorProject({ [COMMITTED]: switched(false), [LOCAL]: switched(true) });
    expect(of('broken', checkSettings.run(other.doctorContext()))).toMatchObject([
      { message: `${LOCAL} switches hooks off` },
    ]);
  });

  test('project before user', () => {
    const { doctorContext, configure } = makeDoctorProject({ [COMMITTED]: switched(false) });
    configure('settings.json', switched(true));
    expect(levels(checkSettings.run(doctorContext()))).toEqual(['ok']);
  });
});

describe('an invalid hook, for which older clients ignore the whole file', () => {
  const ours = { type: 'command', command: 'holdfast hook', timeout: 15 };
  const lookAt = (group: unknown, claude: string): Finding[] => {
    const doctorProject = makeDoctorProject({
      [LOCAL]: { hooks: { Stop: [group], SessionStart: [{ matcher: '', hooks: [ours] }] } },
    });
    const environment = { PATH: pathWith(doctorProject, { claude }) };
    return checkSettings.run(doctorProject.doctorContext({ environment }));
  };

  test.each([
    ['null', null],
    ['a number', 1],
    ['no list of hooks', { hooks: null }],
    ['a group without hooks', { matcher: '' }],
    ['a hook without a command', { hooks: [{ type: 'command' }] }],
  ])('%s', (_name, group) => {
    const findings = lookAt(group, '2.1.197 (Claude Code)');
    expect(of('broken', findings)).toMatchObject([
      {
        message: expect.stringMatching(/clients before 2\.1\.325 run no hook of this file$/),
        fix: expect.stringContaining(`in ${LOCAL}`),
      },
    ]);
    expect(of('ok', findings)[0]?.evidence?.join()).not.toContain(LOCAL);
  });

  test('is a warning if the client is newer or unknown', () => {
    for (const claude of ['2.1.325 (Claude Code)', 'no number'])
      expect(levels(lookAt(null, claude))).toEqual(['ok', 'warning']);
  });
});

test('reads the settings once if the project is the home folder', () => {
  const doctorProject = makeDoctorProject();
  doctorProject.configure('settings.json', { disableAllHooks: true });
  const doctorContext = doctorProject.doctorContext({ root: doctorProject.outside });
  expect(checkSettings.run(doctorContext)).toMatchObject([
    {
      evidence: ['.claude/settings.local.json: missing', '.claude/settings.json: read'],
    },
    { level: 'broken' },
  ]);
});

describe('the local settings of the main working tree are read too, as newer clients do', () => {
  test('in a worktree', () => {
    const doctorProject = makeDoctorProject();
    const root = withWorktree(doctorProject);
    doctorProject.write(LOCAL, '{"disableAllHooks": true}');
    const findings = checkSettings.run(doctorProject.doctorContext({ root }));
    expect(of('ok', findings)[0]?.evidence).toContain(
      `${doctorProject.at(LOCAL)}: read, by Claude Code 2.1.325 and newer`,
    );
    expect(of('broken', findings)).toMatchObject([
      {
        message: `${doctorProject.at(LOCAL)} switches hooks off`,
        evidence: ['"disableAllHooks": true', expect.stringContaining('2.1.325 and newer')],
      },
    ]);
  });

  test('and those of the worktree take precedence', () => {
    const doctorProject = makeDoctorProject();
    const root = withWorktree(doctorProject);
    doctorProject.write(LOCAL, '{"disableAllHooks": true}');
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, LOCAL), '{"disableAllHooks": false}');
    expect(levels(checkSettings.run(doctorProject.doctorContext({ root })))).toEqual(['ok']);
  });

  test('in a subfolder with its own settings', () => {
    const doctorProject = makeDoctorProject({ '.git/HEAD': '', [`pkg/${LOCAL}`]: {}, [LOCAL]: {} });
    const [ok] = checkSettings.run(doctorProject.doctorContext({ root: doctorProject.at('pkg') }));
    expect(ok?.evidence).toContain(
      `${doctorProject.at(LOCAL)}: read, by Claude Code 2.1.325 and newer`,
    );
  });
});

test('reports a folder in place of a settings file as broken', () => {
  const { doctorContext } = makeDoctorProject({ [`${LOCAL}/x`]: '' });
  expect(of('broken', checkSettings.run(doctorContext()))).toMatchObject([
    { message: `${LOCAL} cannot be read: not a file` },
  ]);
});

test('reports a problem in the settings of holdfast by key', () => {
  const { doctorContext } = makeDoctorProject({
    '.claude/holdfast.json': { reading: { enforce: 'loudly' } },
  });
  expect(of('warning', checkSettings.run(doctorContext()))).toMatchObject([
    { message: expect.stringContaining('"reading.enforce" must be one of') },
  ]);
});
