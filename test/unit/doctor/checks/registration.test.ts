import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { checkRegistration } from '../../../../src/doctor/checks/registration.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import {
  portableProgram,
  statusLineCommand,
  type ChainedCommand,
} from '../../../../src/install/plan/status-line.ts';
import type { Finding } from '../../../../src/doctor/types.ts';
import {
  COMMITTED,
  git,
  installPlugin,
  levels,
  LOCAL,
  makeDoctorProject,
  of,
  settingsWith,
  withWorktree,
  type DoctorProject,
} from '../support.ts';

const command = commandFor('/home/user/.claude/holdfast/bin/hook.sh');
const SESSION_START = 'SessionStart';
const complete = settingsWith(command);

test('is broken without hooks in any scope', () => {
  const { doctorContext } = makeDoctorProject({ [LOCAL]: { hooks: { SessionStart: [] } } });
  expect(checkRegistration.run(doctorContext())).toMatchObject([
    { level: 'broken', fix: 'holdfast init' },
  ]);
});

test('a settings file that the client ignores comes first', () => {
  const project = makeDoctorProject({});
  project.write(LOCAL, '{ "hooks": {');
  expect(checkRegistration.run(project.doctorContext())).toMatchObject([
    { level: 'broken', fix: `correct ${LOCAL}, then holdfast init` },
  ]);
});

test('accepts what init writes', () => {
  const { doctorContext } = makeDoctorProject({ [LOCAL]: complete });
  const findings = checkRegistration.run(doctorContext());
  expect(levels(findings)).toEqual(['ok']);
  expect(findings[0]).toMatchObject({
    message: '6 of 6 hooks are registered',
    evidence: [
      `${LOCAL}: SessionStart, PreCompact, PostCompact, SessionEnd, UserPromptSubmit, PostToolUse`,
    ],
  });
});

test('ignores settings that the host ignores', () => {
  const { doctorContext } = makeDoctorProject({ [LOCAL]: `${JSON.stringify(complete)},` });
  expect(levels(checkRegistration.run(doctorContext()))).toEqual(['broken']);
});

test('reports an event that no scope registers; init adds it', () => {
  const { doctorContext, configure } = makeDoctorProject();
  configure('settings.json', settingsWith(command, { without: ['PostCompact', 'SessionEnd'] }));
  const findings = checkRegistration.run(doctorContext());
  expect(of('warning', findings)).toMatchObject([
    {
      message: 'not registered: PostCompact, SessionEnd',
      fix: 'holdfast init --scope user',
      fixable: false,
    },
  ]);
  expect(of('ok', findings)).toEqual([]);
});

describe('an older registration is reported with the differences', () => {
  const older = (hook: object, matcher = ''): object => ({
    hooks: { ...complete.hooks, SessionStart: [{ matcher, hooks: [hook] }] },
  });

  test.each([
    [
      'no timeout',
      { type: 'command', ...command(SESSION_START) },
      '',
      'timeout of the host instead of 15',
    ],
    [
      'a matcher',
      { type: 'command', ...command(SESSION_START), timeout: 15 },
      'compact',
      'matcher "compact"',
    ],
  ])('%s', (_name, hook, matcher, words) => {
    const { doctorContext } = makeDoctorProject({ [COMMITTED]: older(hook, matcher) });
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      {
        message: `${COMMITTED} has hooks in an older form`,
        evidence: [expect.stringContaining(words)],
        fix: 'holdfast init --scope project',
      },
    ]);
  });
});

