import type { SyncInput } from '../../../src/sources/types.ts';
import { describe, expect, test } from 'vitest';
import { planSync, sourcesFor } from '../../../src/sources/plan-sync.ts';
import { recencyOf } from '../../../src/sessions/select-run.ts';
import type { RunState } from '../../../src/state/types.ts';
import {
  aPhase,
  aRun,
  aSaid,
  heldBy,
  LOCAL_FILE,
  localFile,
  minutesBefore,
  NOW,
  plan,
} from '../../support/runs.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const OTHER_PLAN = 'CLAUDE/Plan/00008-auth/PLAN.md';

const input = (fields: Partial<SyncInput>): SyncInput => ({
  sources: [],
  runs: [],
  sourceRecords: {},
  head: '',
  session: null,
  now: NOW,
  ...fields,
});
const sync = (fields: Partial<SyncInput>) =>
  planSync(input(fields)).filter(({ kind }) => kind !== 'records');
const fed = (fields: Partial<SyncInput>) =>
  sync(fields).map((change) => ('run' in change ? change.run.runId : 'new'));
const from = (path: string, said = aSaid()): Partial<RunState> => ({
  source: { kind: path === LOCAL_FILE ? 'local-file' : 'plan', path, said: { ...said } },
});
const ahead = aSaid({ phase: { current: 3, total: 5, name: 'Verify' } });

