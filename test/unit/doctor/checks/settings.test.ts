import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSettings } from '../../../../src/doctor/checks/settings.ts';
import type { Finding, Level } from '../../../../src/doctor/types.ts';
import { levels, LOCAL, COMMITTED, makePatient, of, pathWith, withWorktree } from '../support.ts';

test('without any settings nothing is wrong, and each place that was looked at is named', () => {
  const { examined, config } = makePatient();
  const findings = checkSettings.run(examined());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toEqual([
    `${LOCAL}: missing`,
    `${COMMITTED}: missing`,
    `${config}/settings.json: missing`,
    expect.stringContaining('managed-settings.json: missing'),
  ]);
});

describe('settings that the host silently ignores are broken, and told with the line', () => {
  test.each([
    ['a comment', '{\n  // mine\n  "model": "x"\n}', 2],
    ['a trailing comma', '{\n  "model": "x",\n}', 2],
  ])('%s', (why, text, line) => {
    const { examined, read } = makePatient({ [LOCAL]: text });
    const findings = checkSettings.run(examined());
    expect(of('broken', findings)).toMatchObject([
      { evidence: [`${LOCAL}:${line}: ${why}`], fix: `correct line ${line} of ${LOCAL} by hand` },
    ]);
    expect(of('ok', findings)[0]?.evidence?.join()).not.toContain(LOCAL);
    expect(read(LOCAL)).toBe(text);
  });

  test('hooks of a form that it does not read', () => {
    const { examined } = makePatient({ [COMMITTED]: { hooks: { SessionStart: {} } } });
    expect(of('broken', checkSettings.run(examined()))).toMatchObject([
      {
        message: `${COMMITTED}: "hooks.SessionStart" is not in the format that Claude Code expects`,
      },
    ]);
  });
});

test('an empty file switches nothing off', () => {
  const { examined } = makePatient({ [LOCAL]: '\n' });
  const findings = checkSettings.run(examined());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]?.evidence).toContain(`${LOCAL}: empty`);
});

describe('hooks that are switched off are broken', () => {
  test('by the user', () => {
    const { examined, configure } = makePatient();
    const path = configure('settings.json', { disableAllHooks: true });
    expect(of('broken', checkSettings.run(examined()))).toMatchObject([
      { message: `${path} switches hooks off`, fix: `take "disableAllHooks" out of ${path}` },
    ]);
  });

  test('by a policy', () => {
    const { examined } = makePatient();
    const [path = ''] = examined().policyFiles;
    writeFileSync(path, '{"allowManagedHooksOnly": true}');
    expect(of('broken', checkSettings.run(examined()))).toMatchObject([
      {
        message: `${path} switches hooks off`,
        fix: expect.stringContaining('ask the administrator'),
      },
    ]);
  });

  test('the key of a policy means nothing in a settings file', () => {
    const { examined } = makePatient({ [LOCAL]: { allowManagedHooksOnly: true } });
    expect(levels(checkSettings.run(examined()))).toEqual(['ok']);
  });
});

describe('of several files that switch hooks on or off, the strongest decides', () => {
  const switched = (isOff: boolean): object => ({ disableAllHooks: isOff });

  test('local before project', () => {
    const { examined } = makePatient({ [COMMITTED]: switched(true), [LOCAL]: switched(false) });
    expect(levels(checkSettings.run(examined()))).toEqual(['ok']);
    const other = makePatient({ [COMMITTED]: switched(false), [LOCAL]: switched(true) });
    expect(of('broken', checkSettings.run(other.examined()))).toMatchObject([
      { message: `${LOCAL} switches hooks off` },
    ]);
  });

  test('project before user, and a policy before all', () => {
    const { examined, configure } = makePatient({ [COMMITTED]: switched(false) });
    configure('settings.json', switched(true));
    expect(levels(checkSettings.run(examined()))).toEqual(['ok']);
    const [path = ''] = examined().policyFiles;
    writeFileSync(path, JSON.stringify(switched(true)));
    expect(of('broken', checkSettings.run(examined()))).toMatchObject([
      { message: `${path} switches hooks off` },
    ]);
  });

  test('of policies the last', () => {
    const patient = makePatient();
    const policyFiles = ['a.json', 'b.json'].map((name) => join(patient.outside, name));
    const look = (values: boolean[]): Level[] => {
      for (const [index, path] of policyFiles.entries())
        writeFileSync(path, JSON.stringify({ allowManagedHooksOnly: values[index] }));
      return levels(checkSettings.run(patient.examined({ policyFiles })));
    };
    expect(look([true, false])).toEqual(['ok']);
    expect(look([false, true])).toEqual(['ok', 'broken']);
  });
});

