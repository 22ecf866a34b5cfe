import type { SourceFile } from '../../../src/sources/types.ts';
import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { syncRuns } from '../../../src/sources/apply-sync.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { anySaid } from '../../support/arbitraries.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aSaid, heldBy, HERE, localFile, NOW, plan } from '../../support/runs.ts';
import { change, createRun, STATE, storeOf } from '../../support/store.ts';
import { repetitions } from '../../support/repetitions.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const MOVED = 'CLAUDE/Plan/Active/00007-auth/PLAN.md';

const sync = (project: Project, ...sources: SourceFile[]): readonly StoredRun[] => {
  const store = storeOf(project);
  const { runs, unreadable } = store.list();
  const sourceRecords = store.sourceRecords();
  const place = { session: null, now: NOW, hostname: HERE, head: '' };
  const input = { sources, runs, sourceRecords, ...place };
  return syncRuns(store, input, { by: 'test', unreadable });
};
const only = (project: Project): StoredRun => {
  const { runs } = storeOf(project).list();
  expect(runs).toHaveLength(1);
  return runs[0] ?? expect.fail('there is no run');
};
const at = (current: number) => aSaid({ phase: { current, total: 5 } });

describe('a source that goes away', () => {
  test('does not give the session that held it a second run', () => {
    const project = makeProject();
    const [run] = sync(project, plan(PLAN, at(2)));
    const held = heldBy('s');
    change(storeOf(project), run?.runId ?? '', (state) => ({ ...state, ...held }));
    sync(project);
    const other = createRun(storeOf(project), { workflow: 'Other' });
    change(storeOf(project), other.runId, (state) => ({ ...state, ...held }));
    const runs = sync(project, plan(PLAN, at(2)));
    const holders = runs.filter(({ state }) => state.sessions?.current_session_id === 's');
    expect(holders.map(({ state }) => state.workflow)).toEqual(['Other']);
  });
});

test('damaged source records cost no run', () => {
  const project = makeProject();
  sync(project, localFile(at(2)));
  project.write(`${STATE}/sources.json`, '{"sour');
  sync(project, localFile(at(3)));
  expect(only(project).state.phase.current).toBe(3);
});

test('whatever a source says one after another, reading it twice is reading it once', () => {
  const project = makeProject();
  fc.assert(
    fc.property(fc.array(anySaid(), { minLength: 1, maxLength: 4 }), (sayings) => {
      rmSync(project.at('untracked'), { recursive: true, force: true });
      for (const said of sayings) {
        sync(project, localFile(said));
        const before = project.read(only(project).path);
        sync(project, localFile(said));
        expect(project.read(only(project).path)).toBe(before);
      }
    }),
    { numRuns: repetitions(30) },
  );
});

test('a run follows its plan to another folder with all that the folder names', () => {
  const project = makeProject();
  const declared = (path: string, name: string) =>
    plan(path, aSaid({ required_reading: [`@${path}`, '@a.md'], context: { plan_name: name } }));
  const [run] = sync(project, declared(PLAN, '00007-auth'));
  change(storeOf(project), run?.runId ?? '', (state) => ({
    ...state,
    required_reading: [...state.required_reading, '@mine.md'],
  }));
  sync(project, declared(MOVED, 'Active'));
  const { state } = only(project);
  expect(state.required_reading.toSorted()).toEqual([`@${MOVED}`, '@a.md', '@mine.md'].toSorted());
  expect(state.context).toEqual({ plan_name: 'Active' });
});

test('a plan that was only moved does not move a run that was put back by hand', () => {
  const project = makeProject();
  const [run] = sync(project, plan(PLAN, at(3)));
  change(storeOf(project), run?.runId ?? '', (state) => ({
    ...state,
    phase: { ...state.phase, current: 1 },
  }));
  sync(project, plan(MOVED, at(3)));
  expect(only(project).state.phase.current).toBe(1);
});