describe('which run a source feeds', () => {
  test('a plan feeds the run that names it, whatever the run is called by now', () => {
    const run = aRun({ workflow: 'Old title', ...from(PLAN, aSaid({ workflow: 'Old title' })) });
    const alike = aRun({ workflow: 'New title' });
    const sources = [plan(PLAN, aSaid({ workflow: 'New title' }))];
    expect(fed({ runs: [alike, run], sources })).toEqual([run.runId]);
  });

  test('the local file feeds the run that names it and has the same slug', () => {
    const named = aRun({ workflow: 'FEATURE!', ...from(LOCAL_FILE) }, { runId: 'named' });
    const newer = aRun({}, { runId: 'newer', modifiedAt: NOW.getTime() });
    expect(fed({ runs: [newer, named], sources: [localFile(ahead)] })).toEqual(['named']);
  });

  test('the local file feeds its run also after somebody has renamed the run', () => {
    const run = aRun({ workflow: 'Renamed', ...from(LOCAL_FILE), adopted: true });
    expect(fed({ runs: [run], sources: [localFile(ahead)] })).toEqual([run.runId]);
  });

  test('a plan feeds the run whose required reading names it', () => {
    const run = aRun({ workflow: 'Mine', required_reading: [`@./${PLAN}#phase-2`] });
    expect(sync({ runs: [run], sources: [plan(PLAN, ahead)] })).toMatchObject([
      {
        kind: 'update',
        run,
        state: { workflow: 'Mine', adopted: true, source: { path: PLAN }, phase: { current: 3 } },
      },
    ]);
  });

  test.each([7, '7', '00007'])('a plan feeds the run whose plan_number is %j', (number) => {
    const run = aRun({ workflow: 'Mine', context: { plan_number: number } });
    expect(fed({ runs: [run], sources: [plan(PLAN, ahead)] })).toEqual([run.runId]);
  });

  test('of two plans that a run reads, the first feeds it unless its plan_number says otherwise', () => {
    const reading = { workflow: 'Mine', required_reading: [`@${OTHER_PLAN}`, `@${PLAN}`] };
    const sources = [
      plan(PLAN, aSaid({ workflow: 'A' })),
      plan(OTHER_PLAN, aSaid({ workflow: 'B' })),
    ];
    const feeds = (state: Partial<RunState>): unknown => {
      const changes = sync({ runs: [aRun(state)], sources });
      return changes.map((change) =>
        change.kind === 'update' ? change.updates.map(({ source }) => source.path) : change.kind,
      );
    };
    expect(feeds(reading)).toEqual([[OTHER_PLAN], 'create']);
    expect(feeds({ ...reading, context: { plan_number: 7 } })).toEqual([[PLAN], 'create']);
  });

  test('the run of another plan is not taken over because it reads this one', () => {
    const run = aRun({
      workflow: 'Other',
      ...from(OTHER_PLAN, aSaid({ workflow: 'Other', required_reading: [`@${PLAN}`] })),
      required_reading: [`@${PLAN}`],
    });
    const sources = [plan(PLAN, ahead)];
    expect(sync({ runs: [run], sources }).map(({ kind }) => kind)).toEqual(['end', 'create']);
  });

  test('a section and the plan that it names are one run', () => {
    const section = aSaid({ workflow: 'Section', required_reading: [`@${PLAN}`] });
    const sources = [localFile(section), plan(PLAN, ahead)];
    expect(sync({ sources })).toMatchObject([
      { kind: 'create', state: { workflow: 'Section', phase: { current: 3 } } },
    ]);
  });

  test('else the run whose workflow has the same slug, which then names its source', () => {
    const run = aRun({ workflow: 'feature', source: { kind: 'cli' }, adopted: true });
    const [change] = sync({ runs: [run], sources: [localFile(ahead)] });
    expect(change).toMatchObject({
      kind: 'update',
      run,
      state: {
        adopted: true,
        source: { kind: 'local-file', path: LOCAL_FILE, written: true, said: ahead },
        phase: { current: 3, name: 'Verify' },
      },
    });
  });

  test('of several of that name this session’s first', () => {
    const mine = aRun(heldBy('me'), { runId: 'mine' });
    const newer = aRun({}, { runId: 'newer', modifiedAt: NOW.getTime() });
    const runs = [newer, mine];
    expect(fed({ runs, session: 'me', sources: [localFile(ahead)] })).toEqual(['mine']);
    expect(fed({ runs, session: null, sources: [localFile(ahead)] })).toEqual(['newer']);
  });

  test('else a new run, with what the source says', () => {
    const said = aSaid({
      workflow_type: 'qa-loop',
      phase: { current: 2 },
      phases: ['A', 'B', 'C'],
      required_reading: ['@a.md'],
      key_reminders: ['ask'],
      context: { plan_number: 7 },
    });
    const [change] = sync({ sources: [plan(PLAN, said)] });
    expect(change?.kind).toBe('create');
    expect(change).toHaveProperty('state', {
      workflow: 'Feature',
      workflow_type: 'qa-loop',
      phase: { current: 2, total: 3, name: 'B', status: 'in_progress' },
      phase_set_by: 'source',
      phases: ['A', 'B', 'C'],
      required_reading: ['@a.md'],
      key_reminders: ['ask'],
      context: { plan_number: 7 },
      created_at: NOW.toISOString(),
      status: 'in_progress',
      source: { kind: 'plan', path: PLAN, said },
    });
  });

  test('a new run is dated by its source, but never in the future', () => {
    const written = NOW.getTime() - 3_600_000;
    const created = (modifiedAt: number): unknown =>
      sync({ sources: [{ ...plan(PLAN, aSaid()), modifiedAt }] });
    expect(created(written)).toMatchObject([
      { state: { created_at: new Date(written).toISOString() } },
    ]);
    expect(created(NOW.getTime() + 1)).toMatchObject([
      { state: { created_at: NOW.toISOString() } },
    ]);
  });

  test('a source without a type or a phase begins a custom workflow without a total', () => {
    expect(sync({ sources: [localFile(aSaid())] })).toMatchObject([
      {
        state: { workflow_type: 'custom', phase: { current: 1, total: 1, total_known: false } },
      },
    ]);
  });

  test('a completed run is not fed any more', () => {
    const run = aRun({ ...from(LOCAL_FILE), status: 'completed' });
    expect(fed({ runs: [run], sources: [localFile(ahead)] })).toEqual(['new']);
  });

  test('a paused run is, and stays paused', () => {
    const run = aRun({ ...from(LOCAL_FILE), status: 'paused' });
    expect(sync({ runs: [run], sources: [localFile(ahead)] })).toMatchObject([
      { kind: 'update', state: { status: 'paused', phase: { current: 3 } } },
    ]);
  });
});

