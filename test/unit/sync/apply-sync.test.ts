import type { SourceFile } from '../../../src/sync/types.ts';
import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { syncRuns } from '../../../src/sync/apply-sync.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { anySaid } from '../../support/arbitraries.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aPhase, aSaid, heldBy, HERE, localFile, NOW, plan } from '../../support/runs.ts';
import { ARCHIVE, change, createRun, STATE, storeOf } from '../../support/store.ts';
import { repetitions } from '../../support/repetitions.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const MOVED = 'CLAUDE/Plan/Active/00007-auth/PLAN.md';

const sync = (project: Project, ...sources: SourceFile[]): readonly StoredRun[] => {
  const store = storeOf(project);
  const { runs, unreadable } = store.list();
  const sourceRecords = store.sourceRecords();
  const input = { sources, runs, sourceRecords, session: null, now: NOW, hostname: HERE };
  return syncRuns(store, input, { by: 'test', unreadable });
};
const revisions = (project: Project): unknown[] =>
  storeOf(project)
    .list()
    .runs.map(({ runId, state }) => [runId, state.revision]);
const only = (project: Project): StoredRun => {
  const { runs } = storeOf(project).list();
  expect(runs).toHaveLength(1);
  return runs[0] ?? expect.fail('there is no run');
};
const at = (current: number) => aSaid({ phase: { current, total: 5 } });

test('where nothing is declared nothing is written', () => {
  const project = makeProject();
  expect(sync(project, localFile({ state: 'none' }), plan(PLAN, { state: 'inactive' }))).toEqual(
    [],
  );
  expect(project.names('.')).toEqual([]);
});

test('a declared workflow becomes a run, and its journal tells how', () => {
  const project = makeProject();
  const [run] = sync(project, localFile(at(2)));
  expect(run).toEqual({ ...only(project), modifiedAt: run?.modifiedAt });
  expect(run?.state).toMatchObject({ phase: { current: 2 }, revision: 1 });
  expect(storeOf(project).journal(only(project))).toMatchObject([
    { event: 'detected', by: 'test', source: 'CLAUDE.local.md' },
  ]);
});

test('while the source says the same nothing is written', () => {
  const project = makeProject();
  sync(project, localFile(at(2)));
  const before = project.read(only(project).path);
  expect(sync(project, localFile(at(2)))).toHaveLength(1);
  expect(project.read(only(project).path)).toBe(before);
});

test('a stale marker does not pull the phase back, a moved one leads', () => {
  const project = makeProject();
  const [run] = sync(project, localFile(at(2)));
  change(storeOf(project), run?.runId ?? '', (state) => ({
    ...state,
    phase: aPhase({ current: 4 }),
  }));
  sync(project, localFile(at(2)));
  sync(project, localFile({ ...at(2), key_reminders: ['edited elsewhere'] }));
  expect(only(project).state.phase.current).toBe(4);
  sync(project, localFile(at(5)));
  expect(only(project).state.phase.current).toBe(5);
});

test('an entry that the person removed stays removed, however often the source is read', () => {
  const project = makeProject();
  const said = aSaid({ required_reading: ['@a.md', '@b.md'] });
  const [run] = sync(project, localFile(said));
  change(storeOf(project), run?.runId ?? '', (state) => ({
    ...state,
    required_reading: ['@b.md'],
  }));
  sync(project, localFile(said));
  sync(project, localFile({ ...said, key_reminders: ['more'] }));
  expect(only(project).state).toMatchObject({
    required_reading: ['@b.md'],
    key_reminders: ['more'],
  });
});

