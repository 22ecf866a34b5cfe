import type { SourceUpdate, SourceFile, SyncInput } from './types.ts';
import { recencyOf } from '../sessions/recency.ts';
import { slugOf } from '../util/slug.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** A run as it will be once every source has been heard; `run` is null for one that is new. */
export interface RunDraft {
  run: StoredRun | null;
  state: RunState;
  fedBy: SourceUpdate[];
  isChanged: boolean;
}

/** The runs by what finds them: the path they come from, and the workflow's name. */
export class RunDrafts {
  readonly all: RunDraft[] = [];
  readonly #byPath = new Map<string, RunDraft[]>();
  #bySlug: Map<string, RunDraft[]> | null = null;
  readonly #paths: ReadonlySet<string>;

  constructor(private readonly input: SyncInput) {
    this.#paths = new Set(input.sources.map(({ path }) => path));
    for (const run of input.runs) {
      if (run.state.status !== 'completed')
        this.#index({ run, state: run.state, fedBy: [], isChanged: false });
    }
  }

  add(state: RunState, feeding: SourceUpdate): void {
    this.#index({ run: null, state, fedBy: [feeding], isChanged: true });
  }

  /** By the path it names; else by the workflow's name, this session's run first, then the most recent. */
  fedBy({ source, said }: SourceUpdate): RunDraft | undefined {
    const fromHere = this.#byPath.get(source.path) ?? [];
    if (source.kind === 'plan' && fromHere.length > 0) return this.#best(fromHere);
    const slug = slugOf(said.workflow);
    const named = fromHere.filter(({ state }) => slugOf(state.workflow) === slug);
    const alike = (this.#named().get(slug) ?? []).filter(
      (draft) => !this.#isOfOtherPlan(draft, source),
    );
    return this.#best(named) ?? this.#best(alike);
  }

  /** Two plans of one title are two runs; a plan whose file is gone was moved, and its run moves along. */
  #isOfOtherPlan({ state: { source: from } }: RunDraft, source: SourceFile): boolean {
    const isOther = source.kind === 'plan' && from?.kind === 'plan' && from.path !== source.path;
    return isOther && !this.isOrphan(from.path);
  }

  /** Nothing there says any more where the run comes from. */
  isOrphan(path: string | undefined): boolean {
    return path === undefined || !this.#paths.has(path);
  }

  #best(drafts: RunDraft[]): RunDraft | undefined {
    const { session } = this.input;
    const recency = ({ run }: RunDraft): number => (run === null ? Infinity : recencyOf(run));
    if (drafts.length < 2) return drafts[0];
    const mine = drafts.find(
      ({ state }) => session !== null && state.sessions?.current_session_id === session,
    );
    return mine ?? drafts.toSorted((a, b) => recency(b) - recency(a))[0];
  }

  #index(draft: RunDraft): void {
    this.all.push(draft);
    const { path } = draft.state.source ?? {};
    if (path !== undefined) push(this.#byPath, path, draft);
    if (this.#bySlug !== null) push(this.#bySlug, slugOf(draft.state.workflow), draft);
  }

  /** Made when it is first asked for: most sources find their run by the path. */
  #named(): Map<string, RunDraft[]> {
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
