import { isLongAgo, recencyOf } from '../sessions/select-run.ts';
import { withNextItem, phaseDeclared, isEnded } from '../state/phases.ts';
import type { SourceRecords } from '../state/store/hook-state.ts';
import type { RunState, Source } from '../state/types.ts';
import type {
  RunDraft,
  SourceFile,
  SourceUpdate,
  SyncChange,
  SyncInput,
} from './types.ts';
import { mergeDeclared } from './merge.ts';
import {
  sourceStateOf,
  sectionSlugs,
  changeOf,
  withStatus,
} from './source-state.ts';
import {
  declaredFor,
  isGoing,
  parseDeclared,
  observeSources,
  recordForRun,
  recordOfSource,
  type EndedSource,
} from './source-records.ts';
import { sameJson } from '../text/json.ts';
import { slugOf } from '../text/slug.ts';

export interface SyncPlan {
  changes: SyncChange[];
  /** With what was seen of sources, although no run changes. */
  records: SourceRecords;
  /** The sources that declare a workflow whose run has ended, and that start no other one by themselves. */
  ended: EndedSource[];
}

/** What has to change so that the runs agree with their sources. Pure: `syncRuns` applies it, `status` shows it. */
export function planSync(listed: SyncInput): SyncPlan {
  const records = observeSources(listed);
  const input = { ...listed, sourceRecords: records };
  const { drafts, ended } = applySources(input);
  return {
    changes: drafts.flatMap((draft) => changeOf(draft, input) ?? []),
    records,
    ended,
  };
}

/** The sources that feed the runs, by run id. */
export function sourcesByRun(
  input: SyncInput,
): ReadonlyMap<string, SourceUpdate[]> {
  const { drafts } = applySources(input);
  return new Map(
    drafts.flatMap(({ run, updates }) => (run ? [[run.runId, updates]] : [])),
  );
}

export function returnedState(
  { status_reason: _reason, ...archived }: RunState,
  update: SourceUpdate,
): RunState {
  const base = parseDeclared(archived.source?.said);
  const merged = mergeDeclared(archived, update.said, base);
  const source = sourceAfter(archived.source, update);
  const returned: RunState = { ...merged, status: 'in_progress', source };
  return withNextItem(withStatus(returned, 'active'), archived);
}

function applySources(input: SyncInput): {
  drafts: RunDraft[];
  ended: EndedSource[];
} {
  const drafts = new RunDrafts(input);
  const renamed = renamedSections(drafts, input);
  const ended: EndedSource[] = [];
  const assigned: { draft: RunDraft; update: SourceUpdate }[] = [];
  // In order, so that a second source finds the run that the first one creates; only active ones create any.
  const going = input.sources.filter(isGoing);
  const isActive = ({ state }: SourceUpdate): boolean => state === 'active';
  for (const update of [
    ...going.filter(isActive),
    ...going.filter((each) => !isActive(each)),
  ]) {
    const { path, said } = update;
    const draft = renamed.get(update) ?? drafts.find(update);
    if (draft) {
      draft.updates.push(update);
      assigned.push({ draft, update });
    }
    if (draft || !isActive(update)) continue;
    const record = recordOfSource(input.sourceRecords, update);
    const wasGone = record?.gone_on?.includes(input.head) === true;
    if (record && !record.away && !wasGone) {
      const { run_id: runId, ended: end } = record;
      if (end && !isLongAgo(Date.parse(end.at), input.now))
        ended.push({ path, workflow: said.workflow, runId, ...end });
      continue;
    }
    // A run that is in the archive because its source was away comes back, unless the source starts over.
    const before = parseDeclared(record?.said)?.phase?.current ?? 0;
    const startsOver = wasGone && (said.phase?.current ?? before) < before;
    const archived = record?.away &&
      !startsOver && { archivedRunId: record.run_id };
    const state = newState(update, input.now);
    drafts.add({ run: null, state, updates: [update], ...archived });
  }
  // The source that was written last is merged last, so that it wins where two have changed.
  const time = ({ update }: { update: SourceUpdate }): number =>
    update.modifiedAt ?? 0;
  for (const { draft, update } of assigned.toSorted(
    (a, b) => time(a) - time(b),
  ))
    mergeUpdate(draft, update, input);
  return { drafts: drafts.all, ended };
}

