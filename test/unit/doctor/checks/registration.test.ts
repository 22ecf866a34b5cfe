import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { checkRegistration } from '../../../../src/doctor/checks/registration.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import {
  COMMITTED,
  git,
  installPlugin,
  levels,
  LOCAL,
  makePatient,
  of,
  settingsWith,
  withWorktree,
  type Patient,
} from '../support.ts';

const command = commandFor('/home/user/.claude/holdfast/dist/hook.cjs');
const complete = settingsWith(command);

test('without hooks anywhere, nothing works', () => {
  const { examined } = makePatient({ [LOCAL]: { hooks: { SessionStart: [] } } });
  expect(checkRegistration.run(examined())).toMatchObject([
    { level: 'broken', fix: 'holdfast init' },
  ]);
});

test('what init writes is in order', () => {
  const { examined } = makePatient({ [LOCAL]: complete });
  const findings = checkRegistration.run(examined());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]).toMatchObject({
    message: '6 of 6 hooks are registered',
    evidence: [
      `${LOCAL}: SessionStart, PreCompact, PostCompact, SessionEnd, UserPromptSubmit, PostToolUse`,
    ],
  });
});

test('settings that the host ignores register nothing', () => {
  const { examined } = makePatient({ [LOCAL]: `${JSON.stringify(complete)},` });
  expect(levels(checkRegistration.run(examined()))).toEqual(['broken']);
});

test('an event that no scope registers is missing; init adds it', () => {
  const { examined, configure } = makePatient();
  configure('settings.json', settingsWith(command, { without: ['PostCompact', 'SessionEnd'] }));
  const findings = checkRegistration.run(examined());
  expect(of('warning', findings)).toMatchObject([
    {
      message: 'not registered: PostCompact, SessionEnd',
      fix: 'holdfast init --scope user',
      fixable: false,
    },
  ]);
  expect(of('ok', findings)).toEqual([]);
});

describe('an older form is told with what differs', () => {
  const older = (hook: object, matcher = ''): object => ({
    hooks: { ...complete.hooks, SessionStart: [{ matcher, hooks: [hook] }] },
  });

  test.each([
    ['a shell', { type: 'command', command: 'holdfast hook', timeout: 15 }, '', 'needs a shell'],
    ['no timeout', { type: 'command', ...command }, '', 'timeout of the host instead of 15'],
    ['a matcher', { type: 'command', ...command, timeout: 15 }, 'compact', 'matcher "compact"'],
  ])('%s', (_name, hook, matcher, words) => {
    const { examined } = makePatient({ [COMMITTED]: older(hook, matcher) });
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      {
        message: `${COMMITTED} has hooks in an older form`,
        evidence: [expect.stringContaining(words)],
        fix: 'holdfast init --scope project',
      },
    ]);
  });
});

describe('where reading is enforced by blocking', () => {
  const blocking = { '.claude/holdfast.json': { reading: { enforce: 'block' } } };

  test('PreToolUse must be registered', () => {
    const { examined } = makePatient({ ...blocking, [LOCAL]: complete });
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      { message: 'reading.enforce is "block", but PreToolUse is not registered' },
    ]);
  });

  test('it is', () => {
    const settings = settingsWith(command, { isBlocking: true });
    const { examined } = makePatient({ ...blocking, [LOCAL]: settings });
    expect(levels(checkRegistration.run(examined()))).toEqual(['ok']);
  });

  test('it is no longer needed once the settings say otherwise', () => {
    const settings = settingsWith(command, { isBlocking: true });
    const { examined } = makePatient({ [LOCAL]: settings });
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      {
        evidence: ['PreToolUse: this hook is no longer needed'],
        fix: 'holdfast init --scope local',
      },
    ]);
  });
});