describe('several plans', () => {
  test('are several runs', () => {
    const sources = [
      plan(PLAN, aSaid({ workflow: 'A' })),
      plan(OTHER_PLAN, aSaid({ workflow: 'B' })),
    ];
    expect(fed({ sources })).toEqual(['new', 'new']);
  });

  test('also when they have one title', () => {
    expect(fed({ sources: [plan(PLAN, aSaid()), plan(OTHER_PLAN, aSaid())] })).toEqual([
      'new',
      'new',
    ]);
    const run = aRun(from(PLAN));
    expect(fed({ runs: [run], sources: [plan(PLAN, aSaid()), plan(OTHER_PLAN, ahead)] })).toEqual([
      'new',
    ]);
  });

  test('of one title do not both take a run that somebody started by hand', () => {
    const run = aRun({ source: { kind: 'cli' } });
    const sources = [plan(PLAN, ahead), plan(OTHER_PLAN, ahead)];
    expect(fed({ runs: [run], sources })).toEqual([run.runId, 'new']);
  });

  test('a plan whose folder was renamed does not begin a second run', () => {
    const run = aRun(from(PLAN));
    expect(fed({ runs: [run], sources: [plan(OTHER_PLAN, ahead)] })).toEqual([run.runId]);
  });
});

describe('what a source changes', () => {
  test('nothing, while it says what it said', () => {
    const run = aRun({ phase: aPhase({ current: 4 }), ...from(LOCAL_FILE, ahead) });
    expect(sync({ runs: [run], sources: [localFile(ahead)] })).toEqual([]);
  });

  test('nothing, while it cannot be read', () => {
    const run = aRun(from(PLAN));
    expect(sync({ runs: [run], sources: [plan(PLAN, { state: 'unreadable' })] })).toEqual([]);
  });

  test('the phase of a run that a template drives is the machine’s', () => {
    const run = aRun({ source: { kind: 'template' }, machine: { status: 'running' } });
    const said = { ...ahead, key_reminders: ['ask'] };
    const [change] = sync({ runs: [run], sources: [localFile(said)] });
    expect(change).toMatchObject({
      kind: 'update',
      state: { phase: run.state.phase, key_reminders: ['ask'], source: { kind: 'template' } },
    });
  });
});

