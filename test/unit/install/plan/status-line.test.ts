import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  chainedIn,
  isOurStatusLine,
  portableProgram,
  programOf,
  statusLineCommand,
  statusLineProgramIn,
} from '../../../../src/install/plan/status-line.ts';
import { installer } from '../../../support/installation.ts';
import { makeProject, type Project } from '../../../support/project.ts';

const SETTINGS = '.claude/settings.local.json';
const COMMITTED = '.claude/settings.json';
const WITH = { withStatusLine: true };
const OWN = `printf '%s\\n' "it's mine: $(cat)"; echo "\\$HOME" # done`;

test('the form that looked for the folder only is ours, too', () => {
  const command =
    'cd "$CLAUDE_PROJECT_DIR" 2>/dev/null; d=$PWD; while [ "$d" ] && [ ! -d "$d/untracked/workflow-state" ]; do d=${d%/*}; done; [ "$d" ] && node /opt/holdfast.cjs statusline 2>/dev/null; :';
  expect(isOurStatusLine({ type: 'command', command })).toBe(true);
  expect(statusLineProgramIn(command)).toEqual({ node: 'node', file: '/opt/holdfast.cjs' });
});

test('a command of ours can be taken apart', () => {
  const program = programOf('node', "/home/a b/it's/.claude/holdfast/bin/holdfast.cjs");
  const chained = { command: OWN, isInherited: true };
  for (const each of [null, chained]) {
    const command = statusLineCommand(program, each);
    expect(isOurStatusLine({ type: 'command', command })).toBe(true);
    expect(chainedIn(command)).toEqual(each);
    expect(statusLineProgramIn(command)).toEqual({
      node: 'node',
      file: "/home/a b/it's/.claude/holdfast/bin/holdfast.cjs",
    });
  }
  expect(statusLineProgramIn(statusLineCommand(portableProgram(), null))).toBe(null);
});

test.each([undefined, null, 'x', {}, { command: 1 }, { command: 'holdfast statusline --segment' }])(
  '%j is not ours',
  (value) => {
    expect(isOurStatusLine(value)).toBe(false);
  },
);

describe('init --statusline', () => {
  const lineIn = (project: Project, path = SETTINGS) => JSON.parse(project.read(path)).statusLine;

  it('registers it once, and keeps it at the next init', () => {
    const project = makeProject();
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0', false, WITH);
    expect(isOurStatusLine(lineIn(project))).toBe(true);
    expect(init('1.0.0', false, WITH).changes).toEqual([]);
    expect(init().changes).toEqual([]);
    uninstall();
    expect(project.exists(SETTINGS)).toBe(false);
  });

  it('is not registered unless it is asked for', () => {
    const project = makeProject();
    installer(project, 'local').init();
    expect(lineIn(project)).toBe(undefined);
  });

  it.each([
    JSON.stringify({ statusLine: { type: 'command', command: OWN, padding: 2 } }),
    `{\r\n\t"statusLine" : {"padding":0,  "command": "~/line.sh","type":"command"},\r\n\t"model": "opus"\r\n}\r\n`,
  ])('runs the one that is there first, and gives it back byte for byte: %j', (before) => {
    const project = makeProject({ [SETTINGS]: before });
    const { init, uninstall } = installer(project, 'local');
    const own = lineIn(project);
    init('1.0.0', false, WITH);
    const { command, ...rest } = lineIn(project);
    expect({ ...rest, command: chainedIn(command)?.command }).toEqual(own);
    init();
    uninstall();
    expect(project.read(SETTINGS)).toBe(before);
  });

  it('gives it back, byte for byte, also where something else was edited since', () => {
    const line = '{"padding":0,  "command": "~/line.sh","type":"command"}';
    const project = makeProject({ [SETTINGS]: `{\n  "statusLine" : ${line}\n}\n` });
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0', false, WITH);
    project.write(SETTINGS, project.read(SETTINGS).replace('{\n', '{\n  "model": "opus",\n'));
    uninstall();
    expect(project.read(SETTINGS)).toBe(`{\n  "model": "opus",\n  "statusLine" : ${line}\n}\n`);
  });

  it('does not touch one that the user has put in its place since', () => {
    const project = makeProject({ [SETTINGS]: '{}' });
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0', false, WITH);
    const mine = { type: 'command', command: 'mine' };
    const json = { ...JSON.parse(project.read(SETTINGS)), statusLine: mine };
    project.write(SETTINGS, JSON.stringify(json));
    init();
    expect(lineIn(project)).toEqual(mine);
    uninstall();
    expect(JSON.parse(project.read(SETTINGS))).toEqual({ statusLine: mine });
  });

  it('shows the one of another scope that it would hide', () => {
    const shared = JSON.stringify({ statusLine: { type: 'command', command: 'shared' } });
    const project = makeProject({ [COMMITTED]: shared });
    const { init, uninstall } = installer(project, 'local');
    init('1.0.0', false, WITH);
    expect(chainedIn(lineIn(project).command)).toEqual({ command: 'shared', isInherited: true });
    uninstall();
    expect(project.exists(SETTINGS)).toBe(false);
    expect(project.read(COMMITTED)).toBe(shared);
  });

  it('in two scopes is shown once, and each can be removed alone', () => {
    const project = makeProject();
    const [local, user] = [installer(project, 'local'), installer(project, 'user')];
    const settings = join(user.config, 'settings.json');
    mkdirSync(user.config, { recursive: true });
    const before = JSON.stringify({ statusLine: { type: 'command', command: 'mine' } });
    writeFileSync(settings, before);
    user.init('1.0.0', false, WITH);
    local.init('1.0.0', false, WITH);
    expect(chainedIn(lineIn(project).command)?.command).toBe('mine');
    const own = project.read(SETTINGS);
    user.uninstall();
    expect(readFileSync(settings, 'utf8')).toBe(before);
    expect(project.read(SETTINGS)).toBe(own);
    local.uninstall();
    expect(project.exists(SETTINGS)).toBe(false);
  });

  it('is recognised in a project that was moved', () => {
    const before = JSON.stringify({ statusLine: { type: 'command', command: OWN } }, null, 2);
    const project = makeProject({ [SETTINGS]: before });
    installer(project, 'local').init('1.0.0', false, WITH);
    const other = installer({ ...project, outside: project.at('../outside/another') }, 'local');
    other.uninstall();
    expect(JSON.parse(project.read(SETTINGS))).toEqual(JSON.parse(before));
  });

  it('refuses a status line in a form that the client does not know', () => {
    const project = makeProject({ [SETTINGS]: '{"statusLine": "x"}' });
    const { init } = installer(project, 'local');
    expect(() => init('1.0.0', false, WITH)).toThrow(
      expect.objectContaining({ code: 'settings_misshapen' }),
    );
  });
});
