import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkCommands } from '../../../src/doctor/checks/commands.ts';
import { TRIAL_EVENTS } from '../../../src/doctor/trial/recorded-payload.ts';
import { commandFor, portableCommand } from '../../../src/install/plan/hook-command.ts';
import {
  COMMITTED,
  installHooks,
  installPlugin,
  levels,
  LOCAL,
  makePatient,
  of,
  packageWith,
  settingsWith,
  type Patient,
} from '../../unit/doctor/support.ts';

const initHere = 'holdfast init --scope local';

/** A project whose settings name a stand-in with this code for the user's copy of the hooks. */
function withStandIn(code: string, events: string[]): Patient {
  const patient = makePatient();
  const file = patient.configure('holdfast/dist/hook.cjs', code);
  const { hooks } = settingsWith(commandFor(file));
  const kept = Object.entries(hooks).filter(([event]) => events.includes(event));
  patient.write(LOCAL, JSON.stringify({ hooks: Object.fromEntries(kept) }));
  return patient;
}

test('the real hooks work as registered: each event is sent, and the cost is measured', () => {
  const patient = makePatient();
  vi.stubEnv('TMPDIR', patient.outside);
  onTestFinished(() => void vi.unstubAllEnvs());
  patient.write(LOCAL, JSON.stringify(settingsWith(installHooks(patient), { isBlocking: true })));
  const findings = checkCommands.run(patient.examined());
  expect(of('ok', findings)).toHaveLength(1);
  expect(of('broken', findings)).toEqual([]);
  const evidence = findings[0]?.evidence?.join('\n') ?? '';
  expect(evidence).toMatch(/^PreCompact: exit 0, \d{2,} characters, \d+ ms$/m);
  expect(evidence).toMatch(/^SessionStart: exit 0, \d{3,} characters, \d+ ms$/m);
  for (const event of [
    'PostCompact',
    'SessionEnd',
    'UserPromptSubmit',
    'PostToolUse',
    'PreToolUse',
  ])
    expect(evidence).toMatch(new RegExp(`^${event}: exit 0, no reply, \\d+ ms$`, 'm'));
  expect(evidence).toMatch(/takes \d+\.\d times as long as `node -e 0`/);
  expect(patient.names('.')).toEqual(['.claude']);
  expect(readdirSync(patient.outside)).toEqual(['.claude']);
});

test('a session that runs doctor does not reach into the trial, nor does HOLDFAST=off', () => {
  const patient = makePatient();
  patient.write(LOCAL, JSON.stringify(settingsWith(installHooks(patient))));
  const { environment } = patient.examined();
  const findings = checkCommands.run(
    patient.examined({
      environment: { ...environment, HOLDFAST: 'off', CLAUDE_CODE_SESSION_ATTENDED: '0' },
    }),
  );
  expect(of('ok', findings)).toHaveLength(1);
  expect(of('warning', findings)).toMatchObject([
    { message: expect.stringContaining('HOLDFAST=off'), fix: 'unset HOLDFAST' },
  ]);
});

test('a command whose file is gone is silent, and that is found', () => {
  const patient = makePatient();
  const command = installHooks(patient);
  patient.write(LOCAL, JSON.stringify(settingsWith(command)));
  rmSync(join(patient.config, 'holdfast'), { recursive: true });
  expect(checkCommands.run(patient.examined())).toMatchObject([
    {
      level: 'broken',
      message: `the command of ${LOCAL} does nothing: holdfast's files are gone`,
      evidence: expect.arrayContaining([`missing: ${command.args[3]}`]),
      fix: 'holdfast init --scope local',
    },
  ]);
});

test('so is one that no event of these would have answered anyway', () => {
  const patient = makePatient();
  const { hooks } = settingsWith(commandFor(join(patient.config, 'holdfast/dist/hook.cjs')));
  patient.write(LOCAL, JSON.stringify({ hooks: { SessionEnd: hooks['SessionEnd'] } }));
  expect(of('broken', checkCommands.run(patient.examined()))).toMatchObject([
    { message: expect.stringContaining("holdfast's files are gone") },
  ]);
});

