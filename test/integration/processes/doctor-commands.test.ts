import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkCommands } from '../../../src/doctor/checks/commands.ts';
import { TRIAL_EVENTS } from '../../../src/doctor/trial/recorded-payload.ts';
import {
  commandFor,
  portableCommand,
  shelllessCommand,
} from '../../../src/install/plan/hook-command.ts';
import {
  COMMITTED,
  installHooks,
  installPlugin,
  levels,
  LOCAL,
  makeDoctorProject,
  of,
  packageWith,
  settingsWith,
  type DoctorProject,
} from '../../unit/doctor/support.ts';

const GUARD = readFileSync(new URL('../../../bin/hook.sh', import.meta.url), 'utf8');
const scriptIn = ({ config }: DoctorProject): string => join(config, 'holdfast/bin/hook.sh');
const initHere = 'holdfast init --scope local';

/** A project whose settings name a stand-in with this code for the user's copy of the hooks. */
function withStandIn(code: string, events: string[]): DoctorProject {
  const doctorProject = makeDoctorProject();
  doctorProject.configure('holdfast/dist/hook.cjs', code);
  doctorProject.configure('holdfast/bin/hook.sh', GUARD);
  const { hooks } = settingsWith(commandFor(scriptIn(doctorProject)));
  const kept = Object.entries(hooks).filter(([event]) => events.includes(event));
  doctorProject.write(LOCAL, JSON.stringify({ hooks: Object.fromEntries(kept) }));
  return doctorProject;
}

test('the real hooks work as registered: each event is sent', () => {
  const doctorProject = makeDoctorProject();
  vi.stubEnv('TMPDIR', doctorProject.outside);
  onTestFinished(() => void vi.unstubAllEnvs());
  doctorProject.write(
    LOCAL,
    JSON.stringify(settingsWith(installHooks(doctorProject), { isBlocking: true })),
  );
  const findings = checkCommands.run(doctorProject.doctorContext());
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
  expect(doctorProject.names('.')).toEqual(['.claude']);
  expect(readdirSync(doctorProject.outside)).toEqual(['.claude']);
});

test('a session that runs doctor does not reach into the trial, nor does HOLDFAST=off', () => {
  const doctorProject = makeDoctorProject();
  doctorProject.write(LOCAL, JSON.stringify(settingsWith(installHooks(doctorProject))));
  const { environment } = doctorProject.doctorContext();
  const findings = checkCommands.run(
    doctorProject.doctorContext({
      environment: { ...environment, HOLDFAST: 'off', CLAUDE_CODE_SESSION_ATTENDED: '0' },
    }),
  );
  expect(of('ok', findings)).toHaveLength(1);
  expect(of('warning', findings)).toMatchObject([
    { message: expect.stringContaining('HOLDFAST=off'), fix: 'unset HOLDFAST' },
  ]);
});

test('a command whose file is gone is silent, and that is found', () => {
  const doctorProject = makeDoctorProject();
  const command = installHooks(doctorProject);
  doctorProject.write(LOCAL, JSON.stringify(settingsWith(command)));
  rmSync(join(doctorProject.config, 'holdfast'), { recursive: true });
  expect(checkCommands.run(doctorProject.doctorContext())).toMatchObject([
    {
      level: 'broken',
      message: `the command of ${LOCAL} does nothing: holdfast's files are gone`,
      evidence: expect.arrayContaining([`missing: ${scriptIn(doctorProject)}`]),
      fix: 'holdfast init --scope local',
    },
  ]);
});

test('so is one that no event of these would have answered anyway', () => {
  const doctorProject = makeDoctorProject();
  const { hooks } = settingsWith(commandFor(scriptIn(doctorProject)));
  doctorProject.write(LOCAL, JSON.stringify({ hooks: { SessionEnd: hooks['SessionEnd'] } }));
  expect(of('broken', checkCommands.run(doctorProject.doctorContext()))).toMatchObject([
    { message: expect.stringContaining("holdfast's files are gone") },
  ]);
});

test('a command whose file exists but does not run is not reported as missing', () => {
  const { doctorContext, config } = withStandIn('a damaged file', ['PreCompact', 'SessionStart']);
  expect(checkCommands.run(doctorContext())).toMatchObject([
    {
      level: 'broken',
      message: expect.stringContaining(`does not work: PreCompact complained: ${config}/holdfast`),
      fix: initHere,
    },
  ]);
});

test('the fix is the init of the scope that registers the command, or of each of them', () => {
  const doctorProject = withStandIn('process.exit(3)', ['SessionStart']);
  doctorProject.configure('settings.json', doctorProject.read(LOCAL));
  const fixes = (): unknown[] =>
    checkCommands.run(doctorProject.doctorContext()).map(({ fix }) => fix);
  expect(fixes()).toEqual(['holdfast init --scope local && holdfast init --scope user']);
  rmSync(doctorProject.at(LOCAL));
  expect(fixes()).toEqual(['holdfast init --scope user']);
});