describe('with reading.enforce set to block', () => {
  const blocking = { '.claude/holdfast.json': { reading: { enforce: 'block' } } };

  test('PreToolUse must be registered', () => {
    const { doctorContext } = makeDoctorProject({ ...blocking, [LOCAL]: complete });
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      { message: 'reading.enforce is "block", but PreToolUse is not registered' },
    ]);
  });

  test('it is', () => {
    const settings = settingsWith(command, { isBlocking: true });
    const { doctorContext } = makeDoctorProject({ ...blocking, [LOCAL]: settings });
    expect(levels(checkRegistration.run(doctorContext()))).toEqual(['ok']);
  });

  test('it is not needed once the setting changes', () => {
    const settings = settingsWith(command, { isBlocking: true });
    const { doctorContext } = makeDoctorProject({ [LOCAL]: settings });
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      {
        evidence: ['PreToolUse: this hook is no longer needed'],
        fix: 'holdfast init --scope local',
      },
    ]);
  });
});

describe('duplicate hooks are reported with what to remove', () => {
  test('in one file', () => {
    const [group] = complete.hooks['SessionStart'] ?? [];
    const twice = { hooks: { ...complete.hooks, SessionStart: [group, group] } };
    const { doctorContext } = makeDoctorProject({ [LOCAL]: twice });
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      {
        message: `${LOCAL} registers a hook twice`,
        evidence: ['SessionStart'],
        fix: 'holdfast init --scope local',
      },
    ]);
  });

  test('in two scopes', () => {
    const { doctorContext, configure } = makeDoctorProject({ [LOCAL]: complete });
    configure('settings.json', complete);
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'holdfast uninstall --scope local',
      },
    ]);
  });

  test('for the user and for a team: the hooks of others are never removed', () => {
    const doctorProject = makeDoctorProject({ [COMMITTED]: complete });
    doctorProject.configure('settings.json', complete);
    const findings = checkRegistration.run(doctorProject.doctorContext());
    expect(of('warning', findings)).toEqual([]);
    expect(of('note', findings)).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'if no other project needs them, `holdfast uninstall --scope user`',
      },
    ]);
  });

  test('for a team and for the user: the private one is to be removed', () => {
    const { doctorContext } = makeDoctorProject({ [COMMITTED]: complete, [LOCAL]: complete });
    expect(of('warning', checkRegistration.run(doctorContext()))).toMatchObject([
      { fix: 'holdfast uninstall --scope local' },
    ]);
  });

  test.each([
    ['the line of the team alone', null, 'warning'],
    ["also the user's own line", { command: 'mine', isInherited: true }, 'note'],
  ] as const)('a private one with a status line that shows %s', (_what, chained, level) => {
    const line = (first: ChainedCommand | null): object => ({
      ...complete,
      statusLine: { type: 'command', command: statusLineCommand(portableProgram(), first) },
    });
    const { doctorContext } = makeDoctorProject({
      [COMMITTED]: line(null),
      [LOCAL]: line(chained),
    });
    const findings = checkRegistration.run(doctorContext());
    expect(findings.filter(({ message }) => message.includes('several places'))).toMatchObject([
      level === 'warning'
        ? { level, fix: 'holdfast uninstall --scope local' }
        : { level, fix: `nothing to do: ${LOCAL} also has the status line` },
    ]);
  });

  test('not in a home folder, where the settings of the project are those of the user', () => {
    const doctorProject = makeDoctorProject();
    doctorProject.configure('settings.json', complete);
    const doctorContext = doctorProject.doctorContext({ root: doctorProject.outside });
    expect(levels(checkRegistration.run(doctorContext))).toEqual(['ok']);
  });

  describe('in settings and by a plugin that is switched on', () => {
    test('and not if it is switched off', () => {
      const doctorProject = makeDoctorProject({ [LOCAL]: complete });
      installPlugin(doctorProject);
      const findings = checkRegistration.run(doctorProject.doctorContext());
      expect(of('warning', findings)).toMatchObject([
        {
          message: expect.stringContaining('several places'),
          evidence: [expect.stringContaining(LOCAL), expect.stringContaining('plugin holdfast@')],
          fix: 'holdfast uninstall --scope local',
        },
      ]);
      doctorProject.configure('settings.json', { enabledPlugins: { 'holdfast@market': false } });
      expect(levels(checkRegistration.run(doctorProject.doctorContext()))).toEqual(['ok']);
    });

    test('settings that git tracks stay', () => {
      const doctorProject = makeDoctorProject({ [COMMITTED]: complete });
      installPlugin(doctorProject);
      const warnings = (): Finding[] =>
        of('warning', checkRegistration.run(doctorProject.doctorContext()));
      expect(warnings()).toMatchObject([{ fix: 'holdfast uninstall --scope project' }]);
      git(doctorProject, 'init', '--quiet');
      git(doctorProject, 'add', '--all');
      expect(warnings()).toEqual([]);
      expect(of('note', checkRegistration.run(doctorProject.doctorContext()))).toMatchObject([
        { fix: 'if you like, switch the plugin off with /plugin' },
      ]);
    });

    test('the hooks of the user stay where the plugin is switched on for this project only', () => {
      const doctorProject = makeDoctorProject({
        [LOCAL]: { enabledPlugins: { 'holdfast@market': true } },
      });
      installPlugin(doctorProject);
      doctorProject.configure('settings.json', complete);
      expect(of('warning', checkRegistration.run(doctorProject.doctorContext()))).toEqual([]);
    });
  });
});