describe('several sources', () => {
  test('two plans of one title are two runs, and stay two', () => {
    const project = makeProject();
    const both = [plan(PLAN, at(1)), plan(MOVED, at(3))];
    expect(sync(project, ...both)).toHaveLength(2);
    const before = revisions(project);
    sync(project, ...both.toReversed());
    expect(revisions(project)).toEqual(before);
    sync(project, plan(PLAN, at(2)), plan(MOVED, at(3)));
    const phases = storeOf(project)
      .list()
      .runs.map(({ state }) => state.phase.current);
    expect(new Set(phases)).toEqual(new Set([2, 3]));
  });

  test('a plan and a local file of its name feed one run and do not take turns', () => {
    const project = makeProject();
    const planned = plan(PLAN, at(3));
    const marker = localFile({ ...at(1), key_reminders: ['ask'] });
    sync(project, planned);
    sync(project, marker, planned);
    const settled = revisions(project);
    for (let turn = 0; turn < 4; turn += 1) sync(project, marker, planned);
    expect(revisions(project)).toEqual(settled);
    expect(only(project).state).toMatchObject({
      phase: { current: 3 },
      key_reminders: ['ask'],
      source: { kind: 'plan', path: PLAN },
    });
  });

  test('a second source that adds nothing is remembered as well', () => {
    const project = makeProject();
    const said = aSaid({ required_reading: ['@a.md'] });
    const [run] = sync(project, plan(PLAN, said));
    sync(project, localFile(said), plan(PLAN, said));
    change(storeOf(project), run?.runId ?? '', (state) => ({ ...state, required_reading: [] }));
    sync(project, localFile(said), plan(PLAN, said));
    expect(only(project).state.required_reading).toEqual([]);
  });

  test('a plan that was moved does not begin a second run, and still leads', () => {
    const project = makeProject();
    sync(project, plan(PLAN, at(2)));
    sync(project, plan(MOVED, at(2)));
    sync(project, plan(MOVED, at(4)));
    expect(only(project).state.phase.current).toBe(4);
  });
});

