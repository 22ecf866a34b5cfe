import type { DeclaredWorkflow } from '../detect/types.ts';
import { identifyPhases, knownPhases, renumberPhases } from '../state/phase-identity.ts';
import type { DeclaredPhase, Phase, RunState } from '../state/types.ts';
import { sameJson, type JsonObject } from '../util/json.ts';

/**
 * Three-way merge by field: a field of the source wins only if it differs from `base`, which is what the source
 * declared at the last merge. Without a base nothing is removed, existing values stay, and the later phase wins.
 */
export function mergeDeclared(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): RunState {
  const isTemplateRun = state.machine !== undefined;
  const phases = isTemplateRun ? state.phases : mergePhases(state, declared, base);
  const workflow = isTemplateRun ? undefined : declared.workflow;
  const kept =
    phases === undefined || sameJson(phases, state.phases)
      ? state
      : renumberPhases(state, identifyPhases(phases, knownPhases(state)));
  const merged: RunState = {
    ...kept,
    workflow: mergeValue(state.workflow, workflow, base?.workflow, base),
    workflow_type: mergeValue(
      state.workflow_type,
      declared.workflow_type,
      base?.workflow_type,
      base,
    ),
    phase: isTemplateRun ? state.phase : mergePhase(state, declared, base),
    required_reading: mergeList(
      state.required_reading,
      declared.required_reading,
      base?.required_reading,
    ),
    ...(phases === undefined ? {} : { phases }),
  };
  const reminders = mergeList(
    state.key_reminders ?? [],
    declared.key_reminders,
    base?.key_reminders,
  );
  if (state.key_reminders !== undefined || reminders.length > 0) merged.key_reminders = reminders;
  const context = mergeContext(state.context ?? {}, declared.context, base?.context);
  if (state.context !== undefined || Object.keys(context).length > 0) merged.context = context;
  return merged;
}

function mergeValue<T>(
  ours: T,
  theirs: T | undefined,
  before: T | undefined,
  base: DeclaredWorkflow | undefined,
): T {
  if (theirs === undefined) return ours;
  if (base === undefined) return ours ?? theirs;
  return sameJson(theirs, before) ? ours : theirs;
}

/** The phase names come from the same side as the current phase. */
function mergePhases(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): string[] | undefined {
  const isLater = (declared.phase?.current ?? 0) > state.phase.current;
  if (base === undefined && isLater) return declared.phases ?? state.phases;
  return mergeValue(state.phases, declared.phases, base?.phases, base);
}

function mergePhase(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): Phase {
  const ours = state.phase;
  const theirs = declared.phase;
  if (theirs === undefined) return ours;
  if (base === undefined) {
    return (theirs.current ?? 0) > ours.current
      ? declaredPhase(state, declared)
      : fillGaps(state, declared);
  }
  const before = base.phase ?? {};
  if (declared.phases && base.phases && !sameJson(declared.phases, base.phases)) {
    return followPhase(state, declared, { ...before, list: base.phases });
  }
  if (sameJson(theirs, before)) return ours;

  const hasMoved =
    theirs.current !== before.current ||
    (theirs.current === undefined && theirs.name !== before.name);
  if (hasMoved) return declaredPhase(state, declared);

  // The source was edited without moving to another phase, so it must not move the run back.
  const total = theirs.total !== before.total ? theirs.total : undefined;
  const isSamePhase = theirs.current === undefined || theirs.current === ours.current;
  return {
    ...ours,
    ...(total === undefined ? {} : { total: Math.max(total, ours.current) }),
    ...(isSamePhase && theirs.name !== before.name ? { name: theirs.name ?? '' } : {}),
    ...(isSamePhase && theirs.status !== undefined && theirs.status !== before.status
      ? { status: theirs.status }
      : {}),
  };
}

/** The list of phases changed: the run stays in the phase of the same name, unless the source moved to another one. */
function followPhase(
  state: RunState,
  declared: DeclaredWorkflow,
  { list: before, ...base }: DeclaredPhase & { list: string[] },
): Phase {
  const { phases: list = [], phase: theirs = {} } = declared;
  const { phase: ours, phases = before } = state;
  const expected = base.current && positionIn(list, before, base.current);
  const current = positionIn(list, phases, ours.current, ours.name || undefined);
  // A phase inserted behind the run must not pull it back; it only looks as if the source had moved.
  const isInserted = !before.includes(theirs.name ?? '') && (theirs.current ?? 0) <= current;
  const isAhead = expected !== undefined && current > expected;
  const isMoved = theirs.current !== expected && !sameJson(theirs, base);
  if (isMoved && !(isAhead && isInserted)) return declaredPhase(state, declared);

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

/** Fills gaps in the run's phase if the source is in the same one. */
function fillGaps({ phase, phases }: RunState, { phase: theirs = {} }: DeclaredWorkflow): Phase {
  if (theirs.current !== phase.current) return phase;
  const total = phases === undefined ? Math.max(phase.total, theirs.total ?? 0) : phase.total;
  return { ...phase, total, name: phase.name === '' ? (theirs.name ?? '') : phase.name };
}

/** The phase as the source declares it; if it gives only a name, its number is looked up in the list of phases. */
function declaredPhase(state: RunState, declared: DeclaredWorkflow): Phase {
  const theirs = declared.phase ?? {};
  const names = declared.phases ?? state.phases ?? [];
  const index = theirs.name === undefined ? -1 : names.indexOf(theirs.name);
  const current = theirs.current ?? (index >= 0 ? index + 1 : state.phase.current);
  const total = Math.max(theirs.total ?? state.phase.total, current, 1);
  return {
    ...state.phase,
    current,
    total,
    name: theirs.name ?? names[current - 1] ?? '',
    status: theirs.status ?? 'in_progress',
  };
}

/** Entries that either side added are in the result; those that one removed are not. */
export function mergeList(
  ours: string[],
  theirs: string[],
  before: string[] | undefined,
): string[] {
  const base = new Set(before ?? []);
  const declared = new Set(theirs);
  const kept = ours.filter((entry) => !base.has(entry) || declared.has(entry));
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
  const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);
  const isRemovedBySource = (key: string): boolean =>
    has(base, key) && !has(theirs, key) && sameJson(ours[key], base[key]);
  const isChangedBySource = (key: string): boolean =>
    before === undefined ? !has(ours, key) : !has(base, key) || !sameJson(theirs[key], base[key]);
  return Object.fromEntries([
    ...Object.entries(ours).filter(([key]) => !isRemovedBySource(key)),
    ...Object.entries(theirs).filter(([key]) => isChangedBySource(key)),
  ]);
}
