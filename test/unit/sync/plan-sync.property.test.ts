import fc from 'fast-check';
import { expect, test } from 'vitest';
import { releaseRun } from '../../../src/sessions/holder.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import type { SourceRecords } from '../../../src/state/store/read-records.ts';
import { outlineOf } from '../../../src/sync/read-plan.ts';
import { planSync, returnedState, sourcesFor } from '../../../src/sync/plan-sync.ts';
import {
  forgetFormerSections,
  forgetRun,
  forgetSource,
  recordAway,
  recordSources,
} from '../../../src/sync/source-records.ts';
import type { SourceFile, SyncInput } from '../../../src/sync/types.ts';
import { slugOf } from '../../../src/util/slug.ts';
import { aRun, aSaid, HERE, heldBy, LOCAL_FILE, NOW } from '../../support/runs.ts';

const PLANS = ['CLAUDE/Plan/1-a/PLAN.md', 'CLAUDE/Plan/2-b/PLAN.md'];

/** A project in memory: what `syncRuns` does with files, done with values. */
class World {
  runs: StoredRun[] = [];
  archive = new Map<string, RunState>();
  records: SourceRecords = {};
  files = new Map<string, SourceFile>();
  clock = NOW.getTime();
  #count = 0;

  input(): SyncInput {
    const sources = [...this.files.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    const now = new Date(this.clock);
    const { runs, records: sourceRecords } = this;
    return { sources, runs, sourceRecords, session: 's', now, hostname: HERE };
  }

  write(path: string, workflow: string, phase: number, state: 'active' | 'finished'): void {
    this.clock += 60_000;
    const said = aSaid({ workflow, phase: { current: phase, total: 9 } });
    const text = `${workflow} ${phase} ${state}`;
    const file = { path, modifiedAt: this.clock };
    this.files.set(
      path,
      path === LOCAL_FILE
        ? { ...file, kind: 'local-file', reading: { state, said } }
        : {
            ...file,
            kind: 'plan',
            reading: state === 'finished' ? { state } : { state, said },
            fingerprint: { digest: text, exists: {}, ...outlineOf(text) },
          },
    );
  }

  sync(): void {
    const merged: Parameters<typeof recordSources>[1][number][] = [];
    const replace = (run: StoredRun, state: RunState): void => {
      this.runs = this.runs.map((other) => (other.runId === run.runId ? { ...run, state } : other));
    };
    for (const change of planSync(this.input())) {
      switch (change.kind) {
        case 'forget':
          this.records = forgetSource(this.records, change.source);
          break;
        case 'record':
          merged.push({ ...change.update, runId: change.run.runId });
          break;
        case 'complete':
          this.records = forgetSource(this.records, change.source);
          merged.push(...change.updates.map((each) => ({ ...each, runId: change.run.runId })));
          this.end(change.run, 'completed');
          break;
        case 'archive':
          this.records = recordAway(this.records, change.run);
          this.end(change.run, 'cancelled');
          break;
        case 'update':
          replace(change.run, change.state);
          merged.push(...change.updates.map((each) => ({ ...each, runId: change.run.runId })));
          break;
        case 'create': {
          const archived = this.archive.get(change.archivedRunId ?? '');
          const [update] = change.updates;
          const isReturn = archived !== undefined && update !== undefined;
          const runId = isReturn ? (change.archivedRunId ?? '') : `run-${(this.#count += 1)}`;
          const state = isReturn ? returnedState(archived, update) : change.state;
          this.archive.delete(runId);
          this.runs.push(aRun(state, { runId, modifiedAt: this.clock }));
          merged.push(...change.updates.map((each) => ({ ...each, runId })));
        }
      }
    }
    this.records = recordSources(forgetFormerSections(this.records, merged), merged);
  }

  end(run: StoredRun, status: 'completed' | 'cancelled'): void {
    this.runs = this.runs.filter(({ runId }) => runId !== run.runId);
    this.archive.set(run.runId, { ...run.state, status });
  }

  edit(change: (state: RunState) => RunState): void {
    this.runs = this.runs.map((run, index) =>
      index === 0 ? { ...run, state: change(run.state) } : run,
    );
  }

  /** What the command `complete` does. */
  complete(): void {
    const [run] = this.runs;
    if (run === undefined) return;
    const merged = sourcesFor(run, this.input()).map((each) => ({ ...each, runId: run.runId }));
    this.records = recordSources(forgetRun(this.records, run.runId), merged);
    this.end(run, 'completed');
  }
}

type Step = (world: World) => void;

/** The label is shown in a counterexample. */
function step(label: string, act: Step): Step {
  return Object.assign((world: World) => act(world), { [fc.toStringMethod]: () => label });
}

const paths = fc.constantFrom(LOCAL_FILE, ...PLANS);
const names = fc.constantFrom('Auth', 'Billing', 'Search');
const edit = (label: string, change: (state: RunState) => RunState): fc.Arbitrary<Step> =>
  fc.constant(step(label, (world) => world.edit(change)));
const writing = fc
  .record({ path: paths, name: names, phase: fc.integer({ min: 1, max: 9 }), isDone: fc.nat(2) })
  .map(({ path, name, phase, isDone }) => {
    const state = isDone === 0 ? 'finished' : 'active';
    return step(`${path}: ${name} ${phase} ${state}`, (world) =>
      world.write(path, name, phase, state),
    );
  });
const steps = fc.oneof(
  { weight: 4, arbitrary: writing },
  paths.map((path) => step(`delete ${path}`, (world) => void world.files.delete(path))),
  edit('hold', (state) => ({ ...state, ...heldBy('s') })),
  edit('release', (state) => releaseRun(state, 's', NOW)),
  edit('adopt', (state) => ({ ...state, adopted: true })),
  fc.constant(step('complete', (world) => world.complete())),
  { weight: 3, arbitrary: fc.constant(step('sync', (world) => world.sync())) },
);
const life = fc.array(steps, { maxLength: 25 });

function live(acts: Step[]): World {
  const world = new World();
  for (const act of acts) act(world);
  return world;
}

test('a sync that follows a sync changes nothing', () => {
  fc.assert(
    fc.property(life, (acts) => {
      const world = live(acts);
      world.sync();
      expect(planSync(world.input())).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('no run is lost: each one is active or in the archive', () => {
  fc.assert(
    fc.property(life, (acts) => {
      const world = live(acts);
      world.sync();
      world.edit((state) => ({ ...state, adopted: true, mine: 'a note' }));
      const [noted] = world.runs;
      for (const path of [LOCAL_FILE, ...PLANS]) world.files.delete(path);
      world.sync();
      world.write(LOCAL_FILE, 'Auth', 1, 'active');
      world.sync();
      if (noted === undefined) return;
      const kept = world.runs.find(({ runId }) => runId === noted.runId);
      expect(kept?.state).toMatchObject({ mine: 'a note', status: noted.state.status });
    }),
    { numRuns: 300 },
  );
});

test('the source that was edited last is what its run says', () => {
  const phase = fc.integer({ min: 1, max: 9 });
  const fedBy = (world: World, path: string): StoredRun[] => {
    const input = world.input();
    return world.runs.filter((run) =>
      sourcesFor(run, input).some(({ source }) => source.path === path),
    );
  };
  const phaseIn = (file: SourceFile | undefined): number | undefined =>
    file?.reading.state === 'active' ? file.reading.said.phase?.current : undefined;
  fc.assert(
    fc.property(life, paths, names, phase, (acts, path, name, current) => {
      const world = live(acts);
      world.sync();
      const before = world.files.get(path);
      const formerly = fedBy(world, path).map(({ runId }) => runId);
      world.write(path, name, current, 'active');
      if (JSON.stringify(before?.reading) === JSON.stringify(world.files.get(path)?.reading))
        return;
      const known = new Set([...world.runs.map(({ runId }) => runId), ...world.archive.keys()]);
      world.sync();
      const fed = fedBy(world, path);
      if (fed.length === 0) {
        // The source was brought back to what it said when its run was completed.
        const ended = [...world.archive.values()].filter(({ workflow }) => workflow === name);
        expect(ended.map(({ status }) => status)).toContain('completed');
        return;
      }
      expect(fed).toHaveLength(1);
      const [run] = fed;
      expect(run?.state.status).toBe('in_progress');
      const hasMoved = formerly.includes(run?.runId ?? '') && phaseIn(before) !== current;
      if (hasMoved || !known.has(run?.runId ?? '')) expect(run?.state.phase.current).toBe(current);
    }),
    { numRuns: 500 },
  );
});

test('a completed run is not created again, whatever its unchanged sources say', () => {
  fc.assert(
    fc.property(life, fc.integer({ min: 1, max: 4 }), (acts, times) => {
      const world = live(acts);
      world.sync();
      const [ended] = world.runs;
      const others = new Set(world.runs.slice(1).map(({ runId }) => runId));
      world.complete();
      for (let turn = 0; turn < times; turn += 1) world.sync();
      const created = world.runs.filter(({ runId }) => !others.has(runId));
      expect(ended === undefined ? [] : created).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('a session never holds two runs because a section was renamed', () => {
  fc.assert(
    fc.property(fc.array(names, { minLength: 1, maxLength: 8 }), (sections) => {
      const world = new World();
      for (const [index, name] of sections.entries()) {
        world.write(LOCAL_FILE, name, 1, 'active');
        world.sync();
        if (index === 0) world.edit((state) => ({ ...state, ...heldBy('s') }));
      }
      const held = world.runs.filter(({ state }) => state.sessions?.current_session_id === 's');
      expect(held.map(({ state }) => slugOf(state.workflow))).toEqual([
        slugOf(sections.at(-1) ?? ''),
      ]);
    }),
    { numRuns: 100 },
  );
});