describe('the same hook twice is told with what to remove', () => {
  test('in one file', () => {
    const [group] = complete.hooks['SessionStart'] ?? [];
    const twice = { hooks: { ...complete.hooks, SessionStart: [group, group] } };
    const { examined } = makePatient({ [LOCAL]: twice });
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      {
        message: `${LOCAL} registers a hook twice`,
        evidence: ['SessionStart'],
        fix: 'holdfast init --scope local',
      },
    ]);
  });

  test('in two scopes', () => {
    const { examined, configure } = makePatient({ [LOCAL]: complete });
    configure('settings.json', complete);
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'holdfast uninstall --scope local',
      },
    ]);
  });

  test('for the user and for a team: nobody takes the hooks of others away', () => {
    const patient = makePatient({ [COMMITTED]: complete });
    patient.configure('settings.json', complete);
    const findings = checkRegistration.run(patient.examined());
    expect(of('warning', findings)).toEqual([]);
    expect(of('note', findings)).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'if no other project needs them, `holdfast uninstall --scope user`',
      },
    ]);
  });

  test('for a team and for oneself: the private one goes', () => {
    const { examined } = makePatient({ [COMMITTED]: complete, [LOCAL]: complete });
    expect(of('warning', checkRegistration.run(examined()))).toMatchObject([
      { fix: 'holdfast uninstall --scope local' },
    ]);
  });

  test('not in a home folder, where the settings of the project are those of the user', () => {
    const patient = makePatient();
    patient.configure('settings.json', complete);
    const examined = patient.examined({ root: patient.outside });
    expect(levels(checkRegistration.run(examined))).toEqual(['ok']);
  });

  describe('in settings and by a plugin that is switched on', () => {
    const shell = 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs';

    test('and not if it is switched off', () => {
      const patient = makePatient({ [LOCAL]: complete });
      installPlugin(patient, shell);
      const findings = checkRegistration.run(patient.examined());
      expect(of('warning', findings)).toMatchObject([
        {
          message: expect.stringContaining('several places'),
          evidence: [expect.stringContaining(LOCAL), expect.stringContaining('plugin holdfast@')],
          fix: 'holdfast uninstall --scope local',
        },
      ]);
      patient.configure('settings.json', { enabledPlugins: { 'holdfast@market': false } });
      expect(levels(checkRegistration.run(patient.examined()))).toEqual(['ok']);
    });

    test('settings that git tracks stay', () => {
      const patient = makePatient({ [COMMITTED]: complete });
      installPlugin(patient, shell);
      const warnings = (): Finding[] => of('warning', checkRegistration.run(patient.examined()));
      expect(warnings()).toMatchObject([{ fix: 'holdfast uninstall --scope project' }]);
      git(patient, 'init', '--quiet');
      git(patient, 'add', '--all');
      expect(warnings()).toEqual([]);
      expect(of('note', checkRegistration.run(patient.examined()))).toMatchObject([
        { fix: 'if you like, switch the plugin off with /plugin' },
      ]);
    });

    test('the hooks of the user stay where the plugin is switched on for this project only', () => {
      const patient = makePatient({ [LOCAL]: { enabledPlugins: { 'holdfast@market': true } } });
      installPlugin(patient, shell);
      patient.configure('settings.json', complete);
      expect(of('warning', checkRegistration.run(patient.examined()))).toEqual([]);
    });
  });
});

describe('hooks of the main tree, which newer clients run in a worktree', () => {
  const elsewhere = (): { patient: Patient; root: string } => {
    const patient = makePatient();
    const root = withWorktree(patient);
    patient.write(LOCAL, JSON.stringify(complete));
    return { patient, root };
  };

  test('are registered, and not for every client', () => {
    const { patient, root } = elsewhere();
    expect(checkRegistration.run(patient.examined({ root }))).toMatchObject([
      {
        level: 'note',
        message: '6 of 6 hooks are registered',
        evidence: [expect.stringMatching(/\(read by Claude Code 2\.1\.325 and newer\)$/)],
        fix: 'holdfast init, if an older client is used here',
      },
    ]);
  });

  test('and those of the worktree are both run: no fault, and a choice', () => {
    const { patient, root } = elsewhere();
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, LOCAL), JSON.stringify(complete));
    const findings = checkRegistration.run(patient.examined({ root }));
    expect(levels(findings)).toEqual(['ok', 'note']);
    expect(findings[1]?.fix).toContain('2.1.325 or newer, `holdfast uninstall --scope local`');
  });

  test('are brought up to date in their own place', () => {
    const { patient, root } = elsewhere();
    patient.write(LOCAL, JSON.stringify(settingsWith(command, { without: ['PreCompact'] })));
    expect(of('warning', checkRegistration.run(patient.examined({ root })))).toMatchObject([
      { fix: `holdfast --cwd ${patient.root} init --scope local` },
    ]);
    patient.configure('settings.json', complete);
    expect(of('warning', checkRegistration.run(patient.examined({ root })))).toMatchObject([
      { fix: `holdfast --cwd ${patient.root} uninstall --scope local` },
    ]);
  });
});

test('hooks beside one of a wrong form are registered: newer clients run them', () => {
  const { examined } = makePatient({ [LOCAL]: { hooks: { ...complete.hooks, Stop: [null] } } });
  expect(levels(checkRegistration.run(examined()))).toEqual(['ok']);
});

test('a plugin counts, whatever the name of its folder; the hook that it does not bring comes by init', () => {
  const patient = makePatient();
  installPlugin(patient, 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs');
  expect(levels(checkRegistration.run(patient.examined()))).toEqual(['ok']);
  patient.write('.claude/holdfast.json', '{"reading": {"enforce": "block"}}');
  expect(of('warning', checkRegistration.run(patient.examined()))).toMatchObject([
    { fix: 'holdfast init' },
  ]);
});
