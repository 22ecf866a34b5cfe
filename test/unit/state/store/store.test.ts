import { lstatSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeProject } from '../../../support/project.ts';
import { change, createRun, STATE, storeOf } from '../../../support/store.ts';
import type { Store } from '../../../../src/state/store/store.ts';
import { readJournalOf } from '../../../../src/state/store/journal-files.ts';

const ID = 'feature-20250601_120000';
const JOURNAL = `${STATE}/feature/events-${ID}.jsonl`;

describe('the end of a run', () => {
  test.each([true, false])(
    'the folder stays while anything else is in it (purge: %s)',
    (purge) => {
      const project = makeProject({ [`${STATE}/feature/notes.md`]: 'mine' });
      const store = storeOf(project);
      const run = createRun(store);
      store.transaction((tx) =>
        tx.end(run, run.state, { event: 'completed' }, { purge }),
      );
      expect(project.names(`${STATE}/feature`)).toEqual(['notes.md']);
    },
  );
});

describe('the journal', () => {
  test('is bounded: past its limit the newer half is kept', () => {
    const line = `${JSON.stringify({ at: 'then', event: 'old', filler: 'x'.repeat(200) })}\n`;
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    project.write(JOURNAL, line.repeat(Math.ceil(256_000 / line.length)));
    change(store, ID, (state) => state);
    const size = statSync(project.at(JOURNAL)).size;
    expect(size).toBeLessThan(140_000);
    expect(size).toBeGreaterThan(120_000);
    const events = readJournalOf(store.root, run);
    expect(events.at(-1)?.event).toBe('updated');
    expect(events.length).toBeGreaterThan(500);
  });
});

test('a file set aside is never overwritten by the next', () => {
  const broken = `${STATE}/x/state-x.json`;
  const project = makeProject({ [broken]: '{one' });
  const store = storeOf(project);
  store.transaction((tx) => tx.setAside.length);
  project.write(broken, '{two');
  store.transaction((tx) => tx.setAside.length);
  expect(
    project
      .names(`${STATE}/x`)
      .map((name) => project.read(`${STATE}/x/${name}`)),
  ).toEqual(['{one', '{two']);
});

test('a dry copy shows its changes and writes nothing', () => {
  const plan = {
    kind: 'plan',
    path: `${STATE}/feature/plan.md`,
    text: '- [ ] a',
  } as const;
  const project = makeProject();
  const store = storeOf(project);
  const away = createRun(store, { workflow: 'Away' });
  store.transaction((tx) =>
    tx.end(away, away.state, { event: 'archived' }, { purge: false }),
  );
  const kept = createRun(store);
  const purged = createRun(store, { workflow: 'Purged' });
  project.write(`${STATE}/x/state-x.json`, '{broken');
  const files = (): unknown =>
    readdirSync(project.root, { recursive: true, encoding: 'utf8' }).map(
      (path) => [path, lstatSync(project.at(path)).ctimeMs],
    );
  const before = files();
  const dry = store.dryCopy();
  const created = createRun(dry, { workflow: 'New' });
  dry.transaction((tx) => {
    tx.write(kept, { ...kept.state, source: plan }, { event: 'updated' });
    tx.end(purged, purged.state, { event: 'completed' }, { purge: true });
    tx.restoreArchived(away.runId, { event: 'returned' }, (state) => state);
    tx.saveSourceRecords({ 'a.md': { run_id: created.runId, said: {} } });
    tx.saveHookState({ ...tx.hookState, notices: ['a'] });
    tx.writeHookState();
  });
  expect(files()).toEqual(before);
  expect(dry.sourceRecords()).toHaveProperty(['a.md', 'run_id'], created.runId);
  const runIds = (of: Store): string[] =>
    of
      .list()
      .runs.map(({ runId }) => runId)
      .toSorted();
  expect(runIds(dry)).toEqual(
    [away, kept, created].map(({ runId }) => runId).toSorted(),
  );
  expect(runIds(store)).toEqual(
    [kept, purged].map(({ runId }) => runId).toSorted(),
  );
});
