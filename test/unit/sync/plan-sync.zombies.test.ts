import type { SourceFile, SyncInput } from '../../../src/sync/types.ts';
import { describe, expect, test } from 'vitest';
import { forgetSource, recordSources } from '../../../src/sync/source-records.ts';
import { dormantRuns, planSync } from '../../../src/sync/plan-sync.ts';
import type { RunState } from '../../../src/state/types.ts';
import {
  aRun,
  aSaid,
  HERE,
  heldBy,
  LOCAL_FILE,
  localFile,
  minutesBefore,
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

  test('archives the run that only hooks have written', () => {
    const sources = [plan(PLAN, finished)];
    expect(sync({ runs: [run], sources })).toEqual([{ kind: 'archive', source: sources[0], run }]);
  });

  test('leaves a run alone that a person or an agent wrote to', () => {
    const adopted = aRun({ ...fromPlan, adopted: true });
    expect(sync({ runs: [adopted], sources: [plan(PLAN, finished)] })).toEqual([]);
  });

  test('leaves a run alone that a live session holds', () => {
    const sources = [plan(PLAN, finished)];
    expect(sync({ runs: [aRun({ ...fromPlan, ...heldBy('s') })], sources })).toEqual([]);
    const crashed = aRun({ ...fromPlan, ...heldBy('s', { last_seen_at: minutesBefore(13 * 60) }) });
    expect(sync({ runs: [crashed], sources })).toMatchObject([{ kind: 'archive' }]);
  });

  test('leaves the runs of other sources alone, whatever they are called', () => {
    const others = [aRun(fromLocal), aRun({ source: { kind: 'cli' } }), aRun()];
    expect(sync({ runs: others, sources: [plan(PLAN, finished)] })).toEqual([]);
  });

  test('ends of the local file’s runs only the one it names', () => {
    const named = aRun({ workflow: 'Named', ...fromLocal });
    const other = aRun({ workflow: 'Other', ...fromLocal });
    const said = aSaid({ workflow: 'named' });
    const sources = [localFile({ state: 'finished', said })];
    expect(sync({ runs: [other, named], sources })).toMatchObject([
      { kind: 'archive', run: named },
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
      { kind: 'archive', run: { state: { workflow: 'A' } } },
      { kind: 'archive', run: { state: { workflow: 'C' } } },
    ]);
  });

  test('a finished one does not bring back the ended run of another', () => {
    const sources = [section('A', 'finished'), section('B', 'active')];
    expect(sync({ runs: [], sources, sourceRecords })).toMatchObject([{ kind: 'forget' }]);
    const kept = forgetSource(sourceRecords, section('A', 'finished'));
    expect(Object.keys(kept)).toEqual([`${LOCAL_FILE}#b`, `${LOCAL_FILE}#c`]);
    expect(sync({ runs: [], sources, sourceRecords: kept })).toEqual([]);
  });

  test('only a run whose section is gone is dormant', () => {
    const sources = [section('A', 'active'), section('B', 'active')];
    const gone = runs.filter(({ state }) => state.workflow === 'C').map(({ runId }) => runId);
    expect([...dormantRuns({ sources, runs }, { now: NOW, hostname: HERE })]).toEqual(gone);
  });

  test('each active one without a run makes its own', () => {
    const sources = [section('D', 'active'), section('E', 'active')];
    expect(sync({ runs, sources })).toMatchObject([
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

describe('a run that is not restored while its source is gone', () => {
  const isDormant = (state: Partial<RunState>, sources: SourceFile[]): boolean =>
    dormantRuns({ sources, runs: [aRun(state)] }, HERE_AND_NOW).size === 1;

  test('only where its source declares it no longer', () => {
    expect(isDormant(fromPlan, [])).toBe(true);
    expect(isDormant(fromPlan, [plan('CLAUDE/Plan/other/PLAN.md', aSaid())])).toBe(true);
    expect(isDormant(fromPlan, [plan(PLAN, { state: 'inactive' })])).toBe(true);
    expect(isDormant(fromPlan, [plan(PLAN, aSaid({ workflow: 'Renamed' }))])).toBe(false);
    expect(isDormant(fromLocal, [localFile({ state: 'none' })])).toBe(true);
    expect(isDormant(fromLocal, [localFile(aSaid({ workflow: 'Other' }))])).toBe(true);
    expect(isDormant(fromLocal, [localFile(aSaid({ workflow: 'FEATURE' }))])).toBe(false);
  });

  test('a source that cannot be read now decides nothing', () => {
    expect(isDormant(fromPlan, [plan(PLAN, { state: 'unreadable' })])).toBe(false);
  });

  test('never one that somebody wrote to, holds or started', () => {
    expect(isDormant({ ...fromPlan, adopted: true }, [])).toBe(false);
    expect(isDormant({ ...fromPlan, ...heldBy('s') }, [])).toBe(false);
    expect(isDormant({ source: { kind: 'cli' } }, [])).toBe(false);
    expect(isDormant({ source: { kind: 'template', path: 'x.yaml' } }, [])).toBe(false);
    expect(isDormant({}, [])).toBe(false);
  });
});