describe('a second source of the same name', () => {
  const planned = aSaid({ phase: { current: 2, total: 5, name: 'Build' } });
  const run = aRun({ phase: aPhase({ current: 2, name: 'Build' }), ...from(PLAN, planned) });
  const marker = aSaid({ phase: { current: 1, total: 5 }, key_reminders: ['ask'] });
  const sources = [localFile(marker), plan(PLAN, planned)];
  const planFed = { [PLAN]: { run_id: run.runId, said: { ...planned } } };
  const bothFed = (runId = run.runId): SyncInput['sourceRecords'] => ({
    ...planFed,
    [`${LOCAL_FILE}#feature`]: { run_id: runId, said: { ...marker } },
  });

  test('adds to the run and does not become its source', () => {
    expect(sync({ runs: [run], sources, sourceRecords: planFed })).toMatchObject([
      {
        kind: 'update',
        run,
        state: { ...run.state, key_reminders: ['ask'] },
      },
    ]);
  });

  test('that appears together with it begins one run with it', () => {
    expect(sync({ sources })).toMatchObject([
      { kind: 'create', state: { phase: { current: 2, name: 'Build' }, key_reminders: ['ask'] } },
    ]);
  });

  test('that changes together with it changes one run, also where nothing is remembered', () => {
    const both = [
      localFile({ ...marker, key_reminders: ['ask', 'now'] }),
      plan(PLAN, { ...planned, phase: { current: 3, total: 5, name: 'Verify' } }),
    ];
    expect(sync({ runs: [run], sources: both, sourceRecords: {} })).toMatchObject([
      {
        kind: 'update',
        run,
        state: { phase: { current: 3, name: 'Verify' }, key_reminders: ['ask', 'now'] },
      },
    ]);
  });

  test('then asks for nothing more', () => {
    const merged = { ...run, state: { ...run.state, key_reminders: ['ask'] } };
    expect(sync({ runs: [merged], sources, sourceRecords: bothFed() })).toEqual([]);
  });

  test('wins where it changed since, and only there', () => {
    const merged = { ...run, state: { ...run.state, key_reminders: [] } };
    const moved = { ...marker, phase: { current: 3, total: 5, name: 'Verify' } };
    const changed = [localFile(moved), plan(PLAN, planned)];
    expect(sync({ runs: [merged], sources: changed, sourceRecords: bothFed() })).toMatchObject([
      { state: { phase: { current: 3, name: 'Verify' }, key_reminders: [] } },
    ]);
  });

  test('wins over the other if both changed and it was written last', () => {
    const moved = (current: number) => ({ ...planned, phase: { current, total: 5 } });
    const sourcesAt = (local: number, planTime: number) => [
      { ...localFile({ ...marker, ...moved(4) }), modifiedAt: local },
      { ...plan(PLAN, moved(3)), modifiedAt: planTime },
    ];
    const phaseAfter = (local: number, planTime: number): unknown =>
      sync({ runs: [run], sources: sourcesAt(local, planTime), sourceRecords: bothFed() });
    expect(phaseAfter(2, 1)).toMatchObject([{ state: { phase: { current: 4 } } }]);
    expect(phaseAfter(1, 2)).toMatchObject([{ state: { phase: { current: 3 } } }]);
  });

  test('stays with the run that it was merged into, although a newer one has its name', () => {
    const newer = aRun({ source: { kind: 'cli' } }, { runId: 'newer', modifiedAt: NOW.getTime() });
    const merged = { ...run, state: { ...run.state, workflow: 'Renamed', key_reminders: ['ask'] } };
    expect(sync({ runs: [newer, merged], sources, sourceRecords: bothFed() })).toEqual([]);
  });

  test('what it said about a run that has ended is no base', () => {
    const edited = [localFile({ ...marker, key_reminders: ['ask', 'now'] }), plan(PLAN, planned)];
    expect(sync({ runs: [run], sources: edited, sourceRecords: bothFed('ended') })).toMatchObject([
      { state: { key_reminders: ['ask', 'now'] } },
    ]);
  });

  test('adds nothing if its own run has ended and it has not changed since', () => {
    expect(sync({ runs: [run], sources, sourceRecords: bothFed('ended') })).toEqual([]);
  });
});

test('the sources that feed a run are found, both of them', () => {
  const run = aRun(from(PLAN));
  const sources = [localFile(aSaid()), plan(PLAN, aSaid()), plan(OTHER_PLAN, aSaid())];
  const found = sourcesFor(run, input({ runs: [run], sources }));
  expect(found.map(({ source }) => source.path)).toEqual([LOCAL_FILE, PLAN]);
});

test('how recent a run is: the later of updated_at and the file’s own time', () => {
  const written = Date.parse(minutesBefore(10));
  const touched = Date.parse(minutesBefore(5));
  expect(recencyOf(aRun({ updated_at: minutesBefore(10) }, { modifiedAt: touched }))).toBe(touched);
  expect(recencyOf(aRun({ updated_at: minutesBefore(10) }, { modifiedAt: 1 }))).toBe(written);
  expect(recencyOf(aRun({ updated_at: 'yesterday' }, { modifiedAt: touched }))).toBe(touched);
});
