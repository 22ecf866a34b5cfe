import { describe, expect, test } from 'vitest';
import { readJournalOf } from '../../../../src/state/store/journal-files.ts';
import {
  listArchive,
  listRuns,
} from '../../../../src/state/store/run-files.ts';
import { makeProject } from '../../../support/project.ts';
import { ARCHIVE, change, STATE, storeOf } from '../../../support/store.ts';

const MINIMAL = '{"workflow": "Build it", "phase": {"current": 2, "total": 3}}';
const file = (slug: string, time = '20250501_080000'): string =>
  `${STATE}/${slug}/state-${slug}-${time}.json`;

describe('a run id written by hand', () => {
  const withId = (id: string): string =>
    JSON.stringify({ workflow: 'X', run_id: id });

  test('names the run, and is kept when the run is written and archived', () => {
    const project = makeProject({ [file('build-it')]: withId('Release_2.0') });
    const store = storeOf(project);
    const [run] = store.list().runs;
    expect(run).toMatchObject({ runId: 'Release_2.0', path: file('build-it') });
    const written = change(store, 'Release_2.0', (state) => ({
      ...state,
      context: { a: 1 },
    }));
    expect(written).toMatchObject({
      path: file('build-it'),
      state: { run_id: 'Release_2.0' },
    });
    expect(project.json(file('build-it'))).toMatchObject({
      run_id: 'Release_2.0',
    });
    expect(readJournalOf(store.root, written)).toMatchObject([
      { event: 'updated' },
    ]);
    store.transaction((tx) => {
      const current = tx.reread(written);
      if (current === undefined) throw new Error('the run is gone');
      tx.end(
        current,
        { ...current.state, status: 'completed' },
        { event: 'completed' },
        { purge: false },
      );
    });
    expect(store.list().runs).toEqual([]);
    expect(listArchive(store.root).runs).toMatchObject([
      { runId: 'Release_2.0' },
    ]);
  });

  test.each([
    'has space',
    '--purge',
    '../up',
    'a..b',
    'x'.repeat(129),
    'ä',
    '',
  ])('does not count if it is %j', (id) => {
    const { root } = makeProject({ [file('build-it')]: withId(id) });
    expect(listRuns(root).runs).toMatchObject([
      { runId: 'build-it-20250501_080000' },
    ]);
  });

  test('does not count if another run has it', () => {
    const { root } = makeProject({
      [file('one')]: withId('mine'),
      [file('two')]: withId('mine'),
      [file('three')]: withId('one-20250501_080000'),
    });
    expect(
      listRuns(root)
        .runs.map(({ runId }) => runId)
        .toSorted(),
    ).toEqual([
      'one-20250501_080000',
      'three-20250501_080000',
      'two-20250501_080000',
    ]);
  });

  test('does not count if an archived run has it', () => {
    const { root } = makeProject({
      [file('one')]: withId('mine'),
      [`${ARCHIVE}/mine.json`]: withId('mine'),
    });
    expect(listRuns(root).runs).toMatchObject([
      { runId: 'one-20250501_080000' },
    ]);
  });
});

describe('a file whose name is not one word of a shell', () => {
  const odd = [
    'a b',
    'x; touch y',
    '$(touch y)',
    '--purge',
    "it's",
    '~',
    '=ls',
    '*',
  ];
  const named = (name: string): string => `${STATE}/mine/state-${name}.json`;

  test.each(odd)('%j is a run whose id can be typed, and keeps it', (name) => {
    const project = makeProject({ [named(name)]: '{"workflow": "X"}' });
    const store = storeOf(project);
    const id = store.list().runs[0]?.runId ?? '';
    expect(id).toMatch(/^\w[\w-]*$/);
    const written = change(store, id, (state) => ({
      ...state,
      context: { a: 1 },
    }));
    expect(written).toMatchObject({ runId: id, path: named(name) });
    expect(store.list().runs).toMatchObject([
      { runId: id, state: { context: { a: 1 } } },
    ]);
    expect(readJournalOf(store.root, written)).toMatchObject([
      { event: 'updated' },
    ]);
  });

  test.each(['größe-20250501_080000', '設計', 'v1.2+x', 'a@b'])(
    '%s is one',
    (name) => {
      const { root } = makeProject({ [named(name)]: '{}' });
      expect(listRuns(root).runs).toMatchObject([{ runId: name }]);
    },
  );
});

test('nothing else in the folder is taken for a run', () => {
  const { root } = makeProject({
    [file('a')]: MINIMAL,
    [`${STATE}/a/events-a-20250501_080000.jsonl`]: '',
    [`${file('a')}.corrupt-20250501_080000`]: MINIMAL,
    [`${STATE}/a/notes.json`]: MINIMAL,
    [`${STATE}/state-loose.json`]: MINIMAL,
    [`${STATE}/sources.json`]: '{}',
    // Earlier versions kept an index of all state files here.
    [`${STATE}/runs.json`]: '{"version":1,"folders":{},"runs":{}}',
  });
  expect(listRuns(root).runs.map(({ runId }) => runId)).toEqual([
    'a-20250501_080000',
  ]);
  expect(listRuns(root).unreadable).toEqual([]);
});

describe('a file that is no run never hides the others', () => {
  test.each([
    ['half a file', MINIMAL.slice(0, 20), true],
    ['an empty file', '', true],
    ['a binary file', 'a\0b', true],
    ['no object', '[1]', true],
    ['no name', '{"workflow": 3}', true],
    ['a giant', `{"workflow": "${'x'.repeat(5_000_000)}"}`, false],
  ])('%s', (_what, content, corrupt) => {
    const { root } = makeProject({
      [file('bad')]: content,
      [file('good')]: MINIMAL,
    });
    const { runs, unreadable } = listRuns(root);
    expect(runs.map(({ slug }) => slug)).toEqual(['good']);
    expect(unreadable).toMatchObject([{ path: file('bad'), corrupt }]);
    expect(unreadable.map(({ why }) => why)).not.toContain('');
  });
});
