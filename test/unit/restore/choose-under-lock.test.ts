import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { chooseUnderLock } from '../../../src/restore/choose-under-lock.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aPhase, heldBy, NOW } from '../../support/runs.ts';
import { change, createRun, storeOf } from '../../support/store.ts';

/** Lists the runs, lets something else happen, then chooses under the lock. */
function chooseAfter(
  meanwhile: (project: Project, run: StoredRun) => void,
  session = 'me',
  source = 'compact',
) {
  const project = makeProject();
  const store = storeOf(project);
  const run = createRun(store, heldBy('me'));
  const listed = store.list().runs;
  meanwhile(project, run);
  const { choice } = store.transaction((tx) =>
    chooseUnderLock(tx, {
      root: project.root,
      settings: DEFAULTS,
      runs: listed,
      sources: [],
      session,
      source,
      isAttended: true,
      arrival: null,
      now: NOW,
      hostname: hostname(),
    }),
  );
  return { choice, listed };
}

describe('a choice made before the lock was acquired', () => {
  test('stands if the run has not changed', () => {
    const { choice, listed } = chooseAfter(() => undefined);
    expect(choice).toMatchObject({ kind: 'full', run: listed[0] });
  });

  test('is made again from the current runs if the run has changed', () => {
    const { choice } = chooseAfter((project, { runId }) => {
      change(storeOf(project), runId, (state) => ({ ...state, phase: aPhase({ current: 4 }) }));
    });
    expect(choice).toMatchObject({ kind: 'full', run: { state: { phase: { current: 4 } } } });
  });

  test('is made again if a live session has taken the run', () => {
    const { choice } = chooseAfter((project, { runId }) => {
      const live = heldBy('them', { environment: { hostname: hostname() } });
      change(storeOf(project), runId, (state) => ({ ...state, ...live }));
    });
    expect(choice.kind).toBe('nothing');
  });

  test('is made again if the run is gone', () => {
    const { choice } = chooseAfter((project, { path }) => rmSync(project.at(path)));
    expect(choice).toEqual({ kind: 'nothing', why: 'nothing is in progress' });
  });

  test('does not depend on other runs: one that came later is not listed', () => {
    const { choice } = chooseAfter((project) => {
      createRun(storeOf(project), { workflow: 'Another' });
    });
    expect(choice).toMatchObject({ kind: 'full', others: [] });
  });

  test('stands if it names no run, whatever was created since', () => {
    const { choice } = chooseAfter(
      (project, { path }) => {
        rmSync(project.at(path));
        createRun(storeOf(project), { workflow: 'Another' });
      },
      'another',
      'startup',
    );
    expect(choice).toMatchObject({ kind: 'offer', runs: [{ state: { workflow: 'Feature' } }] });
  });
});
