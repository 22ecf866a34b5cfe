import {
  hold,
  holderOf,
  withoutBusyHolder,
} from '../../src/sessions/holder.ts';
import { applyEdits } from '../../src/state/edits.ts';
import { advancePhase } from '../../src/state/phases.ts';
import type { SourceRecords } from '../../src/state/store/source-records-file.ts';
import type { RunState, Run } from '../../src/state/types.ts';
import {
  planSync,
  returnedState,
  sourcesByRun,
} from '../../src/sources/plan-sync.ts';
import {
  recordEnd,
  recordsAfter,
  recordSources,
} from '../../src/sources/source-records.ts';
import type {
  DeclaredWorkflow,
  SourceFile,
  SourceStatus,
  SyncInput,
} from '../../src/sources/types.ts';
import { slugOf } from '../../src/text/slug.ts';
import { aRun, aSaid, HERE, LOCAL_FILE, NO_EDITS, NOW } from './runs.ts';

/** A project in memory, with branches: what `syncRuns` and the commands do with files, done with values. */
export class SourceWorld {
  runs: Run[] = [];
  archive = new Map<string, RunState>();
  records: SourceRecords = {};
  /** What sessions were told, each as `session: text`. */
  told: string[] = [];
  clock = NOW.getTime();
  head = 'main';
  readonly #branches = new Map<string, Map<string, SourceFile[]>>([
    ['main', new Map()],
  ]);
  #count = 0;

  get files(): Map<string, SourceFile[]> {
    return this.#branches.get(this.head) ?? new Map<string, SourceFile[]>();
  }

  get input(): SyncInput {
    const sources = [...this.files.values()].flat();
    return {
      sources: sources.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
      runs: this.runs,
      sourceRecords: this.records,
      head: this.head,
      session: null,
      now: new Date(this.clock),
    };
  }

  /** Sections of the local file, or a plan; an empty list is a file that declares nothing. */
  write(path: string, ...readings: SourceStatus[]): void {
    this.clock += 60_000;
    const shown =
      readings.length === 0 ? [{ state: 'none' } as const] : readings;
    const kind = path === LOCAL_FILE ? 'local-file' : 'plan';
    this.files.set(
      path,
      shown.map((reading) => ({
        kind,
        path,
        ...reading,
        modifiedAt: this.clock,
      })),
    );
  }

  /** A new branch starts with the files of the one that was checked out. */
  checkout(branch: string): void {
    if (!this.#branches.has(branch))
      this.#branches.set(branch, new Map(this.files));
    this.head = branch;
  }

  sync(): void {
    this.clock += 1_000;
    const { input } = this;
    const { changes, records } = planSync(input);
    this.records = records;
    for (const change of changes) {
      const { run } = change;
      let runId = run?.runId ?? '';
      if (change.kind === 'update') this.put(change.run, change.state);
      if (change.kind === 'end') this.#end(change.run, change.state);
      if (change.kind === 'create') {
        const archived = this.archive.get(change.archivedRunId ?? '');
        const [update] = change.updates;
        const isReturn = archived !== undefined && update !== undefined;
        runId = isReturn
          ? (change.archivedRunId ?? '')
          : `run-${(this.#count += 1)}`;
        const state = isReturn
          ? withoutBusyHolder(returnedState(archived, update), this.runs)
          : change.state;
        this.archive.delete(runId);
        this.runs.push(aRun(state, { runId, modifiedAt: this.clock }));
      }
      this.records = recordsAfter(this.records, [{ change, runId }], input);
      const holder = run === null ? null : holderOf(run.state);
      if (
        holder !== null &&
        change.kind !== 'create' &&
        change.message !== null
      )
        this.told.push(`${holder}: ${change.message}`);
    }
  }

  named(workflow: string): Run | undefined {
    return this.runs.find(
      ({ state }) => slugOf(state.workflow) === slugOf(workflow),
    );
  }

  put(run: Run, state: RunState): void {
    this.runs = this.runs.map((other) =>
      other.runId === run.runId ? { ...run, state } : other,
    );
  }

  change(workflow: string, change: (state: RunState) => RunState): void {
    const run = this.named(workflow);
    if (run !== undefined) this.put(run, change(run.state));
  }

  advance(workflow: string): void {
    this.change(workflow, (state) =>
      state.phase.current < state.phase.total
        ? { ...advancePhase(state, { artefacts: [] }), adopted: true }
        : state,
    );
  }

  goTo(workflow: string, current: number): void {
    this.change(workflow, (state) => ({
      ...applyEdits(
        state,
        { ...NO_EDITS, phase: { typed: String(current) } },
        new Date(this.clock),
      ),
      adopted: true,
    }));
  }

  hold(workflow: string, session: string): void {
    this.change(workflow, (state) =>
      hold(state, session, { hostname: HERE }, new Date(this.clock), {
        by: 'command',
      }),
    );
  }

  /** What the command `complete` does. */
  complete(workflow: string): void {
    const run = this.named(workflow);
    if (run === undefined) return;
    const { input } = this;
    const { runId } = run;
    const updates = sourcesByRun(input).get(runId) ?? [];
    const records = recordSources(this.records, [{ updates, runId }]);
    this.records = recordEnd(records, run, 'completed', input);
    this.#end(run, { ...run.state, status: 'completed' });
  }

  reopen(workflow: string): void {
    for (const [runId, state] of this.archive) {
      if (state.workflow !== workflow) continue;
      this.archive.delete(runId);
      this.runs.push(
        aRun({ ...state, status: 'in_progress', adopted: true }, { runId }),
      );
    }
  }

  /** Somebody deletes the folder of the run. */
  remove(workflow: string): void {
    this.runs = this.runs.filter((run) => run !== this.named(workflow));
  }

  get offers(): string[] {
    return planSync(this.input).ended.map(
      ({ workflow, as }) => `${workflow} was ${as}`,
    );
  }

  #end(run: Run, state: RunState): void {
    this.runs = this.runs.filter(({ runId }) => runId !== run.runId);
    this.archive.set(run.runId, state);
  }
}

const NAMES = ['A', 'B', 'C', 'D', 'E'];

/** `active('Auth', 2)` is in phase B of A to E. */
export function active(
  workflow: string,
  current: number,
  fields: Partial<DeclaredWorkflow> = {},
): Extract<SourceStatus, { state: 'active' | 'paused' | 'unclear' }> {
  const { phases = NAMES } = fields;
  const phase = {
    current,
    total: phases.length,
    name: phases[current - 1] ?? '',
  };
  return {
    state: 'active',
    said: aSaid({ workflow, phase, phases, ...fields }),
  };
}
