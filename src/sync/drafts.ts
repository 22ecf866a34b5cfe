import { recencyOf } from '../sessions/select-run.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { slugOf } from '../util/slug.ts';
import { recordOfSource } from './source-records.ts';
import { sectionSlugs } from './source-state.ts';
import type { SourceFile, SourceUpdate, SyncInput } from './types.ts';

/** A run as it will be after all sources are merged; `run` is null if it does not exist yet. */
export interface RunDraft {
  run: StoredRun | null;
  state: RunState;
  updates: SourceUpdate[];
  isChanged: boolean;
  /** The run that comes back from the archive. */
  archivedRunId?: string;
}

/** Finds the draft that a source belongs to. */
export class RunDrafts {
  readonly all: RunDraft[] = [];
  readonly #byPath = new Map<string, RunDraft[]>();
  #bySlug: Map<string, RunDraft[]> | null = null;
  #byPlan: Map<string, RunDraft[]> | null = null;
  readonly #planPaths: ReadonlySet<string>;
  readonly #planNumbers: ReadonlySet<string | null>;

  constructor(private readonly input: SyncInput) {
    const plans = input.sources.filter(({ kind }) => kind === 'plan').map(({ path }) => path);
    this.#planPaths = new Set(plans);
    this.#planNumbers = new Set(plans.map(planNumberIn));
    for (const run of input.runs) {
      const { status } = run.state;
      if (status !== 'completed' && status !== 'cancelled')
        this.#index({ run, state: run.state, updates: [], isChanged: false });
    }
  }

  add(draft: Pick<RunDraft, 'state' | 'archivedRunId'>, update: SourceUpdate): RunDraft {
    const added = { run: null, updates: [update], isChanged: true, ...draft };
    this.#index(added);
    return added;
  }

  /**
   * The run that names the source as its own; else the one it was merged into before; else one that names the plan in
   * its required reading or by its number; else one with the workflow's name.
   */
  find(update: SourceUpdate): RunDraft | undefined {
    const recorded = recordOfSource(this.input.sourceRecords, update)?.run_id;
    return (
      this.#best(this.ofSource(update)) ??
      this.all.find(({ run }) => run !== null && run.runId === recorded) ??
      this.#best(this.#naming(update.source)) ??
      this.#best(this.#sameName(update))
    );
  }

  /** Drafts whose `source.path` is this source; of the local file, only those of the same section. */
  ofSource({ source, declared }: SourceUpdate): RunDraft[] {
    const samePath = this.#byPath.get(source.path) ?? [];
    if (source.kind === 'plan') return samePath;
    const slug = slugOf(declared.workflow);
    return samePath.filter(({ state }) => sectionSlugs(state).has(slug));
  }

  #naming({ kind, path }: SourceFile): RunDraft[] {
    if (kind !== 'plan') return [];
    const number = planNumberIn(path);
    const byPlan = this.#draftsByPlan();
    const named = [...(byPlan.get(path) ?? []), ...((number && byPlan.get(number)) || [])];
    return named.filter((draft) => !isFedByOtherPlan(draft, path));
  }

  #sameName({ source, declared }: SourceUpdate): RunDraft[] {
    const drafts = this.#draftsBySlug().get(slugOf(declared.workflow)) ?? [];
    return source.kind === 'plan'
      ? drafts.filter((draft) => !this.#belongsToOtherPlan(draft, source.path))
      : drafts;
  }

  /** Two plans with one title are two runs, but the run of a plan that was moved follows it to the new path. */
  #belongsToOtherPlan(draft: RunDraft, path: string): boolean {
    const { source } = draft.state;
    const isOther = source?.kind === 'plan' && source.path !== path;
    return (isOther && this.#planPaths.has(source.path ?? '')) || isFedByOtherPlan(draft, path);
  }

  /** This session's first, then the latest. */
  #best(drafts: RunDraft[]): RunDraft | undefined {
    if (drafts.length < 2) return drafts[0];
    const { session } = this.input;
    const recency = ({ run }: RunDraft): number => (run === null ? Infinity : recencyOf(run));
    const held = drafts.find(
      ({ state }) => session !== null && state.sessions?.current_session_id === session,
    );
    return held ?? drafts.toSorted((a, b) => recency(b) - recency(a))[0];
  }

  #index(draft: RunDraft): void {
    this.all.push(draft);
    const { path } = draft.state.source ?? {};
    if (path !== undefined) push(this.#byPath, path, draft);
    if (this.#bySlug !== null) push(this.#bySlug, slugOf(draft.state.workflow), draft);
    if (this.#byPlan !== null) this.#indexPlan(this.#byPlan, draft);
  }

  /** Built on first use, because most sources are found by path. */
  #draftsBySlug(): Map<string, RunDraft[]> {
    if (this.#bySlug === null) {
      this.#bySlug = new Map();
      for (const draft of this.all) push(this.#bySlug, slugOf(draft.state.workflow), draft);
    }
    return this.#bySlug;
  }

  #draftsByPlan(): Map<string, RunDraft[]> {
    if (this.#byPlan === null) {
      this.#byPlan = new Map();
      for (const draft of this.all) this.#indexPlan(this.#byPlan, draft);
    }
    return this.#byPlan;
  }

  /**
   * By the one plan that the run names: its plan number, else the first plan among its required reading. The run of a
   * plan is not indexed: plans name each other, and other branches use the same numbers for other plans.
   */
  #indexPlan(index: Map<string, RunDraft[]>, draft: RunDraft): void {
    const { source, context, required_reading: reading } = draft.state;
    if (source?.kind === 'plan') return;
    const number = numberOf(context?.['plan_number']);
    const plan =
      number !== null && this.#planNumbers.has(number) ? number : this.#firstPlanIn(reading);
    if (plan !== undefined) push(index, plan, draft);
  }

  /** Without a copy of the list, which may have a hundred thousand entries. */
  #firstPlanIn(reading: readonly string[]): string | undefined {
    if (this.#planPaths.size === 0) return undefined;
    const entry = reading.find((path) => this.#planPaths.has(pathOf(path)));
    return entry === undefined ? undefined : pathOf(entry);
  }
}

function isFedByOtherPlan({ updates }: RunDraft, path: string): boolean {
  return updates.some(({ source }) => source.kind === 'plan' && source.path !== path);
}

/** `00042-user-auth` and plan number 42 are the same plan. */
function planNumberIn(path: string): string | null {
  return numberOf(/^\d{1,15}/.exec(path.split('/').at(-2) ?? '')?.[0]);
}

function numberOf(value: unknown): string | null {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  return isNumber ? `#${Number(value)}` : null;
}

function pathOf(entry: string): string {
  return entry.replace(/^@(?:\.\/)?/, '').replace(/#.*$/, '');
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