describe('a source that goes away', () => {
  test('archives its run with the reason, and brings it back when it returns', () => {
    const project = makeProject();
    const [run] = sync(project, plan(PLAN, at(2)));
    const runId = run?.runId ?? '';
    expect(sync(project)).toEqual([]);
    expect(project.json(`${ARCHIVE}/${runId}.json`)).toMatchObject({
      status: 'cancelled',
      status_reason: `${PLAN} is gone`,
    });
    expect(sync(project)).toEqual([]);

    sync(project, plan(PLAN, at(3)));
    const back = only(project);
    expect(back).toMatchObject({
      runId,
      path: run?.path,
      state: { status: 'in_progress', phase: { current: 3 } },
    });
    expect(back.state).not.toHaveProperty('status_reason');
    expect(project.names(ARCHIVE).filter((name) => name !== '.gitignore')).toEqual([]);
    const events = storeOf(project).journal(back);
    expect(events.map(({ event }) => event)).toEqual(['detected', 'archived', 'returned']);
  });

  test('keeps what a person wrote before the run was archived', () => {
    const project = makeProject();
    const [run] = sync(project, localFile(at(2)));
    change(storeOf(project), run?.runId ?? '', (state) => ({ ...state, mine: 'kept' }));
    sync(project, localFile({ state: 'none' }));
    sync(project, localFile(at(2)));
    expect(only(project).state).toMatchObject({ run_id: run?.runId, mine: 'kept' });
  });

  test('starts a new run if the archive was emptied meanwhile', () => {
    const project = makeProject();
    sync(project, plan(PLAN, at(2)));
    sync(project);
    rmSync(project.at(ARCHIVE), { recursive: true });
    sync(project, plan(PLAN, at(2)));
    expect(only(project).state.phase.current).toBe(2);
  });

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

test('a renamed section keeps its run, and its old name is forgotten', () => {
  const project = makeProject();
  const named = (workflow: string) => localFile(aSaid({ workflow, required_reading: ['@a.md'] }));
  const [run] = sync(project, named('Featur'));
  sync(project, named('Feature'));
  expect(only(project)).toMatchObject({
    runId: run?.runId,
    path: run?.path,
    state: { workflow: 'Feature' },
  });
  expect(Object.keys(storeOf(project).sourceRecords())).toEqual(['CLAUDE.local.md#feature']);
  sync(project, named('Featur'));
  expect(only(project)).toMatchObject({ runId: run?.runId, state: { workflow: 'Featur' } });
});

test('a section that is renamed and set back in one edit moves the run back', () => {
  const project = makeProject();
  const said = (workflow: string, current: number) =>
    aSaid({ workflow, phase: { current, total: 9 } });
  sync(project, plan(PLAN, said('Billing', 1)));
  sync(project, plan(PLAN, said('Search', 1)), localFile(said('Billing', 2)));
  expect(only(project).state.phase.current).toBe(2);
  sync(project, plan(PLAN, said('Search', 1)), localFile(said('Search', 1)));
  expect(only(project).state.phase.current).toBe(1);
});

test('a run is named after the time of its source', () => {
  const project = makeProject();
  const modifiedAt = Date.parse('2025-05-20T10:11:12.345Z');
  const [run] = sync(project, { ...plan(PLAN, at(2)), modifiedAt });
  expect(run).toMatchObject({
    runId: 'feature-20250520_101112',
    state: { created_at: '2025-05-20T10:11:12.345Z' },
  });
});

describe('no zombies', () => {
  test('a run whose folder was deleted comes back only with other words', () => {
    const project = makeProject();
    sync(project, localFile(at(2)));
    rmSync(project.at(`${STATE}/feature`), { recursive: true });
    expect(sync(project, localFile(at(2)))).toEqual([]);
    expect(sync(project, localFile(at(3)))).toMatchObject([{ state: { phase: { current: 3 } } }]);
  });

  test('nor a run that was completed', () => {
    const project = makeProject();
    const [run] = sync(project, plan(PLAN, at(2)));
    storeOf(project).transaction((tx) => {
      const { state } = run ?? expect.fail('there is no run');
      tx.end(only(project), state, { event: 'completed' }, { purge: true });
    });
    expect(sync(project, plan(PLAN, at(2)))).toEqual([]);
    expect(sync(project, plan(PLAN, at(3)))).toHaveLength(1);
  });

  test('a finished plan archives its run; taken up again it begins another', () => {
    const project = makeProject();
    const [run] = sync(project, plan(PLAN, at(2)));
    expect(sync(project, plan(PLAN, { state: 'finished' }))).toEqual([]);
    expect(project.json(`${ARCHIVE}/${run?.runId}.json`)).toMatchObject({ status: 'completed' });
    sync(project, plan(PLAN, at(2)));
    expect(only(project).runId).not.toBe(run?.runId);
  });

  test('a finished plan does not archive the run that somebody wrote to', () => {
    const project = makeProject();
    const [run] = sync(project, plan(PLAN, at(2)));
    change(storeOf(project), run?.runId ?? '', (state) => ({ ...state, adopted: true }));
    expect(sync(project, plan(PLAN, { state: 'finished' }))).toHaveLength(1);
  });
});

test('a file that cannot be read is set aside even where no source changed', () => {
  const bad = `${STATE}/bad/state-bad.json`;
  const project = makeProject({ [bad]: '{' });
  createRun(storeOf(project));
  project.write(bad, '{"half');
  expect(sync(project)).toHaveLength(1);
  expect(project.exists(bad)).toBe(false);
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

test('a plan that moved takes its run along, and may finish at its new place', () => {
  const project = makeProject();
  sync(project, plan(PLAN, at(2)));
  sync(project, plan(MOVED, at(2)));
  expect(only(project).state.source).toMatchObject({ kind: 'plan', path: MOVED });
  sync(project, plan(MOVED, { state: 'finished' }));
  expect(storeOf(project).list().runs).toEqual([]);
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

test('a run that another source still declares is not archived with its finished plan', () => {
  const project = makeProject();
  sync(project, plan(PLAN, at(1)));
  sync(project, localFile(at(2)), plan(PLAN, { state: 'finished' }));
  expect(only(project).state.phase.current).toBe(2);
});

test('of many workflows that are new at once a look makes two hundred, and the next ones the rest', () => {
  const project = makeProject();
  const sources = Array.from({ length: 220 }, (_, index) => {
    const said = aSaid({ workflow: `Work ${index}` });
    return plan(`CLAUDE/Plan/${index}-work/PLAN.md`, { state: 'active', said });
  });
  expect(sync(project, ...sources)).toHaveLength(200);
  expect(sync(project, ...sources)).toHaveLength(220);
  expect(storeOf(project).list().runs).toHaveLength(220);
});