describe('a reply that is not right for its event is broken', () => {
  test.each([
    ['no guidance', `process.stdout.write('{"systemMessage":"hello"}')`, 'gave no guidance'],
    ['a complaint', `process.stderr.write('help')`, 'SessionStart complained: help'],
    ['nothing, which an exit code says too', 'process.exit(3)', 'hook.cjs is damaged'],
  ])('%s', (_name, code, words) => {
    const { doctorContext } = withStandIn(code, ['SessionStart']);
    expect(checkCommands.run(doctorContext())).toMatchObject([
      { level: 'broken', message: expect.stringContaining(words), fix: initHere },
    ]);
  });

  test('JSON for the summariser, which would be inserted literally', () => {
    const { doctorContext } = withStandIn(`console.log('{"workflow":"Holdfast Trial"}')`, [
      'PreCompact',
    ]);
    expect(checkCommands.run(doctorContext())).toMatchObject([
      { level: 'broken', message: expect.stringContaining('gave no text for the summariser') },
    ]);
  });

  test('text where the host expects no output', () => {
    const { doctorContext } = withStandIn(`console.log('hello')`, ['PostCompact']);
    expect(levels(checkCommands.run(doctorContext()))).toEqual(['broken']);
  });
});

test('reports a PATH without node', () => {
  const doctorProject = withStandIn('', ['SessionStart']);
  const findings = checkCommands.run(
    doctorProject.doctorContext({ environment: { PATH: doctorProject.outside } }),
  );
  expect(findings).toMatchObject([
    { level: 'broken', message: expect.stringContaining('not on the PATH') },
  ]);
});

describe('the form that is committed finds the hooks', () => {
  test('of the user', () => {
    const doctorProject = makeDoctorProject({ [COMMITTED]: settingsWith(portableCommand()) });
    installHooks(doctorProject);
    expect(of('ok', checkCommands.run(doctorProject.doctorContext()))).toHaveLength(1);
  });

  test('or no output at all, which is reported', () => {
    const { doctorContext } = makeDoctorProject({ [COMMITTED]: settingsWith(portableCommand()) });
    expect(checkCommands.run(doctorContext())).toMatchObject([
      {
        level: 'broken',
        message: expect.stringContaining("holdfast's files are gone"),
        fix: 'holdfast init --scope project',
      },
    ]);
  });

  test('of the project, only if they are those of the holdfast that runs', () => {
    const doctorProject = makeDoctorProject({ [COMMITTED]: settingsWith(portableCommand()) });
    const sign = doctorProject.at('executed');
    const code = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
    doctorProject.write('node_modules/holdfast/dist/hook.cjs', code);
    doctorProject.write('node_modules/holdfast/dist/hook-code.cjs', 'the code');
    doctorProject.write('node_modules/holdfast/bin/hook.sh', GUARD);
    const other = packageWith(doctorProject, `${code};`);
    writeFileSync(join(other, 'bin/hook.sh'), GUARD);
    expect(checkCommands.run(doctorProject.doctorContext())).toMatchObject([
      { level: 'skipped', message: expect.stringContaining('it runs a file of this project') },
    ]);
    expect(doctorProject.exists('executed')).toBe(false);
    writeFileSync(join(packageWith(doctorProject, code), 'bin/hook.sh'), GUARD);
    checkCommands.run(doctorProject.doctorContext());
    expect(doctorProject.exists('executed')).toBe(true);
  });

  test('of the user even if their folder is given by a relative path', () => {
    const doctorProject = makeDoctorProject({ [COMMITTED]: settingsWith(portableCommand()) });
    const sign = doctorProject.at('executed');
    installHooks(doctorProject);
    doctorProject.write(
      'node_modules/holdfast/dist/hook.cjs',
      `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`,
    );
    const environment = {
      ...doctorProject.doctorContext().environment,
      CLAUDE_CONFIG_DIR: '.claude',
    };
    expect(of('ok', checkCommands.run(doctorProject.doctorContext({ environment })))).toHaveLength(
      1,
    );
    expect(doctorProject.exists('executed')).toBe(false);
  });
});

test('each hook gets the input that the client really sends, from a temporary project', () => {
  const doctorProject = makeDoctorProject();
  const folder = join(doctorProject.outside, 'sent');
  const code = `const fs = require('fs'), sent = JSON.parse(fs.readFileSync(0, 'utf8'));
    fs.mkdirSync(${JSON.stringify(folder)}, { recursive: true });
    fs.writeFileSync(${JSON.stringify(folder)} + '/' + sent.hook_event_name, JSON.stringify({
      ...sent, isHere: sent.cwd === process.cwd(), text: fs.existsSync(sent.tool_input?.file_path ?? '') }));`;
  doctorProject.configure('holdfast/dist/hook.cjs', code);
  const command = shelllessCommand(join(doctorProject.config, 'holdfast/dist/hook.cjs'));
  doctorProject.write(LOCAL, JSON.stringify(settingsWith(command, { isBlocking: true })));
  checkCommands.run(doctorProject.doctorContext());
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
  const doctorProject = makeDoctorProject();
  const folder = installPlugin(doctorProject);
  installHooks(doctorProject, join(folder, 'dist/hook.cjs'));
  expect(checkCommands.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'ok', message: 'the command of plugin holdfast@market works as registered' },
  ]);
});

test('an untrusted command is neither executed nor reported as working', () => {
  const doctorProject = makeDoctorProject();
  const sign = doctorProject.at('executed');
  const script = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
  const hook = { type: 'command', command: 'node', args: ['-e', script, 'holdfast-hook'] };
  doctorProject.write(LOCAL, JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }));
  expect(checkCommands.run(doctorProject.doctorContext())).toMatchObject([
    { level: 'skipped', message: expect.stringContaining('was not executed') },
  ]);
  expect(doctorProject.exists('executed')).toBe(false);
});

test('is skipped without a registered command', () => {
  expect(levels(checkCommands.run(makeDoctorProject().doctorContext()))).toEqual(['skipped']);
});