test('one whose file is there and does not run is not told as gone', () => {
  const { examined, config } = withStandIn('a damaged file', ['PreCompact', 'SessionStart']);
  expect(checkCommands.run(examined())).toMatchObject([
    {
      level: 'broken',
      message: `the command of ${LOCAL} does nothing: ${config}/holdfast/dist/hook.cjs is damaged`,
      fix: initHere,
    },
  ]);
});

test('the fix is the init of the scope that registers the command, or of each of them', () => {
  const patient = withStandIn('process.exit(3)', ['SessionStart']);
  patient.configure('settings.json', patient.read(LOCAL));
  const fixes = (): unknown[] => checkCommands.run(patient.examined()).map(({ fix }) => fix);
  expect(fixes()).toEqual(['holdfast init --scope local && holdfast init --scope user']);
  rmSync(patient.at(LOCAL));
  expect(fixes()).toEqual(['holdfast init --scope user']);
});

describe('a reply that is not right for its event is broken', () => {
  test.each([
    ['no guidance', `process.stdout.write('{"systemMessage":"hello"}')`, 'gave no guidance'],
    ['a complaint', `process.stderr.write('help')`, 'SessionStart complained: help'],
    ['an exit code', 'process.exit(3)', 'SessionStart ended with 3'],
  ])('%s', (_name, code, words) => {
    const { examined } = withStandIn(code, ['SessionStart']);
    expect(checkCommands.run(examined())).toMatchObject([
      { level: 'broken', message: expect.stringContaining(words), fix: initHere },
    ]);
  });

  test('JSON for the summariser, which would be pasted in literally', () => {
    const { examined } = withStandIn(`console.log('{"workflow":"Holdfast Trial"}')`, [
      'PreCompact',
    ]);
    expect(checkCommands.run(examined())).toMatchObject([
      { level: 'broken', message: expect.stringContaining('gave no text for the summariser') },
    ]);
  });

  test('words where the host expects none', () => {
    const { examined } = withStandIn(`console.log('hello')`, ['PostCompact']);
    expect(levels(checkCommands.run(examined()))).toEqual(['broken']);
  });
});

test('a PATH without node is told as such', () => {
  const patient = withStandIn('', ['SessionStart']);
  const findings = checkCommands.run(patient.examined({ environment: { PATH: patient.outside } }));
  expect(findings).toMatchObject([
    { level: 'broken', message: expect.stringContaining('not on the PATH') },
  ]);
});

describe('the form that is committed finds the hooks', () => {
  test('of the user', () => {
    const patient = makePatient({ [COMMITTED]: settingsWith(portableCommand()) });
    installHooks(patient);
    expect(of('ok', checkCommands.run(patient.examined()))).toHaveLength(1);
  });

  test('or none: then it does nothing, and that is found', () => {
    const { examined } = makePatient({ [COMMITTED]: settingsWith(portableCommand()) });
    expect(checkCommands.run(examined())).toMatchObject([
      {
        level: 'broken',
        message: expect.stringContaining("holdfast's files are gone"),
        fix: 'holdfast init --scope project',
      },
    ]);
  });

  test('of the project, only if they are those of the holdfast that runs', () => {
    const patient = makePatient({ [COMMITTED]: settingsWith(portableCommand()) });
    const sign = patient.at('executed');
    const code = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
    patient.write('node_modules/holdfast/dist/hook.cjs', code);
    packageWith(patient, `${code};`);
    expect(checkCommands.run(patient.examined())).toMatchObject([
      { level: 'skipped', message: expect.stringContaining('it runs a file of this project') },
    ]);
    expect(patient.exists('executed')).toBe(false);
    packageWith(patient, code);
    checkCommands.run(patient.examined());
    expect(patient.exists('executed')).toBe(true);
  });

  test('of the user also where the folder for them is named by a relative path', () => {
    const patient = makePatient({ [COMMITTED]: settingsWith(portableCommand()) });
    const sign = patient.at('executed');
    installHooks(patient);
    patient.write(
      'node_modules/holdfast/dist/hook.cjs',
      `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`,
    );
    const environment = { ...patient.examined().environment, CLAUDE_CONFIG_DIR: '.claude' };
    expect(of('ok', checkCommands.run(patient.examined({ environment })))).toHaveLength(1);
    expect(patient.exists('executed')).toBe(false);
  });
});

