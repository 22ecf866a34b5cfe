import { recencyOf } from '../sessions/recency.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { slugOf } from '../util/slug.ts';
import type { SourceFile, SourceUpdate, SyncInput } from './types.ts';

/** A run as it will be after all sources are merged; `run` is null if it does not exist yet. */
export interface RunDraft {
  run: StoredRun | null;
  state: RunState;
  updates: SourceUpdate[];
  isChanged: boolean;
}

/** Finds the draft that a source belongs to, by its path or by the name of the workflow. */
export class RunDrafts {
  readonly all: RunDraft[] = [];
  readonly #byPath = new Map<string, RunDraft[]>();
  #bySlug: Map<string, RunDraft[]> | null = null;
  readonly #sourcePaths: ReadonlySet<string>;

  constructor(private readonly input: SyncInput) {
    this.#sourcePaths = new Set(input.sources.map(({ path }) => path));
    for (const run of input.runs) {
      if (run.state.status !== 'completed')
        this.#index({ run, state: run.state, updates: [], isChanged: false });
    }
  }

  add(state: RunState, update: SourceUpdate): void {
    this.#index({ run: null, state, updates: [update], isChanged: true });
  }

  /** The run that names the source's path, else one with the workflow's name: this session's first, then the latest. */
  find({ source, declared }: SourceUpdate): RunDraft | undefined {
    const samePath = this.#byPath.get(source.path) ?? [];
    if (source.kind === 'plan' && samePath.length > 0) return this.#best(samePath);
    const slug = slugOf(declared.workflow);
    const samePathAndName = samePath.filter(({ state }) => slugOf(state.workflow) === slug);
    const sameName = (this.#draftsBySlug().get(slug) ?? []).filter(
      (draft) => !this.#belongsToOtherPlan(draft, source),
    );
    return this.#best(samePathAndName) ?? this.#best(sameName);
  }

  /** Two plans with one title are two runs, but the run of a plan that was moved follows it to the new path. */
  #belongsToOtherPlan({ state: { source: recorded } }: RunDraft, source: SourceFile): boolean {
    const isOther =
      source.kind === 'plan' && recorded?.kind === 'plan' && recorded.path !== source.path;
    return isOther && !this.isOrphan(recorded.path);
  }

  /** True if no source exists at the path that a run names as its source. */
  isOrphan(path: string | undefined): boolean {
    return path === undefined || !this.#sourcePaths.has(path);
  }

  #best(drafts: RunDraft[]): RunDraft | undefined {
    const { session } = this.input;
    const recency = ({ run }: RunDraft): number => (run === null ? Infinity : recencyOf(run));
    if (drafts.length < 2) return drafts[0];
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
  }

  /** Built on first use, because most sources are found by path. */
  #draftsBySlug(): Map<string, RunDraft[]> {
    if (this.#bySlug === null) {
      this.#bySlug = new Map();
      for (const draft of this.all) push(this.#bySlug, slugOf(draft.state.workflow), draft);
    }
    return this.#bySlug;
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
