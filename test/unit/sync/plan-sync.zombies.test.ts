import type { SourceFile, SyncInput } from '../../../src/sync/types.ts';
import { describe, expect, test } from 'vitest';
import { outlineOf } from '../../../src/sync/read-plan.ts';
import { forgetSource, recordAway, recordSources } from '../../../src/sync/source-records.ts';
import { planSync } from '../../../src/sync/plan-sync.ts';
import type { RunState } from '../../../src/state/types.ts';
import {
  aPhase,
  aRun,
  aSaid,
  HERE,
  heldBy,
  LOCAL_FILE,
  localFile,
  NOW,
  plan,
} from '../../support/runs.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const finished = { state: 'finished' } as const;
const fromPlan: Partial<RunState> = { source: { kind: 'plan', path: PLAN } };
const fromLocal: Partial<RunState> = { source: { kind: 'local-file', path: LOCAL_FILE } };

const HERE_AND_NOW = { now: NOW, hostname: HERE };

const sync = (fields: Partial<SyncInput>) =>
  planSync({
    sources: [],
    runs: [],
    sourceRecords: {},
    session: null,
    ...HERE_AND_NOW,
    ...fields,
  });

describe('a source that says finished', () => {
  const run = aRun(fromPlan);

  test('completes the run that only hooks have written', () => {
    const sources = [plan(PLAN, finished)];
    expect(sync({ runs: [run], sources })).toEqual([
      { kind: 'complete', source: sources[0], run, updates: [] },
    ]);
  });

  test('completes it also if a live session holds it', () => {
    const held = aRun({ ...fromPlan, ...heldBy('s') });
    expect(sync({ runs: [held], sources: [plan(PLAN, finished)] })).toMatchObject([
      { kind: 'complete', run: held },
    ]);
  });

  test('does not end a run that a person or an agent wrote to', () => {
    const adopted = aRun({ ...fromPlan, adopted: true });
    expect(sync({ runs: [adopted], sources: [plan(PLAN, finished)] })).toEqual([]);
  });

  test('does not end a run whose state file was edited by hand', () => {
    const said = aSaid({ phase: { current: 2, total: 5 } });
    const source = { kind: 'plan', path: PLAN, said: { ...said } } as const;
    const untouched = aRun({ source, phase: aPhase({ current: 2 }) });
    const moved = aRun({ source, phase: aPhase({ current: 3 }) });
    const noted = aRun({ source, phase: aPhase({ current: 2 }), key_reminders: ['ask'] });
    const sources = [plan(PLAN, finished)];
    expect(sync({ runs: [untouched], sources })).toMatchObject([{ kind: 'complete' }]);
    expect(sync({ runs: [moved], sources })).toEqual([]);
    expect(sync({ runs: [noted], sources })).toEqual([]);
  });

  test('also completes a run that has another source, unless that one is newer', () => {
    const said = aSaid({ phase: { current: 2, total: 5 } });
    const fed = aRun({
      phase: aPhase({ current: 2 }),
      source: { kind: 'plan', path: PLAN, said: { ...said } },
    });
    const sourceRecords = recordSources({}, [
      { source: plan(PLAN, said), declared: said, runId: fed.runId },
      { source: localFile(said), declared: said, runId: fed.runId },
    ]);
    const done = { ...plan(PLAN, finished), modifiedAt: 5 };
    const stale = { ...localFile(said), modifiedAt: 9 };
    expect(sync({ runs: [fed], sources: [stale, done], sourceRecords })).toMatchObject([
      { kind: 'complete', run: fed },
      { kind: 'forget' },
    ]);
    const edited = localFile({ ...said, phase: { current: 3, total: 5 } });
    for (const [modifiedAt, kind] of [
      [9, 'update'],
      [1, 'complete'],
    ] as const) {
      const sources = [{ ...edited, modifiedAt }, done];
      expect(sync({ runs: [fed], sources, sourceRecords })[0]).toMatchObject({ kind });
    }
  });

  test('leaves the runs of other sources alone, whatever they are called', () => {
    const others = [aRun(fromLocal), aRun({ source: { kind: 'cli' } }), aRun()];
    const sources = [localFile(aSaid()), plan(PLAN, finished)];
    expect(sync({ runs: others, sources }).filter(({ kind }) => kind === 'complete')).toEqual([]);
  });

  test('ends of the local file’s runs only the one it names', () => {
    const named = aRun({ workflow: 'Named', ...fromLocal });
    const other = aRun({ workflow: 'Other', ...fromLocal });
    const said = aSaid({ workflow: 'named' });
    const sources = [localFile({ state: 'finished', said })];
    expect(sync({ runs: [other, named], sources })).toMatchObject([
      { kind: 'archive', run: other },
      { kind: 'complete', run: named },
    ]);
  });
});

