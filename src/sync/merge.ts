import type { DeclaredWorkflow } from '../detect/types.ts';
import { isObject, sameJson, type JsonObject } from '../util/json.ts';
import { PHASE_STATUSES, type DeclaredPhase, type Phase, type RunState } from '../state/types.ts';

/**
 * Three-way merge by field: a field of the source wins only where it differs from what the source said at the
 * last merge. Without such a base nothing is removed, what the run has stays, and the further phase wins.
 */
export function mergeDeclared(
  state: RunState,
  said: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): RunState {
  const driven = state.machine !== undefined;
  const phases = driven ? state.phases : mergePhases(state, said, base);
  const merged: RunState = {
    ...state,
    workflow: scalar(state.workflow, driven ? undefined : said.workflow, base?.workflow, base),
    workflow_type: scalar(state.workflow_type, said.workflow_type, base?.workflow_type, base),
    phase: driven ? state.phase : mergePhase(state, said, base),
    required_reading: mergeList(
      state.required_reading,
      said.required_reading,
      base?.required_reading,
    ),
    ...(phases === undefined ? {} : { phases }),
  };
  const reminders = mergeList(state.key_reminders ?? [], said.key_reminders, base?.key_reminders);
  if (state.key_reminders !== undefined || reminders.length > 0) merged.key_reminders = reminders;
  const context = mergeContext(state.context ?? {}, said.context, base?.context);
  if (state.context !== undefined || Object.keys(context).length > 0) merged.context = context;
  return merged;
}

/** What a source said at the last merge, as the state file keeps it; what is damaged or missing in it costs that part. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  if (!isObject(value) || typeof value['workflow'] !== 'string') return undefined;
  return {
    workflow: value['workflow'],
    ...(typeof value['workflow_type'] === 'string'
      ? { workflow_type: value['workflow_type'] }
      : {}),
    ...(isDeclaredPhase(value['phase']) ? { phase: value['phase'] } : {}),
    ...(isTexts(value['phases']) ? { phases: value['phases'] } : {}),
    required_reading: textsIn(value['required_reading']),
    key_reminders: textsIn(value['key_reminders']),
    context: isObject(value['context']) ? value['context'] : {},
  };
}

/** Whether this is what a source says, whole: then it need not be copied. */
export function isDeclaredWorkflow(value: unknown): value is DeclaredWorkflow {
  return (
    isObject(value) &&
    typeof value['workflow'] === 'string' &&
    isOptional(value['workflow_type'], 'string') &&
    (value['phase'] === undefined || isDeclaredPhase(value['phase'])) &&
    (value['phases'] === undefined || isTexts(value['phases'])) &&
    isTexts(value['required_reading']) &&
    isTexts(value['key_reminders']) &&
    isObject(value['context'])
  );
}

