import { mkdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Transaction } from '../../../../src/state/store/store.ts';
import type { Run } from '../../../../src/state/types.ts';
import { makeProject } from '../../../support/project.ts';
import { ARCHIVE, createRun, STATE, storeOf } from '../../../support/store.ts';

const ID = 'feature-20250601_120000';
const STATE_FILE = `${STATE}/feature/state-${ID}.json`;

test.each([
  ['before it could say so', {}],
  ['while it was saying so', { [`${STATE}/.gitignore`]: '' }],
  [
    'after a hook was refused it, and said so',
    { [`${STATE}/holdfast.log`]: 'refused\n' },
  ],
])(
  'git does not see the state folder, also if its maker was killed %s',
  (_when, tree) => {
    const project = makeProject(tree);
    mkdirSync(project.at(STATE), { recursive: true });
    createRun(storeOf(project));
    expect(project.read(`${STATE}/.gitignore`)).toBe('*\n');
  },
);

test.each([
  ['that lists the runs', (tx: Transaction) => expect(tx.runs).toEqual([])],
  [
    'that knows the run from before',
    (tx: Transaction, run: Run) => expect(tx.reread(run)).toBeUndefined(),
  ],
])(
  'a run whose writer was killed between the archive and the removal is taken out by the next, %s',
  (_who, look) => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    const journal = `${STATE}/feature/events-${ID}.jsonl`;
    const events = project.read(journal);
    const ending = { event: 'completed' as const };
    const state = { ...run.state, status: 'completed' as const };
    store.transaction((tx) => tx.end(run, state, ending, { purge: false }));
    project.write(STATE_FILE, project.read(`${ARCHIVE}/${ID}.json`));
    project.write(journal, events);
    store.transaction((tx) => look(tx, run));
    expect(project.exists(`${STATE}/feature`)).toBe(false);
    expect(project.names(ARCHIVE)).toEqual([
      '.gitignore',
      `${ID}.events.jsonl`,
      `${ID}.json`,
    ]);
  },
);

test('a state that cannot be written leaves nothing in the journal', () => {
  const project = makeProject();
  const store = storeOf(project);
  const run = createRun(store);
  const before = project.read(`${STATE}/feature/events-${ID}.jsonl`);
  const tooLarge = { ...run.state, key_reminders: ['x'.repeat(6_000_000)] };
  expect(() =>
    store.transaction((tx) => tx.write(run, tooLarge, { event: 'updated' })),
  ).toThrow();
  rmSync(project.at(STATE_FILE));
  mkdirSync(project.at(STATE_FILE));
  expect(() =>
    store.transaction((tx) => tx.write(run, run.state, { event: 'updated' })),
  ).toThrow();
  expect(project.read(`${STATE}/feature/events-${ID}.jsonl`)).toBe(before);
});

test('where the state folder is deleted under a writer, it is made again and the work repeated', () => {
  const project = makeProject();
  const store = storeOf(project);
  createRun(store);
  let tries = 0;
  store.transaction((tx) => {
    tries += 1;
    if (tries === 1) rmSync(project.at(STATE), { recursive: true });
    return tx.saveSourceRecords({ plan: { run_id: 'x', said: {} } });
  });
  expect(tries).toBe(2);
  expect(project.names(STATE)).toEqual(['.gitignore', 'sources.json']);
});
