import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  fileOfCommand,
  isOurHook,
  MAX_LEVELS,
  parseHookCommand,
  portableCommand,
} from '../../../../src/install/plan/hook-command.ts';
import { levelsToDependency } from '../../../../src/install/plan/locate-script.ts';
import { makeProject, type Project } from '../../../support/project.ts';

const GIT = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' };
const SCRIPT = 'node_modules/holdfast/bin/hook.sh';

function runIn(project: Project, folder: string, command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: project.root,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: project.outside,
      CLAUDE_PROJECT_DIR: project.at(folder),
    },
  });
  return { status, stdout, stderr };
}

describe.each([
  [0, '.'],
  [1, 'shop'],
  [2, 'packages/my shop'],
  [3, 'apps/web/my shop'],
])('the dependency of a monorepo %i levels above', (levels, folder) => {
  const monorepo = (): Project =>
    makeProject({ ...GIT, [SCRIPT]: 'echo "found $e"', [`${folder}/package.json`]: '{}' });

  test('is found by the committed command, which stays readable', () => {
    const project = monorepo();
    expect(levelsToDependency(project.at(folder))).toBe(levels);
    const { command } = portableCommand(levels)('UserPromptSubmit');
    expect(command.length).toBeLessThanOrEqual(160);
    expect(runIn(project, folder, command)).toEqual({
      status: 0,
      stdout: 'found UserPromptSubmit\n',
      stderr: '',
    });
  });

  test('is not needed: the command is silent without it', () => {
    const { command } = portableCommand(levels)('SessionStart');
    const project = makeProject({ ...GIT, [`${folder}/package.json`]: '{}' });
    expect(runIn(project, folder, command)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('is what the command is taken apart into', () => {
    const project = monorepo();
    const hook = { type: 'command', ...portableCommand(levels)('SessionStart') };
    expect(isOurHook(hook)).toBe(true);
    const places = { root: project.at(folder), config: `${project.outside}/.claude` };
    expect(fileOfCommand(parseHookCommand(hook), places)).toBe(project.at(SCRIPT));
  });
});

test('a dependency outside the repository does not count', () => {
  const project = makeProject({ [SCRIPT]: '' });
  for (const [path, text] of Object.entries(GIT)) project.write(`code/shop/${path}`, text);
  expect(levelsToDependency(project.at('code/shop'))).toBeNull();
  project.write('plain/package.json', '{}');
  expect(levelsToDependency(project.at('plain'))).toBeNull();
});

test('a line that looks further up would be too long to read', () => {
  const { command } = portableCommand(MAX_LEVELS + 1)('UserPromptSubmit');
  expect(command.length).toBeGreaterThan(160);
});