describe('hooks of the main tree, which newer clients run in a worktree', () => {
  const elsewhere = (): { doctorProject: DoctorProject; root: string } => {
    const doctorProject = makeDoctorProject();
    const root = withWorktree(doctorProject);
    doctorProject.write(LOCAL, JSON.stringify(complete));
    return { doctorProject, root };
  };

  test('are registered, and not for every client', () => {
    const { doctorProject, root } = elsewhere();
    expect(checkRegistration.run(doctorProject.doctorContext({ root }))).toMatchObject([
      {
        level: 'note',
        message: '6 of 6 hooks are registered',
        evidence: [expect.stringMatching(/\(read by Claude Code 2\.1\.325 and newer\)$/)],
        fix: 'holdfast init, if an older client is used here',
      },
    ]);
  });

  test('and those of the worktree are both run: no fault, and a choice', () => {
    const { doctorProject, root } = elsewhere();
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, LOCAL), JSON.stringify(complete));
    const findings = checkRegistration.run(doctorProject.doctorContext({ root }));
    expect(levels(findings)).toEqual(['ok', 'note']);
    expect(findings[1]?.fix).toContain('2.1.325 or newer, `holdfast uninstall --scope local`');
  });

  test('are brought up to date in their own place', () => {
    const { doctorProject, root } = elsewhere();
    doctorProject.write(LOCAL, JSON.stringify(settingsWith(command, { without: ['PreCompact'] })));
    expect(
      of('warning', checkRegistration.run(doctorProject.doctorContext({ root }))),
    ).toMatchObject([{ fix: `holdfast --cwd ${doctorProject.root} init --scope local` }]);
    doctorProject.configure('settings.json', complete);
    expect(
      of('warning', checkRegistration.run(doctorProject.doctorContext({ root }))),
    ).toMatchObject([{ fix: `holdfast --cwd ${doctorProject.root} uninstall --scope local` }]);
  });
});

test('hooks beside one of a wrong form are registered: newer clients run them', () => {
  const { doctorContext } = makeDoctorProject({
    [LOCAL]: { hooks: { ...complete.hooks, Stop: [null] } },
  });
  expect(levels(checkRegistration.run(doctorContext()))).toEqual(['ok']);
});

test('a plugin counts, whatever the name of its folder; the hook that it does not bring comes by init', () => {
  const doctorProject = makeDoctorProject();
  installPlugin(doctorProject);
  expect(levels(checkRegistration.run(doctorProject.doctorContext()))).toEqual(['ok']);
  doctorProject.write('.claude/holdfast.json', '{"reading": {"enforce": "block"}}');
  expect(of('warning', checkRegistration.run(doctorProject.doctorContext()))).toMatchObject([
    { fix: 'holdfast init' },
  ]);
});
