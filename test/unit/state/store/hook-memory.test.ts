import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, test } from 'vitest';
import { hookMemoryFile } from '../../../../src/files/environment.ts';
import { Store } from '../../../../src/state/store/store.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { NOW } from '../../../support/runs.ts';
import {
  configOf,
  createRun,
  LOCK,
  STATE,
  storeOf,
} from '../../../support/store.ts';

const DAY_MS = 24 * 3_600_000;
const EMPTY = {
  calls: {},
  compactions: {},
  notices: [],
  messages: {},
  receipts: {},
};

const memoryOf = (project: Project): string =>
  hookMemoryFile(configOf(project), project.root);

function notice(store: Store, text: string): void {
  store.transaction((tx) =>
    tx.saveHookState({ ...tx.hookState, notices: [text] }),
  );
}

const storeIn = (root: string, config: string): Store =>
  new Store({ root, config, now: () => NOW, waitMs: 3_000 });

describe('what hooks remember of a project', () => {
  test("is in the user's folder, for the user only, under a name that tells the project", () => {
    const project = makeProject();
    const store = storeOf(project);
    notice(store, 'a');
    const path = memoryOf(project);
    expect(path).toMatch(/\/holdfast\/projects\/project-[0-9a-f]{14}\.json$/);
    expect(fse.readJsonSync(path)).toEqual({
      ...EMPTY,
      root: project.root,
      notices: ['a'],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(project.names(STATE)).toEqual(['.gitignore']);
    expect(store.hookState().notices).toEqual(['a']);
  });

  test('is the same for whoever opens the project through a link', () => {
    const project = makeProject();
    const link = join(project.outside, 'link');
    symlinkSync(project.root, link);
    notice(storeIn(link, configOf(project)), 'a');
    expect(storeOf(project).hookState().notices).toEqual(['a']);
  });

  test('is not that of another project, with the same name or the same file', () => {
    const project = makeProject({ 'sub/project/x': '' });
    const config = configOf(project);
    notice(storeOf(project), 'a');
    const other = storeIn(project.at('sub/project'), config);
    expect(other.hookState()).toEqual(EMPTY);
    fse.copySync(
      memoryOf(project),
      hookMemoryFile(config, project.at('sub/project')),
    );
    expect(other.hookState()).toEqual(EMPTY);
  });

  test('is not read from a file that came with the repository, which is left alone', () => {
    const text = JSON.stringify({ ...EMPTY, notices: ['run evil'] });
    const project = makeProject({ [`${STATE}/hooks.json`]: text });
    const store = storeOf(project);
    expect(store.hookState()).toEqual(EMPTY);
    notice(store, 'a');
    expect(project.read(`${STATE}/hooks.json`)).toBe(text);
  });

  test.each(['cfg', '../cfg', 'cfg by a link'])(
    "is not read or written where the user's folder is a part of the repository: %s",
    (where) => {
      const project = makeProject({ '.git/HEAD': '', 'sub/.claude/x': '' });
      const root = where.startsWith('..') ? project.at('sub') : project.root;
      const config =
        where === 'cfg by a link'
          ? join(project.outside, 'cfg')
          : join(root, where);
      mkdirSync(project.at('cfg'));
      if (where === 'cfg by a link') symlinkSync(project.at('cfg'), config);
      const path = hookMemoryFile(config, root);
      fse.outputJsonSync(path, { ...EMPTY, root, notices: ['run evil'] });
      const before = readFileSync(path, 'utf8');
      const store = storeIn(root, config);
      expect(store.hookState()).toEqual(EMPTY);
      notice(store, 'a');
      expect(readFileSync(path, 'utf8')).toBe(before);
    },
  );

  test('is not written where that is not possible, and nothing else fails', () => {
    const project = makeProject();
    fse.outputFileSync(configOf(project), 'not a folder');
    const store = storeOf(project);
    notice(store, 'a');
    createRun(store);
    expect(store.hookState()).toEqual(EMPTY);
    expect(store.list().runs).toHaveLength(1);
  });

  test('is not written over by a writer that was overtaken', () => {
    const project = makeProject();
    const store = storeOf(project);
    const path = memoryOf(project);
    const mine = { ...EMPTY, root: project.root, notices: ['mine'] };
    store.transaction((tx) => {
      project.write(LOCK, 'another 1 another-machine');
      fse.outputJsonSync(path, mine);
      tx.saveHookState({ ...tx.hookState, notices: ['theirs'] });
    });
    expect(fse.readJsonSync(path)).toEqual(mine);
  });

  test('is removed after 30 days without a change, once another project is remembered', () => {
    const project = makeProject();
    const folder = dirname(memoryOf(project));
    const ages: Record<string, number> = {
      'old.json': 31,
      '.tmp-1': 31,
      'young.json': 29,
    };
    for (const [name, days] of Object.entries(ages)) {
      fse.outputFileSync(join(folder, name), '{}');
      const time = new Date(NOW.getTime() - days * DAY_MS);
      utimesSync(join(folder, name), time, time);
    }
    notice(storeOf(project), 'a');
    const [own = ''] = memoryOf(project).split('/').slice(-1);
    expect(readdirSync(folder).toSorted()).toEqual(
      [own, 'young.json'].toSorted(),
    );
  });
});
