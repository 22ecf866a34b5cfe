import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Store } from '../../../../src/state/store/store.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { NOW } from '../../../support/runs.ts';
import {
  ARCHIVE,
  change,
  configOf,
  createRun,
  LOCK,
  STATE,
  storeOf,
} from '../../../support/store.ts';
import { readJournalOf } from '../../../../src/state/store/journal-files.ts';
import { listArchive } from '../../../../src/state/store/run-files.ts';

const ID = 'feature-20250601_120000';

/** A file that somebody else has, with a link to it from the project. */
const theirs = (project: Project, path: string): { content: () => string } => {
  const file = join(project.outside, 'theirs');
  writeFileSync(file, 'theirs');
  project.link(path, file);
  return { content: () => readFileSync(file, 'utf8') };
};

describe('nothing is written through a link out of the project', () => {
  test('sources.json is one: replaced, not followed', () => {
    const project = makeProject();
    const linked = theirs(project, `${STATE}/sources.json`);
    const store = storeOf(project);
    store.transaction((tx) =>
      tx.saveSourceRecords({ x: { run_id: 'r', said: {} } }),
    );
    expect(linked.content()).toBe('theirs');
    expect(store.sourceRecords()).toHaveProperty('x');
  });

  test('a journal is one: replaced, not followed', () => {
    const project = makeProject();
    const store = storeOf(project);
    mkdirSync(project.at(`${STATE}/feature`), { recursive: true });
    const linked = theirs(project, `${STATE}/feature/events-${ID}.jsonl`);
    const run = createRun(store);
    expect(readJournalOf(store.root, run)).toHaveLength(1);
    expect(linked.content()).toBe('theirs');
  });

  test('the lock is one: it is not followed', () => {
    const project = makeProject();
    const linked = theirs(project, LOCK);
    const impatient = new Store({
      root: project.root,
      config: configOf(project),
      now: () => NOW,
      waitMs: 20,
    });
    expect(() => createRun(impatient)).toThrow(
      expect.objectContaining({ code: 'locked' }),
    );
    expect(linked.content()).toBe('theirs');
  });
});

describe('a folder of holdfast that is a link to another folder of the project', () => {
  const SETTINGS = '.claude/settings.json';
  const FOREIGN = expect.objectContaining({ code: 'foreign_folder' });

  test('the archive: no file there is a run, and none is written or removed', () => {
    const project = makeProject({ [SETTINGS]: '{"mine": 1}' });
    const store = storeOf(project);
    const run = createRun(store);
    project.link(ARCHIVE, project.at('.claude'));
    expect(listArchive(store.root).runs).toEqual([]);
    const restored = store.transaction((tx) =>
      tx.restoreArchived('settings', { event: 'reopened' }, (state) => state),
    );
    expect(restored).toBeUndefined();
    expect(() =>
      store.transaction((tx) =>
        tx.end(run, run.state, { event: 'ended' }, { purge: false }),
      ),
    ).toThrow(FOREIGN);
    expect(project.names('.claude')).toEqual(['settings.json']);
    expect(project.read(SETTINGS)).toBe('{"mine": 1}');
  });

  test('the state folder: no folder there has runs, and none is created', () => {
    const project = makeProject({ 'app/store/state-user.json': 'not a run' });
    project.link(STATE, project.at('app'));
    const store = storeOf(project);
    expect(store.list()).toEqual({ runs: [], unreadable: [] });
    expect(() => createRun(store)).toThrow(FOREIGN);
    expect(project.names('app')).toEqual(['store']);
    expect(project.names('app/store')).toEqual(['state-user.json']);
  });
});

test('links that stay inside the project are followed', () => {
  const project = makeProject({ 'elsewhere/.keep': '' });
  project.link('untracked', project.at('elsewhere'));
  const store = storeOf(project);
  createRun(store);
  change(store, ID, (state) => ({ ...state, mine: 1 }));
  expect(store.list().runs[0]?.state['mine']).toBe(1);
  expect(project.names('elsewhere')).toEqual(['.keep', 'workflow-state']);
});