test('a program that npm puts on the PATH for a script is not the one that the host finds', () => {
  const patient = makePatient();
  const sign = patient.at('executed');
  patient.write('node_modules/.bin/holdfast', `#!/bin/sh\ntouch '${sign}'\n`);
  chmodSync(patient.at('node_modules/.bin/holdfast'), 0o755);
  const hook = { type: 'command', command: 'holdfast', args: ['hook'], timeout: 10 };
  patient.write(LOCAL, JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }));
  const PATH = [patient.at('node_modules/.bin'), patient.outside].join(delimiter);
  expect(checkCommands.run(patient.examined({ environment: { PATH } }))).toMatchObject([
    { level: 'broken', message: expect.stringContaining('not on the PATH') },
  ]);
  expect(patient.exists('executed')).toBe(false);
});

test('each hook is sent what the client really sends, from the throw-away project', () => {
  const patient = makePatient();
  const folder = join(patient.outside, 'sent');
  const code = `const fs = require('fs'), sent = JSON.parse(fs.readFileSync(0, 'utf8'));
    fs.mkdirSync(${JSON.stringify(folder)}, { recursive: true });
    fs.writeFileSync(${JSON.stringify(folder)} + '/' + sent.hook_event_name, JSON.stringify({
      ...sent, isHere: sent.cwd === process.cwd(), text: fs.existsSync(sent.tool_input?.file_path ?? '') }));`;
  const file = patient.configure('holdfast/dist/hook.cjs', code);
  patient.write(LOCAL, JSON.stringify(settingsWith(commandFor(file), { isBlocking: true })));
  checkCommands.run(patient.examined());
  const sent = (event: string): unknown => JSON.parse(readFileSync(join(folder, event), 'utf8'));
  expect(sent('PreCompact')).toMatchObject({
    isHere: true,
    trigger: 'manual',
    custom_instructions: 'keep the phase',
    prompt_id: expect.stringMatching(/^holdfast-doctor-\d+$/),
  });
  expect(sent('SessionStart')).toMatchObject({ source: 'compact', model: expect.any(String) });
  expect(sent('PostToolUse')).toMatchObject({
    tool_response: { file: { numLines: 2, startLine: 1, totalLines: 2 } },
    permission_mode: 'default',
    tool_use_id: expect.any(String),
    text: true,
  });
  expect(sent('PreToolUse')).toMatchObject({ effort: { level: 'medium' }, tool_name: 'Bash' });
  for (const event of TRIAL_EVENTS)
    expect(JSON.stringify(sent(event)), event).not.toContain('/home/dev');
});

test('the hooks of a plugin are executed from its folder, whatever its name', () => {
  const patient = makePatient();
  const folder = installPlugin(patient, 'node ${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs');
  installHooks(patient, join(folder, 'dist/hook.cjs'));
  expect(checkCommands.run(patient.examined())).toMatchObject([
    { level: 'ok', message: 'the command of plugin holdfast@market works as registered' },
  ]);
});

test('a plain command is given to a shell, as the host does it', () => {
  const patient = makePatient();
  const [, , , file] = installHooks(patient).args;
  const hook = { type: 'command', command: `node "${file}"`, timeout: 10 };
  patient.write(LOCAL, JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }));
  expect(of('ok', checkCommands.run(patient.examined()))).toHaveLength(1);
});

test('what is not to be trusted is not executed, and not called fine', () => {
  const patient = makePatient();
  const sign = patient.at('executed');
  const script = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
  const hook = { type: 'command', command: 'node', args: ['-e', script, 'holdfast-hook'] };
  patient.write(LOCAL, JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }));
  expect(checkCommands.run(patient.examined())).toMatchObject([
    { level: 'skipped', message: expect.stringContaining('was not executed') },
  ]);
  expect(patient.exists('executed')).toBe(false);
});

test('without a registered command nothing was looked at', () => {
  expect(levels(checkCommands.run(makePatient().examined()))).toEqual(['skipped']);
});