function mergeUpdate(
  draft: RunDraft,
  update: SourceUpdate,
  input: SyncInput,
): void {
  const { run, state: before } = draft;
  const { kind, said } = update;
  const own = before.source;
  const isOwn = own?.path === update.path;
  // An unchanged source changes nothing, so no merge is needed. The run may have been moved by hand since.
  if (isOwn && sameJson(own.said, said)) {
    draft.state = withNextItem(before, before);
    return;
  }
  const says = run && sourceStateOf(before, input.sources);
  const recorded = recordForRun(run?.runId, update, input);
  const ownBase = parseDeclared(own?.said);
  // The plan is at another path now: what it declared at the former one is what it declared last.
  const isMoved =
    says === 'gone' && kind === 'plan' && own?.kind === 'plan' && !recorded;
  const merged = mergeDeclared(
    before,
    said,
    isOwn || isMoved ? ownBase : parseDeclared(recorded?.said),
    [
      ...(ownBase ? [ownBase] : []),
      ...(run ? declaredFor(input.sourceRecords, run.runId) : []),
      ...draft.updates.map((each) => each.said),
    ],
  );
  // Another source takes the place of one that no longer declares the run; of a finished one only if it is newer.
  const isFree = says === 'gone' || says === 'none';
  const isOver = says === 'finished' || says === 'cancelled';
  const isTaken =
    update.state === 'active' &&
    (isFree || (isOver && !sameJson(recorded?.said, said)));
  draft.state =
    isOwn || isTaken
      ? withNextItem({ ...merged, source: sourceAfter(own, update) }, before)
      : merged;
  // A state file without a source was written by hand; from now on only this tells.
  if (run && own === undefined) draft.state.adopted = true;
}

function sourceAfter(before: Source | undefined, update: SourceUpdate): Source {
  const {
    format: _format,
    status,
    started,
    ...kept
  }: Partial<Source> = before ?? {};
  const isSame = before?.path === update.path;
  const { kind, ...file } = sourceOf(update);
  const now = {
    ...kept,
    ...file,
    ...(isSame && started === true && { started }),
    // From now on the kind tells only what feeds the run, not that somebody wrote or started it.
    ...((before === undefined || before.kind === 'cli') && { written: true }),
  };
  return before?.kind === 'template'
    ? { ...now, kind: before.kind }
    : { ...now, kind, ...(isSame && status && { status }) };
}

/** A new run is as old as the file that declares it: a plan that nobody has touched for weeks is not recent work. */
export function newState(update: SourceUpdate, now: Date): RunState {
  const { said, modifiedAt = now.getTime() } = update;
  const { phases, skipped = {}, undone = [] } = said;
  return {
    workflow: said.workflow,
    workflow_type: said.workflow_type ?? 'custom',
    phase: phaseDeclared(said.phase ?? {}, phases ?? []),
    phase_set_by: 'source',
    required_reading: said.required_reading,
    created_at: new Date(Math.min(modifiedAt, now.getTime())).toISOString(),
    context: said.context,
    key_reminders: said.key_reminders,
    ...(phases && { phases }),
    ...(Object.keys(skipped).length > 0 && { skipped }),
    ...(undone.length > 0 && { undone }),
    status: 'in_progress',
    source: sourceOf(update),
  };
}

export function sourceOf({ kind, path, format, said }: SourceUpdate) {
  return { kind, path, ...(format && { format }), said: { ...said } };
}

class RunDrafts {
  readonly all: RunDraft[] = [];
  /** With a thousand runs and plans, looking through all runs for each plan would take most of the time. */
  readonly #index = new Map<string, RunDraft[]>();
  #plans: ReadonlySet<string | undefined> | undefined;

  constructor(private readonly input: SyncInput) {
    for (const run of input.runs)
      if (!isEnded(run.state)) this.add({ run, state: run.state, updates: [] });
  }

  add(draft: RunDraft): void {
    const { source, workflow } = draft.state;
    const plan = this.#planNamedBy(draft.state);
    this.all.push(draft);
    for (const key of [
      `from ${source?.path}`,
      `called ${slugOf(workflow)}`,
      `naming ${plan}`,
    ]) {
      const drafts = this.#at(key);
      drafts.push(draft);
      this.#index.set(key, drafts);
    }
  }

