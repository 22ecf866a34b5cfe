import { expect, test } from 'vitest';
import { install, uninstall } from '../../../src/install/apply.ts';
import type { InstallState, Plan } from '../../../src/install/draft.ts';
import { RUNTIME_FILES } from '../../../src/files/environment.ts';
import { makeProject, type Project } from '../../support/project.ts';

const SETTINGS = '.claude/settings.json';

/** A plan that adds a line to the settings, after a file of ours. */
function planFor(project: Project, { record }: InstallState): Plan {
  const before = project.exists(SETTINGS) ? project.read(SETTINGS) : null;
  return {
    changes: [
      { path: project.at('ours/new.md'), before: null, after: 'ours', isPrivate: false },
      { path: project.at(SETTINGS), before, after: `${before ?? ''}ours\n`, isPrivate: false },
    ],
    left: [],
    folders: [project.at('ours')],
    record,
  };
}

/** As the client does at every "always allow": another line, each time that one of these plans has been made. */
function run(project: Project, work: typeof install | typeof uninstall, turns: number[]): void {
  let turn = 0;
  const makePlan = (state: InstallState): Plan => {
    const plan = planFor(project, state);
    turn += 1;
    if (turns.includes(turn))
      project.write(SETTINGS, `${plan.changes[1]?.before ?? ''}their ${turn}\n`);
    return plan;
  };
  const config = project.at('config');
  for (const name of RUNTIME_FILES) project.write(`package/${name}`, '');
  if (work === uninstall) uninstall(config, makePlan);
  else install(config, { folder: project.at('package'), version: '1.0.0' }, makePlan);
}

test.each([
  ['their 1\nours\n', [1]],
  ['their 1\ntheir 2\nours\n', [1, 2]],
])('what another program writes meanwhile is kept: %j', (text, turns) => {
  for (const work of [install, uninstall]) {
    const project = makeProject();
    run(project, work, turns);
    expect(project.read(SETTINGS)).toBe(text);
  }
});

test('settings that another program never stops writing are left to it: nothing is changed', () => {
  for (const work of [install, uninstall]) {
    const project = makeProject();
    const changed = expect.objectContaining({ code: 'changed_meanwhile' });
    expect(() => run(project, work, [1, 2, 3, 4])).toThrow(changed);
    expect(project.read(SETTINGS)).toBe('their 1\ntheir 2\ntheir 3\n');
    expect(project.exists('ours/new.md')).toBe(false);
    expect(project.exists('config')).toBe(false);
  }
});
