import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  commandBelow,
  commandFor,
  isOurHook,
  portableCommand,
  portableShelllessCommand,
  shelllessCommand,
  type HookCommand,
} from '../../../src/install/host-commands.ts';
import { makeProject, type Project } from '../../support/project.ts';

interface Ending {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** As the host starts it: program and arguments, no shell. */
function start(
  command: HookCommand,
  { cwd, env = {}, input = '' }: { cwd: string; env?: Record<string, string>; input?: string },
): Ending {
  const child = spawnSync(process.execPath, argsOf(command), {
    cwd,
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
  });
  return { code: child.status, stdout: child.stdout, stderr: child.stderr };
}

function argsOf(command: HookCommand): string[] {
  return command('PreCompact').args ?? [];
}

const SILENT: Ending = { code: 0, stdout: '', stderr: '' };
const says = (word: string): string => `process.stdout.write(${JSON.stringify(word)});`;
const printed = (stdout: string): Ending => ({ ...SILENT, stdout });

describe('the command of one user on Windows without a POSIX shell', () => {
  test('runs the given file, which reads standard input', () => {
    const project = makeProject({
      'hook.cjs': `process.stdout.write(require('fs').readFileSync(0, 'utf8').toUpperCase());`,
    });
    const command = shelllessCommand(project.at('hook.cjs'));
    expect(start(command, { cwd: project.root, input: 'payload' })).toEqual(printed('PAYLOAD'));
  });

  test.each([
    ['is gone', {}],
    ['throws', { 'hook.cjs': 'throw new Error("no")' }],
    ['is a folder', { 'hook.cjs/inside': '' }],
  ])('is silent and ends well if the file %s', (_what, tree) => {
    const project = makeProject(tree);
    expect(start(shelllessCommand(project.at('hook.cjs')), { cwd: project.root })).toEqual(SILENT);
  });

  test('never runs code of the project in its place', () => {
    const project = makeProject({ 'node_modules/holdfast/dist/hook.cjs': says('project') });
    const env = { CLAUDE_PROJECT_DIR: project.root };
    expect(start(shelllessCommand(project.at('gone.cjs')), { cwd: project.root, env })).toEqual(
      SILENT,
    );
  });

  test.each([
    ['C:\\Users\\Ann Smith\\.claude\\holdfast\\dist\\hook.cjs'],
    ['it’s "quoted" & $(echo code) `echo code` %PATH%.cjs'],
    ["'; echo code; '.cjs"],
  ])('passes the path as one argument, without quotes: %s', (name) => {
    const project = makeProject({ [name]: says('ran') });
    const command = shelllessCommand(project.at(name));
    expect(argsOf(command).at(-1)).toBe(project.at(name));
    expect(start(command, { cwd: project.root })).toEqual(printed('ran'));
  });
});

describe('the command that is committed from there', () => {
  const HOOK = 'holdfast/dist/hook.cjs';
  const startIn = (project: Project, folder: string, env: Record<string, string> = {}): Ending =>
    start(portableShelllessCommand(), {
      cwd: project.at(folder),
      env: { HOME: project.at('home'), ...env },
    });

  test('runs the user’s own copy first', () => {
    const project = makeProject({
      [`home/.claude/${HOOK}`]: says('home'),
      [`config/${HOOK}`]: says('config'),
      [`work/node_modules/${HOOK}`]: says('dependency'),
    });
    expect(startIn(project, 'work')).toEqual(printed('home'));
    const env = { CLAUDE_CONFIG_DIR: project.at('config') };
    expect(startIn(project, 'work', env)).toEqual(printed('config'));
  });

  test('else the dependency of the project, from a folder inside it', () => {
    const project = makeProject({
      [`work/node_modules/${HOOK}`]: says('dependency'),
      'work/packages/a/file': '',
      [`elsewhere/node_modules/${HOOK}`]: says('elsewhere'),
    });
    expect(startIn(project, 'work')).toEqual(printed('dependency'));
    expect(startIn(project, 'work/packages/a')).toEqual(printed('dependency'));
    const env = { CLAUDE_PROJECT_DIR: project.at('work/packages/a') };
    expect(startIn(project, 'elsewhere', env)).toEqual(printed('dependency'));
  });

  test.each([
    ['there is none', { 'work/file': '' }],
    ['it is broken', { 'work/file': '', [`home/.claude/${HOOK}`]: 'this is {' }],
  ])('is silent and ends well if %s', (_what, tree) => {
    expect(startIn(makeProject(tree), 'work')).toEqual(SILENT);
  });

  test('names no place of one machine', () => {
    const { command, args = [] } = portableShelllessCommand()('PreCompact');
    expect(command).toBe('node');
    expect(args.join(' ')).not.toMatch(/[\\/]/);
  });
});

test('the hook sees no word of the command in its arguments', () => {
  const tell = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const project = makeProject({
    'given.cjs': tell,
    '.claude/holdfast/dist/hook.cjs': tell,
  });
  const given = start(shelllessCommand(project.at('given.cjs')), { cwd: project.root });
  expect(given).toEqual(printed('[]'));
  expect(start(portableShelllessCommand(), { cwd: project.root })).toEqual(printed('[]'));
});

describe('a hook is ours', () => {
  test('in a line that a person can read', () => {
    expect(portableCommand()('UserPromptSubmit').command.length).toBeLessThanOrEqual(160);
    const long = commandFor(`/${'x'.repeat(200)}/bin/hook.sh`)('PreCompact');
    expect(long).toEqual(portableCommand()('PreCompact'));
  });

  test('as init and the plugin write it', () => {
    const commands = [
      commandFor('/x y/it’s/holdfast/bin/hook.sh'),
      commandFor("/x'y/holdfast/bin/hook.sh"),
      commandFor('C:\\Users\\Ann Smith\\.claude\\holdfast\\bin\\hook.sh'),
      commandBelow('${CLAUDE_PLUGIN_ROOT}'),
      portableCommand(),
      shelllessCommand('/x y/hook.cjs', '/opt/node'),
      portableShelllessCommand(),
    ];
    for (const command of commands)
      expect(isOurHook({ type: 'command', ...command('PreCompact') })).toBe(true);
  });

  test.each([
    ['e=PreCompact; f=/x/holdfast/bin/hook.sh; [ -r "$f" ] && . "$f"; : ; other'],
    ['e=PreCompact; f=/x/their/hook.sh; [ -r "$f" ] && . "$f"; :'],
    ['e=PreCompact; f=$(other)/bin/hook.sh; [ -r "$f" ] && . "$f"; :'],
    ['e=$(other); f=/x/holdfast/bin/hook.sh; [ -r "$f" ] && . "$f"; :'],
    ['e=PreCompact; f=/x/holdfast/bin/hook.sh; . "$f"'],
    ['e=PreCompact; f="$(other)/bin/hook.sh"; [ -r "$f" ] && . "$f"; :'],
    ['holdfast hook'],
    ['timeout 5 holdfast hook'],
    ['node /x/holdfast/dist/hook.cjs'],
    ['node'],
    [''],
  ])('and not for a shell: %s', (line) => {
    expect(isOurHook({ type: 'command', command: line })).toBe(false);
  });

  test.each<[unknown]>([
    [{ type: 'command', command: 'holdfast', args: ['hook'] }],
    [{ type: 'command', command: 'node', args: ['-e', 'their code', '/x/holdfast'] }],
    [{ type: 'prompt', prompt: 'holdfast hook' }],
    [{ type: 'command', command: ['holdfast', 'hook'] }],
    ['holdfast hook'],
    [null],
    [undefined],
  ])('and not %j', (hook) => {
    expect(isOurHook(hook)).toBe(false);
  });
});