function isDeclaredPhase(value: unknown): value is NonNullable<DeclaredWorkflow['phase']> {
  if (!isObject(value)) return false;
  const { current, total, name, status } = value;
  const isStatus = status === undefined || PHASE_STATUSES.some((known) => known === status);
  return (
    isOptional(current, 'number') &&
    isOptional(total, 'number') &&
    isOptional(name, 'string') &&
    isStatus
  );
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function scalar<T>(
  ours: T,
  theirs: T | undefined,
  before: T | undefined,
  base: DeclaredWorkflow | undefined,
): T {
  if (theirs === undefined) return ours;
  if (base === undefined) return ours ?? theirs;
  return sameJson(theirs, before) ? ours : theirs;
}

/** The names go with the phase that wins. */
function mergePhases(
  state: RunState,
  said: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): string[] | undefined {
  const isFurther = (said.phase?.current ?? 0) > state.phase.current;
  if (base === undefined && isFurther) return said.phases ?? state.phases;
  return scalar(state.phases, said.phases, base?.phases, base);
}

function mergePhase(
  state: RunState,
  said: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): Phase {
  const ours = state.phase;
  const theirs = said.phase;
  if (theirs === undefined) return ours;
  if (base === undefined) {
    return (theirs.current ?? 0) > ours.current ? takeOver(state, said) : filledIn(state, said);
  }
  const before = base.phase ?? {};
  if (said.phases && base.phases && !sameJson(said.phases, base.phases)) {
    return followPhase(state, said, { ...before, list: base.phases });
  }
  if (sameJson(theirs, before)) return ours;

  const moved =
    theirs.current !== before.current ||
    (theirs.current === undefined && theirs.name !== before.name);
  if (moved) return takeOver(state, said);

  // The source stands where it stood and was edited beside the number: that must not pull the phase back.
  const total = theirs.total !== before.total ? theirs.total : undefined;
  const here = theirs.current === undefined || theirs.current === ours.current;
  return {
    ...ours,
    ...(total === undefined ? {} : { total: Math.max(total, ours.current) }),
    ...(here && theirs.name !== before.name ? { name: theirs.name ?? '' } : {}),
    ...(here && theirs.status !== undefined && theirs.status !== before.status
      ? { status: theirs.status }
      : {}),
  };
}

/** The list of phases changed: the run stays in the phase of the same name, unless the source moved to another one. */
function followPhase(
  state: RunState,
  said: DeclaredWorkflow,
  { list: before, ...base }: DeclaredPhase & { list: string[] },
): Phase {
  const { phases: list = [], phase: theirs = {} } = said;
  const { phase: ours, phases = before } = state;
  const expected = base.current && positionIn(list, before, base.current);
  const current = positionIn(list, phases, ours.current, ours.name || undefined);
  // A phase inserted behind the run must not pull it back; it only looks as if the source had moved.
  const isInserted = !before.includes(theirs.name ?? '') && (theirs.current ?? 0) <= current;
  const isAhead = expected !== undefined && current > expected;
  const isMoved = theirs.current !== expected && !sameJson(theirs, base);
  if (isMoved && !(isAhead && isInserted)) return takeOver(state, said);

  const isRenamed = !list.includes(ours.name) && phases[ours.current - 1] === ours.name;
  const isHere = theirs.current === current && theirs.status !== base.status;
  return {
    ...ours,
    current,
    total: Math.max(list.length, current),
    name: isRenamed ? (list[current - 1] ?? ours.name) : ours.name,
    ...(isHere && theirs.status ? { status: theirs.status } : {}),
  };
}

/** Where the phase at a position of one list is in another; the same position if its name is gone. */
function positionIn(
  list: string[],
  from: string[],
  position: number,
  name = from[position - 1],
): number {
  const isSame = (phase: string): boolean => phase === name;
  const earlier = from.slice(0, position - 1).filter(isSame).length;
  const found = list.flatMap((phase, index) => (isSame(phase) ? [index + 1] : []));
  return found[earlier] ?? found.at(-1) ?? position;
}

/** What the run leaves open about the phase that both are in, the source may say. */
function filledIn({ phase, phases }: RunState, { phase: said = {} }: DeclaredWorkflow): Phase {
  if (said.current !== phase.current) return phase;
  const total = phases === undefined ? Math.max(phase.total, said.total ?? 0) : phase.total;
  return { ...phase, total, name: phase.name === '' ? (said.name ?? '') : phase.name };
}

/** The phase as the source says it; a name alone finds its number among the run's phases. */
function takeOver(state: RunState, said: DeclaredWorkflow): Phase {
  const theirs = said.phase ?? {};
  const names = said.phases ?? state.phases ?? [];
  const byName = theirs.name === undefined ? -1 : names.indexOf(theirs.name);
  const current = theirs.current ?? (byName >= 0 ? byName + 1 : state.phase.current);
  const total = Math.max(theirs.total ?? state.phase.total, current, 1);
  return {
    ...state.phase,
    current,
    total,
    name: theirs.name ?? names[current - 1] ?? '',
    status: theirs.status ?? 'in_progress',
  };
}

function mergeList(ours: string[], theirs: string[], before: string[] | undefined): string[] {
  const base = new Set(before ?? []);
  const said = new Set(theirs);
  const kept = ours.filter((entry) => !base.has(entry) || said.has(entry));
  const present = new Set(kept);
  const added = theirs.filter((entry) => !base.has(entry) && !present.has(entry));
  return [...kept, ...new Set(added)];
}

function mergeContext(
  ours: JsonObject,
  theirs: JsonObject,
  before: JsonObject | undefined,
): JsonObject {
  const base = before ?? {};
  const had = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);
  const droppedBySource = (key: string): boolean =>
    had(base, key) && !had(theirs, key) && sameJson(ours[key], base[key]);
  const changedBySource = (key: string): boolean =>
    before === undefined ? !had(ours, key) : !had(base, key) || !sameJson(theirs[key], base[key]);
  return Object.fromEntries([
    ...Object.entries(ours).filter(([key]) => !droppedBySource(key)),
    ...Object.entries(theirs).filter(([key]) => changedBySource(key)),
  ]);
}