describe('several sections in the local file', () => {
  const section = (workflow: string, state: 'active' | 'finished') =>
    localFile({ state, said: aSaid({ workflow }) });
  const runs = ['A', 'B', 'C'].map((workflow) =>
    aRun({
      workflow,
      source: { kind: 'local-file', path: LOCAL_FILE, said: { ...aSaid({ workflow }) } },
    }),
  );
  const sourceRecords = recordSources(
    {},
    runs.map((run) => {
      const said = aSaid({ workflow: run.state.workflow });
      return { source: localFile(said), declared: said, runId: run.runId };
    }),
  );

  test('each finished one ends its own run', () => {
    const sources = [section('A', 'finished'), section('B', 'active'), section('C', 'finished')];
    const changes = sync({ runs, sources });
    expect(changes).toMatchObject([
      { kind: 'complete', run: { state: { workflow: 'A' } } },
      { kind: 'complete', run: { state: { workflow: 'C' } } },
    ]);
  });

  test('a finished one does not bring back the ended run of another', () => {
    const sources = [section('A', 'finished'), section('B', 'active')];
    expect(sync({ runs: [], sources, sourceRecords })).toMatchObject([{ kind: 'forget' }]);
    const kept = forgetSource(sourceRecords, section('A', 'finished'));
    expect(Object.keys(kept)).toEqual([`${LOCAL_FILE}#b`, `${LOCAL_FILE}#c`]);
    expect(sync({ runs: [], sources, sourceRecords: kept })).toEqual([]);
  });

  test('only the run whose section is gone is archived', () => {
    const sources = [section('A', 'active'), section('B', 'active')];
    expect(sync({ runs, sources, sourceRecords })).toMatchObject([
      { kind: 'archive', run: { state: { workflow: 'C' } } },
    ]);
  });

  test('each active one without a run makes its own', () => {
    const sources = [section('D', 'active'), section('E', 'active')];
    expect(sync({ sources })).toMatchObject([
      { kind: 'create', state: { workflow: 'D' } },
      { kind: 'create', state: { workflow: 'E' } },
    ]);
  });
});

describe('a run that ended or was deleted', () => {
  const said = aSaid({ phase: { current: 2 }, context: { a: 1, b: 2 } });
  const moved = { ...said, phase: { current: 3 } };

  const after = (...merged: SourceFile[]): SyncInput['sourceRecords'] =>
    recordSources(
      {},
      merged.map((source) => ({ source, declared: said, runId: 'former' })),
    );

  test.each([localFile(said), plan(PLAN, said)])(
    'is not created again while the $kind says what it said',
    (source) => {
      const sourceRecords = after(source);
      expect(sync({ sources: [source], sourceRecords })).toEqual([]);
      const reordered = { ...said, context: { b: 2, a: 1 } };
      const same = { ...source, reading: { state: 'active' as const, said: reordered } };
      expect(sync({ sources: [same], sourceRecords })).toEqual([]);
    },
  );

  test('is created again once its source says something else', () => {
    const sourceRecords = after(plan(PLAN, said));
    expect(sync({ sources: [plan(PLAN, moved)], sourceRecords })).toMatchObject([
      { kind: 'create', state: { phase: { current: 3 } } },
    ]);
  });

  test('does not keep the local file from declaring another workflow', () => {
    const sourceRecords = after(localFile(said));
    const other = { ...said, workflow: 'Another' };
    expect(sync({ sources: [localFile(other)], sourceRecords })).toMatchObject([
      { kind: 'create' },
    ]);
  });

  test('may come back with the same words after its source said finished', () => {
    const sourceRecords = forgetSource(
      after(plan(PLAN, said), localFile(said)),
      plan(PLAN, finished),
    );
    expect(sync({ sources: [localFile(said)], sourceRecords })).toEqual([]);
    expect(sync({ sources: [plan(PLAN, said)], sourceRecords })).toMatchObject([
      { kind: 'create' },
    ]);
  });
});

