import { expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/errors/holdfast-error.ts';
import { Store } from '../../../../src/state/store/store.ts';
import { makeProject, type Project } from '../../../support/project.ts';
import { aState, NOW } from '../../../support/runs.ts';
import { createRun, storeOf } from '../../../support/store.ts';

/** A store whose folder cannot be created, because a file is in its place. */
function refusedStore(project: Project): { store: Store; refusals: string[] } {
  const refusals: string[] = [];
  const store = new Store({
    root: project.root,
    now: () => NOW,
    waitMs: 100,
    onWriteRefused: (error) => refusals.push(error.code),
  });
  return { store, refusals };
}

test('changes that the disk refuses last as long as the store, and the refusal is reported once', () => {
  const project = makeProject({ untracked: 'a file' });
  const { store, refusals } = refusedStore(project);
  const [first, second] = store.transaction((tx) => [
    tx.create(aState({ workflow: 'One' }), { event: 'started' }),
    tx.create(aState({ workflow: 'One' }), { event: 'started' }),
  ]);
  expect(first?.runId).not.toBe(second?.runId);
  store.transaction((tx) => {
    const [run, other] = tx.runs;
    if (run === undefined || other === undefined) throw new Error('the runs are missing');
    const written = tx.write(run, { ...run.state, key_reminders: ['kept'] });
    expect(tx.reread(run)).toEqual(written);
    tx.end(other, other.state, { event: 'completed' }, { purge: false });
    expect(tx.reread(other)).toBeUndefined();
    tx.saveHookState({ ...tx.hookState, compactions: { s1: { stage: 'due', at: 1 } } });
  });
  expect(store.list().runs).toMatchObject([
    { runId: first?.runId, state: { key_reminders: ['kept'], revision: 2 } },
  ]);
  expect(store.transaction((tx) => tx.hookState.compactions)).toEqual({
    s1: { stage: 'due', at: 1 },
  });
  expect(refusals).toEqual(['blocked_path']);
  expect(project.read('untracked')).toBe('a file');
});

test('a disk that takes writes is written', () => {
  const project = makeProject();
  const { store, refusals } = refusedStore(project);
  const { runId } = createRun(store);
  expect(storeOf(project).list().runs).toMatchObject([{ runId }]);
  expect(refusals).toEqual([]);
});

test('other failures are thrown', () => {
  const { store, refusals } = refusedStore(makeProject());
  const failure = new HoldfastError({ code: 'nothing_paused' });
  expect(() =>
    store.transaction(() => {
      throw failure;
    }),
  ).toThrow(failure);
  expect(refusals).toEqual([]);
});
