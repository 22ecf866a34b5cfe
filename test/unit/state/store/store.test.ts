import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeProject } from '../../../support/project.ts';
import { change, createRun, STATE, storeOf } from '../../../support/store.ts';
import { readJournalOf } from '../../../../src/state/store/state-writer.ts';

const ID = 'feature-20250601_120000';
const JOURNAL = `${STATE}/feature/events-${ID}.jsonl`;

describe('the end of a run', () => {
  test.each([true, false])('the folder stays while anything else is in it (purge: %s)', (purge) => {
    const project = makeProject({ [`${STATE}/feature/notes.md`]: 'mine' });
    const store = storeOf(project);
    const run = createRun(store);
    store.transaction((tx) => tx.end(run, run.state, { event: 'completed' }, { purge }));
    expect(project.names(`${STATE}/feature`)).toEqual(['notes.md']);
  });
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
  expect(project.names(`${STATE}/x`).map((name) => project.read(`${STATE}/x/${name}`))).toEqual([
    '{one',
    '{two',
  ]);
});
