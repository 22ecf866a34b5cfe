import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  fileOfCommand,
  parseHookCommand,
  portableCommand,
} from '../../../../src/install/plan/hook-command.ts';
import { makeProject, type Project } from '../../../support/project.ts';

const SCRIPT = 'my shop/node_modules/holdfast/bin/hook.sh';

function run(project: Project, command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: project.root,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: project.outside,
      CLAUDE_PROJECT_DIR: project.at('my shop'),
    },
  });
  return { status, stdout, stderr };
}

describe('the dependency of the project', () => {
  test('is found by the committed command, which stays readable', () => {
    const { command } = portableCommand()('UserPromptSubmit');
    expect(command.length).toBeLessThanOrEqual(160);
    expect(run(makeProject({ [SCRIPT]: 'echo "found $e"' }), command)).toEqual({
      status: 0,
      stdout: 'found UserPromptSubmit\n',
      stderr: '',
    });
  });

  test('is not needed: the command is silent without it', () => {
    const { command } = portableCommand()('SessionStart');
    expect(run(makeProject(), command)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('is what the command is taken apart into', () => {
    const project = makeProject({ [SCRIPT]: '' });
    const places = { root: project.at('my shop'), config: `${project.outside}/.claude` };
    expect(fileOfCommand(parseHookCommand({ ...portableCommand()('Stop') }), places)).toBe(
      project.at(SCRIPT),
    );
  });
});
