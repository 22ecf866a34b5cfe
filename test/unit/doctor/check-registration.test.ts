import { expect, test, describe } from 'vitest';
import { checkRegistration } from '../../../src/doctor/check-registration.ts';
import { commandFor } from '../../../src/install/hook-entry.ts';
import { COMMITTED, levels, LOCAL, makePatient, of, settingsWith } from './support.ts';

const command = commandFor('/home/user/.claude/holdfast/dist/hook.cjs');
const complete = settingsWith(command);

test('without hooks anywhere, nothing works', () => {
  const { examined } = makePatient({ [LOCAL]: { hooks: { SessionStart: [] } } });
  expect(checkRegistration.examine(examined())).toMatchObject([
    { level: 'broken', fix: 'holdfast init' },
  ]);
});

test('what init writes is in order', () => {
  const { examined } = makePatient({ [LOCAL]: complete });
  const findings = checkRegistration.examine(examined());
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
  expect(levels(checkRegistration.examine(examined()))).toEqual(['broken']);
});

test('an event that no scope registers is missing; init adds it', () => {
  const { examined, configure } = makePatient();
  configure('settings.json', settingsWith(command, { without: ['PostCompact', 'SessionEnd'] }));
  const findings = checkRegistration.examine(examined());
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
    ['a shell', { type: 'command', command: 'holdfast hook', timeout: 15 }, '', 'a shell reads'],
    ['no timeout', { type: 'command', ...command }, '', 'timeout of the host instead of 15'],
    ['a matcher', { type: 'command', ...command, timeout: 15 }, 'compact', 'matcher "compact"'],
  ])('%s', (_name, hook, matcher, words) => {
    const { examined } = makePatient({ [COMMITTED]: older(hook, matcher) });
    expect(of('warning', checkRegistration.examine(examined()))).toMatchObject([
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
    expect(of('warning', checkRegistration.examine(examined()))).toMatchObject([
      { message: 'reading.enforce is "block", but PreToolUse is not registered' },
    ]);
  });

  test('it is', () => {
    const settings = settingsWith(command, { isBlocking: true });
    const { examined } = makePatient({ ...blocking, [LOCAL]: settings });
    expect(levels(checkRegistration.examine(examined()))).toEqual(['ok']);
  });
});

describe('the same hook twice is told with what to remove', () => {
  test('in one file', () => {
    const [group] = complete.hooks.SessionStart ?? [];
    const twice = { hooks: { ...complete.hooks, SessionStart: [group, group] } };
    const { examined } = makePatient({ [LOCAL]: twice });
    expect(of('warning', checkRegistration.examine(examined()))).toMatchObject([
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
    expect(of('warning', checkRegistration.examine(examined()))).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'holdfast uninstall --scope local',
      },
    ]);
  });

  const pluginFor = (isOn: boolean): object => ({ enabledPlugins: { 'holdfast@market': isOn } });

  test('in settings and by a plugin that is switched on', () => {
    const { examined, configure, config } = makePatient({ [LOCAL]: complete });
    configure('settings.json', pluginFor(true));
    configure('plugins/installed_plugins.json', {
      version: 2,
      plugins: {
        'holdfast@market': [{ scope: 'user', installPath: `${config}/plugins/holdfast` }],
      },
    });
    const shipped = ['${CLAUDE_PLUGIN_ROOT}', 'dist', 'hook.cjs'].join('/');
    configure('plugins/holdfast/hooks/hooks.json', settingsWith(commandFor(shipped)));
    const findings = checkRegistration.examine(examined());
    expect(of('warning', findings)).toMatchObject([
      {
        message: expect.stringContaining('several places'),
        fix: 'holdfast uninstall --scope local',
      },
    ]);
    expect(of('warning', findings)[0]?.evidence).toHaveLength(2);

    configure('settings.json', pluginFor(false));
    expect(levels(checkRegistration.examine(examined()))).toEqual(['ok']);
  });
});
