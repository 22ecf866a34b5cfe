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
      {
        path: project.at('ours/new.md'),
        before: null,
        after: 'ours',
        isPrivate: false,
      },
      {
        path: project.at(SETTINGS),
        before,
        after: `${before ?? ''}ours\n`,
        isPrivate: false,
      },
    ],
    left: [],
    folders: [project.at('ours')],
    record,
  };
}

function installFrom(
  project: Project,
  makePlan: (state: InstallState) => Plan,
): void {
  for (const name of RUNTIME_FILES) project.write(`package/${name}`, '');
  install(
    project.at('config'),
    { folder: project.at('package'), version: '1.0.0' },
    makePlan,
  );
}

test('a file that cannot be put back is named, and the record stays for uninstall', () => {
  const project = makeProject();
  const makePlan = (state: InstallState): Plan => {
    const plan = planFor(project, state);
    const spoiled = () => (
      project.write('ours/new.md', 'theirs'),
      project.at('.')
    );
    const last = {
      get path() {
        return spoiled();
      },
      before: null,
      after: 'x',
      isPrivate: false,
    };
    return { ...plan, changes: [...plan.changes, last] };
  };
  const stuck = expect.objectContaining({
    code: 'half_done',
    message: expect.stringMatching(/ours.new\.md could/),
  });
  expect(() => installFrom(project, makePlan)).toThrow(stuck);
  expect(project.exists('config/holdfast/installs.json')).toBe(true);
});

test('settings that another program writes meanwhile are left to it: nothing is changed', () => {
  for (const work of [install, uninstall]) {
    const project = makeProject();
    const makePlan = (state: InstallState): Plan => {
      const plan = planFor(project, state);
      project.write(SETTINGS, 'theirs\n');
      return plan;
    };
    const config = project.at('config');
    const changed = expect.objectContaining({ code: 'changed_meanwhile' });
    expect(() =>
      work === uninstall
        ? uninstall(config, makePlan)
        : installFrom(project, makePlan),
    ).toThrow(changed);
    expect(project.read(SETTINGS)).toBe('theirs\n');
    expect(project.exists('ours/new.md')).toBe(false);
    expect(project.exists('config')).toBe(false);
  }
});
