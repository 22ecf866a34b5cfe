import { recencyOf } from '../state/recency.ts';
import { isEnded } from '../state/phases.ts';
import type { SourceRecord } from '../state/store/source-records-file.ts';
import type { RunState } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { slugOf } from '../text/slug.ts';
import { recordOfSource } from './source-records.ts';
import { sectionSlugs } from './source-state.ts';
import type { RunDraft, SourceUpdate, SyncInput } from './types.ts';

/** The runs in progress, as they will be after a sync, and which of them a source belongs to. */
export class RunDrafts {
  readonly all: RunDraft[] = [];
  /** With a thousand runs and plans, looking through all runs for each plan would take most of the time. */
  readonly #index = new Map<string, RunDraft[]>();
  readonly #planNames: ReadonlySet<string>;

  constructor(private readonly input: SyncInput) {
    this.#planNames = namesOfPlans(input);
    for (const run of input.runs)
      if (!isEnded(run.state)) this.add({ run, state: run.state, updates: [] });
  }

  add(draft: RunDraft): void {
    const { source, workflow } = draft.state;
    this.all.push(draft);
    const keys = [
      fromPath(source?.path),
      called(workflow),
      naming(this.#planNamedBy(draft.state)),
    ];
    for (const key of keys) {
      const drafts = this.#draftsAt(key);
      drafts.push(draft);
      this.#index.set(key, drafts);
    }
  }

  #draftsAt(key: string): RunDraft[] {
    return this.#index.get(key) ?? [];
  }

  /** The run of this source; else one that it was merged into, one that names the plan, one of the workflow's name. */
  find(update: SourceUpdate): RunDraft | undefined {
    const record = recordOfSource(this.input.sourceRecords, update);
    const own = this.#findOwn(update) ?? this.#findRecorded(record);
    if (own !== undefined) return own;

    // A source whose run has ended has nothing to say to another one, unless it was edited since.
    if (record?.ended && sameJson(record.said, update.said)) return undefined;
    return update.kind === 'plan'
      ? this.#findForPlan(update)
      : this.#best(this.#draftsAt(called(update.said.workflow)));
  }

  #findOwn({ kind, path, said }: SourceUpdate): RunDraft | undefined {
    const drafts = this.#draftsAt(fromPath(path));
    if (kind === 'plan') return this.#best(drafts);
    // Several runs may come from the sections of one local file.
    const slug = slugOf(said.workflow);
    return this.#best(
      drafts.filter(({ state }) => sectionSlugs(state).has(slug)),
    );
  }

  #findRecorded(record: SourceRecord | undefined): RunDraft | undefined {
    if (record === undefined) return undefined;
    return this.all.find(({ run }) => run?.runId === record.run_id);
  }

  /** Two plans are two runs; the run of a plan that was moved follows it to the new path. */
  #findForPlan({ path, said }: SourceUpdate): RunDraft | undefined {
    const hasNoPlan = ({ updates }: RunDraft): boolean =>
      updates.every(({ kind }) => kind !== 'plan');
    const hasLostPlan = ({ state: { source } }: RunDraft): boolean =>
      source?.kind !== 'plan' || !this.#isPlan(source.path);

    const number = planNumberIn(path);
    const namingPlan = [
      ...this.#draftsAt(naming(path)),
      ...(number === undefined ? [] : this.#draftsAt(naming(number))),
    ];
    const named = this.#best(namingPlan.filter(hasNoPlan));
    if (named !== undefined) return named;
    const calledSo = this.#draftsAt(called(said.workflow));
    return this.#best(
      calledSo.filter((draft) => hasLostPlan(draft) && hasNoPlan(draft)),
    );
  }

  /** This session's first, then the latest. */
  #best(drafts: readonly RunDraft[]): RunDraft | undefined {
    const { session } = this.input;
    const recency = ({ run, state }: RunDraft): number => {
      const isHeld =
        session !== null && state.sessions?.current_session_id === session;
      return run === null || isHeld ? Infinity : recencyOf(run);
    };
    return drafts.toSorted((a, b) => recency(b) - recency(a))[0];
  }

  /**
   * The one plan that the run names: by its plan number, else the first plan among its required reading. The run of a
   * plan names none: plans name each other, and other branches use the same numbers for other plans.
   */
  #planNamedBy({
    source,
    context,
    required_reading: reading,
  }: RunState): string | undefined {
    if (source?.kind === 'plan') return undefined;
    const number = planNumberKey(context?.['plan_number']);
    if (this.#isPlan(number)) return number;
    return reading.map(pathOfEntry).find((path) => this.#isPlan(path));
  }

  /** Whether this is the path of a plan, or its number as `#42`. */
  #isPlan(name: string | undefined): boolean {
    return name !== undefined && this.#planNames.has(name);
  }
}

/** The keys of the index. */
const fromPath = (path: string | undefined): string => `from ${path}`;
const called = (workflow: string): string => `called ${slugOf(workflow)}`;
const naming = (plan: string | undefined): string => `naming ${plan}`;

function namesOfPlans({ sources }: SyncInput): Set<string> {
  const names = new Set<string>();
  for (const { kind, path } of sources) {
    if (kind !== 'plan') continue;
    names.add(path);
    const number = planNumberIn(path);
    if (number !== undefined) names.add(number);
  }
  return names;
}

/** `@./docs/plan.md#goals` is an entry of required reading for `docs/plan.md`. */
function pathOfEntry(entry: string): string {
  return entry.replace(/^@(?:\.\/)?|#.*$/g, '');
}

/** `#42` for `…/00042-user-auth/PLAN.md`, so that a run with `plan_number: 42` in its context is found for it. */
function planNumberIn(path: string): string | undefined {
  const folder = path.split('/').at(-2) ?? '';
  return planNumberKey(/^\d{1,15}/.exec(folder)?.[0]);
}

function planNumberKey(value: unknown): string | undefined {
  const isNumber =
    typeof value === 'number' ||
    (typeof value === 'string' && /^\d+$/.test(value));
  return isNumber ? `#${Number(value)}` : undefined;
}