  /** Whether this is the path of a plan, or its number as `#42`. */
  #isPlan(name: string | undefined): boolean {
    this.#plans ??= new Set(
      this.input.sources.flatMap(({ kind, path }) =>
        kind === 'plan' ? [path, planNumberIn(path)] : [],
      ),
    );
    return name !== undefined && this.#plans.has(name);
  }

  #at(key: string): RunDraft[] {
    return this.#index.get(key) ?? [];
  }

  /** The run of this source; else one that it was merged into, one that names the plan, one of the workflow's name. */
  find(update: SourceUpdate): RunDraft | undefined {
    const { path, said } = update;
    const slug = (): string => slugOf(said.workflow);
    const isPlan = update.kind === 'plan';
    const recorded = recordOfSource(this.input.sourceRecords, update);
    const from = this.#at(`from ${path}`);
    const own =
      this.#best(
        from.filter(({ state }) => isPlan || sectionSlugs(state).has(slug())),
      ) ??
      (recorded && this.all.find(({ run }) => run?.runId === recorded.run_id));
    // A source whose run has ended has nothing to say to another one, unless it was edited since.
    if (own !== undefined || (recorded?.ended && sameJson(recorded.said, said)))
      return own;
    const called = this.#at(`called ${slug()}`);
    if (!isPlan) return this.#best(called);
    // Two plans are two runs; the run of a plan that was moved follows it to the new path.
    const isFree = ({ updates }: RunDraft): boolean =>
      updates.every(({ kind }) => kind !== 'plan');
    const isLeft = ({ state: { source } }: RunDraft): boolean =>
      source?.kind !== 'plan' || !this.#isPlan(source.path);
    const number = planNumberIn(path);
    const naming = [path, number ?? []]
      .flat()
      .flatMap((plan) => this.#at(`naming ${plan}`));
    return (
      this.#best(naming.filter(isFree)) ??
      this.#best(called.filter(isLeft).filter(isFree))
    );
  }

  /** This session's first, then the latest. */
  #best(drafts: RunDraft[]): RunDraft | undefined {
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
    const paths = reading.map((path) => path.replace(/^@(?:\.\/)?|#.*$/g, ''));
    return [numberOf(context?.['plan_number']), ...paths].find((plan) =>
      this.#isPlan(plan),
    );
  }
}

/** `00042-user-auth` and plan number 42 are the same plan. */
function planNumberIn(path: string): string | undefined {
  return numberOf(/^\d{1,15}/.exec(path.split('/').at(-2) ?? '')?.[0]);
}

function numberOf(value: unknown): string | undefined {
  const isNumber =
    typeof value === 'number' ||
    (typeof value === 'string' && /^\d+$/.test(value));
  return isNumber ? `#${Number(value)}` : undefined;
}

/**
 * The sections of the local file that are the work of a run under another name, with that run. Only a section that is
 * new, and the only one with the phases or the reading of a section that is gone, counts as its correction.
 */
function renamedSections(
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
    .filter(isGoing)
    .filter(
      (update) =>
        update.kind === 'local-file' && drafts.find(update) === undefined,
    )
    .flatMap((update) =>
      formers
        .filter((draft) => isSameWork(draft, update))
        .map((draft) => ({ draft, update })),
    );
  const isOnly = ({ draft, update }: (typeof pairs)[number]): boolean =>
    pairs.filter((other) => other.draft === draft || other.update === update)
      .length === 1;
  return new Map(
    pairs.filter(isOnly).map(({ draft, update }) => [update, draft]),
  );
}

/** The same phases or the same required reading: then only the name of the work has changed. */
function isSameWork({ state }: RunDraft, { said }: SourceUpdate): boolean {
  const before = parseDeclared(state.source?.said);
  return (
    isSameList(said.phases, before?.phases ?? state.phases) ||
    isSameList(said.required_reading, before?.required_reading) ||
    isSameList(said.required_reading, state.required_reading)
  );
}

const isSameList = (list: string[] = [], other: string[] = []): boolean =>
  list.length > 0 &&
  sameJson([...new Set(list)].toSorted(), [...new Set(other)].toSorted());
