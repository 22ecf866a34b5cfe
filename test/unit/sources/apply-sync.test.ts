import type { SourceFile } from '../../../src/sources/types.ts';
import { describe, expect, test } from 'vitest';
import { syncRuns } from '../../../src/sources/apply-sync.ts';
import type { Run } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import {
  aSaid,
  heldBy,
  HERE,
  localFile,
  NOW,
  plan,
} from '../../support/runs.ts';
import { change, createRun, STATE, storeOf } from '../../support/store.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const MOVED = 'CLAUDE/Plan/Active/00007-auth/PLAN.md';

const sync = (project: Project, ...sources: SourceFile[]): readonly Run[] => {
  const store = storeOf(project);
  const { runs, unreadable } = store.list();
  const sourceRecords = store.sourceRecords();
  const place = { session: null, now: NOW, hostname: HERE, head: '' };
  const input = { sources, runs, sourceRecords, ...place };
  return syncRuns(store, input, { by: 'test', unreadable });
};
const only = (project: Project): Run => {
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
    change(storeOf(project), run?.runId ?? '', (state) => ({
      ...state,
      ...held,
    }));
    sync(project);
    const other = createRun(storeOf(project), { workflow: 'Other' });
    change(storeOf(project), other.runId, (state) => ({ ...state, ...held }));
    const runs = sync(project, plan(PLAN, at(2)));
    const holders = runs.filter(
      ({ state }) => state.sessions?.current_session_id === 's',
    );
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

test('a run follows its plan to another folder with all that the folder names', () => {
  const project = makeProject();
  const declared = (path: string, name: string) =>
    plan(
      path,
      aSaid({
        required_reading: [`@${path}`, '@a.md'],
        context: { plan_name: name },
      }),
    );
  const [run] = sync(project, declared(PLAN, '00007-auth'));
  change(storeOf(project), run?.runId ?? '', (state) => ({
    ...state,
    required_reading: [...state.required_reading, '@mine.md'],
  }));
  sync(project, declared(MOVED, 'Active'));
  const { state } = only(project);
  expect(state.required_reading.toSorted()).toEqual(
    [`@${MOVED}`, '@a.md', '@mine.md'].toSorted(),
  );
  expect(state.context).toEqual({ plan_name: 'Active' });
});
