import { recencyOf } from '../sessions/select-run.ts';
import { isEnded } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { slugOf } from '../text/slug.ts';
import { parseDeclared, sectionSlugs, sourceStateOf } from './source-state.ts';
import { recordOfSource, updateOf } from './source-records.ts';
import type { SourceFile, SourceUpdate, SyncInput } from './types.ts';

/** A run as it will be after all sources are merged; `run` is null if it does not exist yet. */
export interface RunDraft {
  run: StoredRun | null;
  state: RunState;
  updates: SourceUpdate[];
  /** Whether `sources.json` knows what every source of the run declares. */
  isRecorded: boolean;
  /** The run that comes back from the archive. */
  archivedRunId?: string;
}

/** Finds the draft that a source belongs to. */
export class RunDrafts {
  readonly all: (RunDraft & { slug: string; plan: string | undefined })[] = [];
  /** With a thousand runs and plans, looking through all runs for each plan would take most of the time. */
  readonly #byPath = new Map<string, RunDraft[]>();
  readonly #bySlug = new Map<string, RunDraft[]>();
  readonly #byPlan = new Map<string, RunDraft[]>();
  /** By the slug, those that no plan feeds: the run of a plan that was moved follows it to the new path. */
  readonly #leftBySlug = new Map<string, RunDraft[]>();
  /** The paths of the plans, and their numbers as `#42`. */
  readonly #plans: ReadonlySet<string | undefined>;

  constructor(private readonly input: SyncInput) {
    const plans = input.sources.filter(({ kind }) => kind === 'plan');
    this.#plans = new Set(plans.flatMap(({ path }) => [path, planNumberIn(path)]));
    for (const run of input.runs)
      if (!isEnded(run.state)) this.add({ run, state: run.state, updates: [], isRecorded: true });
  }

  add(draft: RunDraft): void {
    const { state } = draft;
    const added = { ...draft, slug: slugOf(state.workflow), plan: this.#planNamedBy(state) };
    const { kind, path = '' } = state.source ?? {};
    this.all.push(added);
    addTo(this.#byPath, path, added);
    addTo(this.#bySlug, added.slug, added);
    if (added.plan !== undefined) addTo(this.#byPlan, added.plan, added);
    if (kind !== 'plan' || !this.#plans.has(path)) addTo(this.#leftBySlug, added.slug, added);
  }

  /**
   * The run that names the source as its own; else the one it was merged into before; else one that names the plan in
   * its required reading or by its number; else one with the workflow's name.
   */
  find(update: SourceUpdate): RunDraft | undefined {
    const { kind, path } = update.source;
    const slug = slugOf(update.declared.workflow);
    const isPlan = kind === 'plan';
    const ofSource = this.#byPath.get(path) ?? [];
    const recorded = recordOfSource(this.input.sourceRecords, update);
    const own =
      this.#best(ofSource.filter(({ state }) => isPlan || sectionSlugs(state).has(slug))) ??
      (recorded && this.all.find(({ run }) => run?.runId === recorded.run_id));
    // A source whose run has ended has nothing to say to another one, unless it was edited since.
    if (own !== undefined || (recorded?.ended && sameJson(recorded.said, update.declared)))
      return own;
    if (!isPlan) return this.#best(this.#bySlug.get(slug) ?? []);
    // Two plans are two runs.
    const isFree = ({ updates }: RunDraft): boolean =>
      updates.every(({ source }) => source.kind !== 'plan');
    const naming = [path, planNumberIn(path) ?? ''].flatMap((plan) => this.#byPlan.get(plan) ?? []);
    const left = this.#leftBySlug.get(slug) ?? [];
    return this.#best(naming.filter(isFree)) ?? this.#best(left.filter(isFree));
  }

  /** This session's first, then the latest. */
  #best(drafts: RunDraft[]): RunDraft | undefined {
    const { session } = this.input;
    const recency = ({ run, state }: RunDraft): number => {
      const isHeld = session !== null && state.sessions?.current_session_id === session;
      return run === null || isHeld ? Infinity : recencyOf(run);
    };
    return drafts.toSorted((a, b) => recency(b) - recency(a))[0];
  }

  /**
   * The one plan that the run names: by its plan number, else the first plan among its required reading. The run of a
   * plan names none: plans name each other, and other branches use the same numbers for other plans.
   */
  #planNamedBy({ source, context, required_reading: reading }: RunState): string | undefined {
    if (source?.kind === 'plan' || this.#plans.size === 0) return undefined;
    const number = numberOf(context?.['plan_number']);
    if (number !== undefined && this.#plans.has(number)) return number;
    const entry = reading.find((path) => this.#plans.has(pathOf(path)));
    return entry && pathOf(entry);
  }
}

function addTo(map: Map<string, RunDraft[]>, key: string, draft: RunDraft): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [draft]);
  else known.push(draft);
}

/** `00042-user-auth` and plan number 42 are the same plan. */
function planNumberIn(path: string): string | undefined {
  return numberOf(/^\d{1,15}/.exec(path.split('/').at(-2) ?? '')?.[0]);
}

function numberOf(value: unknown): string | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  return isNumber ? `#${Number(value)}` : undefined;
}

function pathOf(entry: string): string {
  return entry.replace(/^@(?:\.\/)?/, '').replace(/#.*$/, '');
}

/**
 * The sections of the local file that are the work of a run under another name, with that run. Only a section that is
 * new, and the only one with the phases or the reading of a section that is gone, counts as its correction.
 */
export function renamedSections(
  drafts: RunDrafts,
  { sources }: SyncInput,
): ReadonlyMap<SourceFile, RunDraft> {
  const formers = drafts.all.filter(
    ({ state }) =>
      state.source?.kind === 'local-file' &&
      state.source.status !== 'gone' &&
      sourceStateOf(state, sources) === 'gone',
  );
  if (formers.length === 0) return new Map();
  const pairs = sources
    .filter(({ kind }) => kind === 'local-file')
    .flatMap((source) => updateOf(source) ?? [])
    .filter((update) => drafts.find(update) === undefined)
    .flatMap((update) =>
      formers.filter((draft) => isSameWork(draft, update)).map((draft) => ({ draft, update })),
    );
  const isOnly = ({ draft, update }: (typeof pairs)[number]): boolean =>
    pairs.filter((other) => other.draft === draft || other.update === update).length === 1;
  return new Map(pairs.filter(isOnly).map(({ draft, update }) => [update.source, draft]));
}

/** The same phases or the same required reading: then only the name of the work has changed. */
function isSameWork({ state }: RunDraft, { declared }: SourceUpdate): boolean {
  const before = parseDeclared(state.source?.said);
  return (
    isSameList(declared.phases, before?.phases ?? state.phases) ||
    isSameList(declared.required_reading, before?.required_reading) ||
    isSameList(declared.required_reading, state.required_reading)
  );
}

function isSameList(list: string[] = [], other: string[] = []): boolean {
  return list.length > 0 && sameJson([...new Set(list)].toSorted(), [...new Set(other)].toSorted());
}
