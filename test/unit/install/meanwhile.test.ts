import { describe, expect, test } from 'vitest';
import { isOurHook } from '../../../src/install/plan/hook-command.ts';
import { placesOfHooks } from '../../../src/install/plan/settings-hooks.ts';
import { installer } from '../../support/installation.ts';
import { makeProject, type Project } from '../../support/project.ts';

const SETTINGS = '.claude/settings.local.json';

const ours = (project: Project): number =>
  placesOfHooks(project.json(SETTINGS)).filter(({ hook }) => isOurHook(hook)).length;

/** As the client does at every "always allow": at the times that are given, counted from the first plan. */
function allowing(project: Project, isTime: (turn: number) => boolean): () => void {
  let turn = 0;
  return () => {
    turn += 1;
    if (!isTime(turn)) return;
    const { allow = [], ...rest } = project.exists(SETTINGS)
      ? (project.json(SETTINGS) as { allow?: number[] })
      : {};
    project.write(SETTINGS, JSON.stringify({ ...rest, allow: [...allow, turn] }));
  };
}

describe('settings that another program writes meanwhile', () => {
  test.each([
    ['while the files are copied', [1]],
    ['right before the change', [2]],
    ['at the second attempt, too', [2, 3]],
  ])('keep that edit through init: %s', (_when, turns) => {
    const project = makeProject({ [SETTINGS]: '{"model": "opus"}' });
    installer(
      project,
      'local',
      allowing(project, (turn) => turns.includes(turn)),
    ).init();
    expect(project.json(SETTINGS)).toMatchObject({ model: 'opus', allow: turns });
    expect(ours(project)).toBe(7);
    installer(project, 'local').uninstall();
    expect(project.json(SETTINGS)).toEqual({ model: 'opus', allow: turns });
  });

  test('are kept where there were none at first', () => {
    const project = makeProject();
    installer(
      project,
      'local',
      allowing(project, (turn) => turn === 2),
    ).init();
    expect(ours(project)).toBe(7);
    installer(project, 'local').uninstall();
    expect(project.json(SETTINGS)).toEqual({ allow: [2] });
    expect(project.names('.claude')).toEqual(['settings.local.json']);
  });

  test('keep that edit through uninstall', () => {
    const project = makeProject({ [SETTINGS]: '{"model": "opus"}' });
    installer(project, 'local').init();
    installer(
      project,
      'local',
      allowing(project, (turn) => turn === 1),
    ).uninstall();
    expect(project.json(SETTINGS)).toEqual({ model: 'opus', allow: [1] });
    expect(project.names('.claude')).toEqual(['settings.local.json']);
  });

  test('and never stops writing are left to it: nothing is installed', () => {
    const project = makeProject({ [SETTINGS]: '{}', '.git/info/exclude': '*.log\n' });
    const { config, init } = installer(
      project,
      'local',
      allowing(project, () => true),
    );
    expect(init).toThrow(expect.objectContaining({ code: 'changed_meanwhile' }));
    expect(ours(project)).toBe(0);
    expect(project.names('.claude')).toEqual(['settings.local.json']);
    expect(project.read('.git/info/exclude')).toBe('*.log\n');
    expect(project.exists(config)).toBe(false);
  });
});