describe('only ticks were added since the run ended', () => {
  const said = aSaid({ phase: { current: 2 } });
  const text = '# Plan\n\n## Phase 1 ✅\n- [x] a\n- [ ] b\n';
  const planOf = (content: string, declared = said): SourceFile => ({
    ...plan(PLAN, declared),
    fingerprint: { digest: content, exists: {}, ...outlineOf(content) },
  });
  const sourceRecords = recordSources({}, [
    { source: planOf(text), declared: said, runId: 'former' },
  ]);
  const starts = (content: string, declared = said): boolean =>
    sync({ sources: [planOf(content, declared)], sourceRecords }).length > 0;
  const advanced = aSaid({ phase: { current: 3 } });

  test('then no run is created', () => {
    expect(starts(text)).toBe(false);
    expect(starts(text.replace('[ ] b', '[x] b'), advanced)).toBe(false);
    expect(starts(text.replace('[ ] b', '[✓] b ✅'), advanced)).toBe(false);
  });

  test('an unticked box or any other edit starts a new one', () => {
    expect(starts(text.replace('[x] a', '[ ] a'))).toBe(true);
    expect(starts(`${text}- [ ] c\n`)).toBe(true);
    expect(starts(text.replace('Phase 1', 'Phase one'), advanced)).toBe(true);
  });

  test('a section that is marked completed counts as ticked', () => {
    const section = aSaid({ phase: { current: 2, total: 3, name: 'B' } });
    const records = recordSources({}, [
      { source: localFile(section), declared: section, runId: 'former' },
    ]);
    const ticked = aSaid({ phase: { current: 2, total: 3, name: 'B', status: 'completed' } });
    expect(sync({ sources: [localFile(ticked)], sourceRecords: records })).toEqual([]);
    const moved = aSaid({ phase: { current: 3, total: 3, name: 'C' } });
    expect(sync({ sources: [localFile(moved)], sourceRecords: records })).toHaveLength(1);
  });

  test('a plan that was edited without declaring anything else is recorded', () => {
    const run = aRun(
      { source: { kind: 'plan', path: PLAN, said: { ...said } }, phase: aPhase({ current: 2 }) },
      { runId: 'former' },
    );
    const edited = planOf(`${text}More.\n`);
    const [change, ...more] = sync({ runs: [run], sources: [edited], sourceRecords });
    expect(change).toEqual({ kind: 'record', run, update: { source: edited, declared: said } });
    expect(more).toEqual([]);
  });
});

describe('a source that is gone', () => {
  const kinds = (state: Partial<RunState>, sources: SourceFile[]): string[] =>
    sync({ runs: [aRun(state)], sources }).map(({ kind }) => kind);

  test('archives the run that only hooks have written, also if a live session holds it', () => {
    expect(kinds(fromPlan, [])).toEqual(['archive']);
    expect(kinds({ ...fromPlan, ...heldBy('s') }, [])).toEqual(['archive']);
    expect(kinds(fromPlan, [plan(PLAN, { state: 'inactive' })])).toEqual(['archive']);
    expect(kinds(fromLocal, [])).toEqual(['archive']);
    expect(kinds(fromLocal, [localFile({ state: 'none' })])).toEqual(['archive']);
  });

  test('is named as the reason', () => {
    expect(sync({ runs: [aRun(fromPlan)] })).toMatchObject([
      { reason: { kind: 'gone', path: PLAN } },
    ]);
    expect(sync({ runs: [aRun(fromLocal)] })).toMatchObject([
      { reason: { kind: 'not_declared', path: LOCAL_FILE } },
    ]);
  });

  test('ends nothing if the file only cannot be read', () => {
    expect(kinds(fromPlan, [plan(PLAN, { state: 'unreadable' })])).toEqual([]);
    expect(kinds(fromLocal, [localFile({ state: 'unreadable' })])).toEqual([]);
  });

  test('ends no run that somebody wrote to or that comes from no file', () => {
    expect(kinds({ ...fromPlan, adopted: true }, [])).toEqual([]);
    expect(kinds({ source: { kind: 'cli' } }, [])).toEqual([]);
    expect(kinds({ source: { kind: 'template', path: 'x.yaml' } }, [])).toEqual([]);
    expect(kinds({}, [])).toEqual([]);
  });

  test('brings its run back from the archive when it returns, whatever it says then', () => {
    const said = aSaid({ phase: { current: 2 } });
    const run = aRun({ source: { kind: 'plan', path: PLAN, said: { ...said } } });
    const sourceRecords = recordAway({}, run);
    expect(sync({ sources: [plan(PLAN, said)], sourceRecords })).toMatchObject([
      { kind: 'create', archivedRunId: run.runId },
    ]);
    const moved = aSaid({ phase: { current: 3 } });
    expect(sync({ sources: [plan(PLAN, moved)], sourceRecords })).toMatchObject([
      { kind: 'create', archivedRunId: run.runId },
    ]);
  });
});