test('policies that only the host can read were not looked at', () => {
  const { examined } = makePatient();
  const unseenPolicies = ['policies in the registry'];
  expect(of('skipped', checkSettings.run(examined({ unseenPolicies })))).toMatchObject([
    { message: 'policies in the registry: not looked at' },
  ]);
});

describe('a hook of a wrong form, because of which older clients run none of its file', () => {
  const ours = { type: 'command', command: 'holdfast hook', timeout: 15 };
  const lookAt = (group: unknown, claude: string): Finding[] => {
    const patient = makePatient({
      [LOCAL]: { hooks: { Stop: [group], SessionStart: [{ matcher: '', hooks: [ours] }] } },
    });
    const environment = { PATH: pathWith(patient, { claude }) };
    return checkSettings.run(patient.examined({ environment }));
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

  test('is a warning where the client is newer, or not known', () => {
    for (const claude of ['2.1.325 (Claude Code)', 'no number'])
      expect(levels(lookAt(null, claude))).toEqual(['ok', 'warning']);
  });
});

test('in a home folder the settings of the project are those of the user, and read once', () => {
  const patient = makePatient();
  patient.configure('settings.json', { disableAllHooks: true });
  const examined = patient.examined({ root: patient.outside });
  expect(checkSettings.run(examined)).toMatchObject([
    {
      evidence: [
        '.claude/settings.local.json: missing',
        '.claude/settings.json: read',
        'managed-settings.json: missing',
      ],
    },
    { level: 'broken' },
  ]);
});

describe('the local settings of the main tree are read too, which newer clients do', () => {
  test('in a worktree', () => {
    const patient = makePatient();
    const root = withWorktree(patient);
    patient.write(LOCAL, '{"disableAllHooks": true}');
    const findings = checkSettings.run(patient.examined({ root }));
    expect(of('ok', findings)[0]?.evidence).toContain(
      `${patient.at(LOCAL)}: read, by Claude Code 2.1.325 and newer`,
    );
    expect(of('broken', findings)).toMatchObject([
      {
        message: `${patient.at(LOCAL)} switches hooks off`,
        evidence: ['"disableAllHooks": true', expect.stringContaining('2.1.325 and newer')],
      },
    ]);
  });

  test('and overruled by those of the worktree itself', () => {
    const patient = makePatient();
    const root = withWorktree(patient);
    patient.write(LOCAL, '{"disableAllHooks": true}');
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, LOCAL), '{"disableAllHooks": false}');
    expect(levels(checkSettings.run(patient.examined({ root })))).toEqual(['ok']);
  });

  test('in a folder with settings of its own', () => {
    const patient = makePatient({ '.git/HEAD': '', [`pkg/${LOCAL}`]: {}, [LOCAL]: {} });
    const [ok] = checkSettings.run(patient.examined({ root: patient.at('pkg') }));
    expect(ok?.evidence).toContain(`${patient.at(LOCAL)}: read, by Claude Code 2.1.325 and newer`);
  });
});

test('a folder in the place of a settings file is broken', () => {
  const { examined } = makePatient({ [`${LOCAL}/x`]: '' });
  expect(of('broken', checkSettings.run(examined()))).toMatchObject([
    { message: `${LOCAL} cannot be read: not a file` },
  ]);
});

test('what is wrong in the settings of holdfast itself is told by its name', () => {
  const { examined } = makePatient({ '.claude/holdfast.json': { reading: { enforce: 'loudly' } } });
  expect(of('warning', checkSettings.run(examined()))).toMatchObject([
    { message: expect.stringContaining('"reading.enforce" must be one of') },
  ]);
});
