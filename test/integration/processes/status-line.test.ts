import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { portableProgram, programOf, statusLineCommand } from '../../../src/install/status-line.ts';
import { makeProject, type Project } from '../../support/project.ts';

const STATE_FILE = 'untracked/workflow-state/shop/state-shop-20260101_000000.json';
const OWN = `printf '%s\\n' "it's mine: $(cat)"; echo "\\$HOME" # done`;

/** Prints its arguments and its input, in brackets. */
function fakeProgram(project: Project): string {
  project.write(
    'fake.cjs',
    `console.log('[' + process.argv[2] + ':' + require('fs').readFileSync(0, 'utf8') + ']')`,
  );
  return project.at('fake.cjs');
}

function runIn(cwd: string, command: string, shell = 'sh') {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', command], {
    cwd,
    input: '{"a":1}\n',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nowhere' },
  });
  return { status, stdout, stderr };
}

const SHELLS = ['sh', 'bash', 'zsh'].filter(
  (shell) => spawnSync(shell, ['-c', ':']).error === undefined,
);

describe.each(SHELLS)('the registered command in %s', (shell) => {
  it('prints nothing and starts nothing where there are no runs', () => {
    const project = makeProject();
    const command = statusLineCommand(programOf('/missing/node', '/missing'), null);
    expect(runIn(project.root, command, shell)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('starts nothing where the last run has ended', () => {
    const project = makeProject({
      'untracked/workflow-state/.gitignore': '*',
      'untracked/workflow-state/sources.json': '{}',
      'untracked/workflow-state/shop/events-shop-20260101_000000.jsonl': '',
      'untracked/workflow-state/shop/state-shop-20260101_000000.json.corrupt-20260102_000000': '',
    });
    const program = programOf(process.execPath, fakeProgram(project));
    const own = { command: 'echo mine', isInherited: false };
    expect(runIn(project.root, statusLineCommand(program, null), shell).stdout).toBe('');
    expect(runIn(project.root, statusLineCommand(program, own), shell)).toEqual({
      status: 0,
      stdout: 'mine\n',
      stderr: '',
    });
  });

  it('passes its input on where a folder above has runs', () => {
    const project = makeProject();
    project.write(STATE_FILE, '{}');
    mkdirSync(project.at('a b/c'), { recursive: true });
    const command = statusLineCommand(programOf(process.execPath, fakeProgram(project)), null);
    expect(runIn(project.at('a b/c'), command, shell)).toEqual({
      status: 0,
      stdout: '[statusline:{"a":1}\n]\n',
      stderr: '',
    });
  });

  it("runs the user's command first, with the same input, also where there are no runs", () => {
    const project = makeProject();
    const program = programOf(process.execPath, fakeProgram(project));
    const command = statusLineCommand(program, { command: OWN, isInherited: false });
    const own = `it's mine: {"a":1}\n$HOME\n`;
    expect(runIn(project.root, command, shell).stdout).toBe(own);
    project.write(STATE_FILE, '{}');
    expect(runIn(project.root, command, shell).stdout).toBe(`${own}[statusline:{"a":1}\n]\n`);
  });

  it.each([
    ['fails', 'echo before; exit 3', 'before\n'],
    ['is not valid', 'echo "unfinished', ''],
    ['prints no line break', 'printf bare', 'bare\n'],
    ['reads no input', 'echo x', 'x\n'],
  ])('goes on where the command of the user %s', (_how, own, printed) => {
    const project = makeProject();
    project.write(STATE_FILE, '{}');
    const program = programOf(process.execPath, fakeProgram(project));
    const command = statusLineCommand(program, { command: own, isInherited: false });
    const { status, stdout } = runIn(project.root, command, shell);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `${printed}[statusline:{"a":1}\n]\n`,
    });
  });

  it('is silent where holdfast was removed', () => {
    const project = makeProject();
    project.write(STATE_FILE, '{}');
    for (const program of [programOf('node', '/missing/holdfast.cjs'), portableProgram()])
      expect(runIn(project.root, statusLineCommand(program, null), shell)).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      });
  });

  it.each(['.', 'packages/shop'])('finds the dependency if it is committed, from %s', (folder) => {
    const project = makeProject({
      'node_modules/holdfast/bin/holdfast.cjs': 'console.log("found")',
      [`${folder}/${STATE_FILE}`]: '{}',
    });
    const command = statusLineCommand(portableProgram(), null);
    expect(runIn(project.at(folder), command, shell).stdout).toBe('found\n');
  });
});
