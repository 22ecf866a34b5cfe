import type { DeclaredWorkflow } from './types.ts';
import { identifyPhases, knownPhases, renumberPhases } from '../state/edits.ts';
import { isCounted, phaseDeclared } from '../state/phases.ts';
import type { DeclaredPhase, Phase, RunState } from '../state/types.ts';
import { sameJson } from '../text/json.ts';

/**
 * Three-way merge by field: a field of the source wins only if it differs from `base`, which is what the source
 * declared at the last merge. Without a base nothing is removed, existing values stay, and the later phase wins.
 */
export function mergeDeclared(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
  /** What other sources of the run declared when they were last merged. */
  others: readonly DeclaredWorkflow[] = [],
): RunState {
  // The steps of a template are not the phases of a source.
  const progress = state.machine
    ? state
    : mergeProgress(state, declared, base, others);
  const mergedList = (key: 'required_reading' | 'key_reminders'): string[] =>
    mergeList(state[key] ?? [], declared[key], base?.[key]);
  const reminders = mergedList('key_reminders');
  const context = mergeEntries(
    state.context ?? {},
    declared.context,
    base?.context,
  );
  return {
    ...progress,
    workflow_type:
      mergeField('workflow_type', state, declared, base) ?? state.workflow_type,
    required_reading: mergedList('required_reading'),
    ...((state.key_reminders || reminders.length > 0) && {
      key_reminders: reminders,
    }),
    ...((state.context || Object.keys(context).length > 0) && { context }),
  };
}

function mergeField<Key extends 'workflow' | 'workflow_type' | 'phases'>(
  key: Key,
  { [key]: ours }: RunState,
  { [key]: theirs }: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): RunState[Key] | DeclaredWorkflow[Key] {
  const isOurs = base ? sameJson(theirs, base[key]) : ours !== undefined;
  return theirs === undefined || isOurs ? ours : theirs;
}

/** The list of phases, the current one, and which of them were skipped or are still open. */
function mergeProgress(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
  others: readonly DeclaredWorkflow[],
): RunState {
  const isLater = (declared.phase?.current ?? 0) > state.phase.current;
  // Without a base, the phase names come from the same side as the current phase.
  const phases =
    base === undefined && isLater
      ? (declared.phases ?? state.phases)
      : mergeField('phases', state, declared, base);
  const ids =
    phases === undefined ? null : identifyPhases(phases, knownPhases(state));
  const isSameList = ids === null || sameJson(phases, state.phases);
  const { undone: _undone, ...renumbered } = isSameList
    ? state
    : renumberPhases(state, ids);
  const listed: RunState = { ...renumbered, ...(phases && { phases }) };
  const { skipped: before = {}, ...moved } = mergePhase(
    isSameList || base === undefined ? listed : follow(listed, state),
    declared,
    base,
    phaseSetBy(state, base ? [base, ...others] : others),
  );
  const skippedBy = ({ skipped = {}, phases: from }: DeclaredWorkflow) =>
    Object.fromEntries(
      Object.entries(skipped).map(([n, reason]) => [
        from === undefined ? n : positionIn(phases ?? [], from, Number(n)),
        reason,
      ]),
    );
  const skipped = mergeEntries(
    before,
    skippedBy(declared),
    base && skippedBy(base),
  );
  const undone = openPhases(moved, state, declared, ids);
  return {
    ...moved,
    workflow: mergeField('workflow', state, declared, base) ?? state.workflow,
    ...(Object.keys(skipped).length > 0 && { skipped }),
    ...(undone.length > 0 && { undone }),
  };
}

/** The list of phases changed: the run stays in the phase of the same name, or of the same place if that was renamed. */
function follow(
  state: RunState,
  { phase, phases: before = [] }: RunState,
): RunState {
  const { phases: list = [] } = state;
  const current = positionIn(
    list,
    before,
    phase.current,
    phase.name || undefined,
  );
  const isRenamed =
    !list.includes(phase.name) && before[phase.current - 1] === phase.name;
  const name =
    isRenamed || phase.name === ''
      ? (list[current - 1] ?? phase.name)
      : phase.name;
  const { total_known: _known, line: _line, ...rest } = phase;
  return {
    ...state,
    phase: { ...rest, current, total: Math.max(list.length, current), name },
  };
}

/** Where the phase at a position of one list is in another; the same position if its name is gone. */
function positionIn(
  list: readonly string[],
  from: readonly string[],
  position: number,
  name = from[position - 1],
): number {
  const isSame = (phase: string): boolean => phase === name;
  const earlier = from.slice(0, position - 1).filter(isSame).length;
  const found = list.flatMap((phase, index) =>
    isSame(phase) ? [index + 1] : [],
  );
  return found[earlier] ?? found.at(-1) ?? position;
}

/**
 * A phase that the source set follows the source, forwards and back. One that a command or a person set is recorded
 * progress: the source moves it only if the source itself moved since the last merge and is further.
 */
function mergePhase(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
  setBy: PhaseSetter,
): RunState {
  const { phase: ours } = state;
  const { phase: theirs } = declared;
  if (theirs === undefined) return state;
  const next = phaseDeclared(
    theirs,
    declared.phases ?? state.phases ?? [],
    ours,
  );
  if (base === undefined) {
    if ((theirs.current ?? 0) > ours.current)
      return movedBySource(state, next, 'hand');
    // A source that is in the same phase fills gaps.
    const total = state.phases
      ? ours.total
      : Math.max(ours.total, theirs.total ?? 0);
    const filled = {
      ...ours,
      total,
      name: ours.name === '' ? (theirs.name ?? '') : ours.name,
    };
    const phase = theirs.current === ours.current ? filled : ours;
    return withSetter({ ...state, phase }, state.phase_set_by ?? 'hand');
  }
  const from = base.phase ?? {};
  if (sameJson(theirs, from) && sameJson(declared.phases, base.phases))
    return state;
  const expected =
    from.current && declared.phases && base.phases
      ? positionIn(declared.phases, base.phases, from.current)
      : from.current;
  const hasMoved =
    theirs.current !== expected ||
    (theirs.current === undefined && theirs.name !== from.name);
  const isFollowed =
    setBy === 'source'
      ? next.current >= recordedProgress(state)
      : next.current > ours.current;
  if (hasMoved && isFollowed) return movedBySource(state, next, setBy);

  // The source was edited without moving, or without getting ahead of what is recorded.
  const isChanged = (key: keyof DeclaredPhase): boolean =>
    !sameJson(theirs[key], from[key]);
  // What is recorded gives way to no number that is not understood.
  const isKnown =
    setBy === 'source' || theirs.total_known !== false || !isCounted(ours);
  const isHere = isKnown && next.current === ours.current;
  const hasTotal =
    isChanged('total') || isChanged('total_known') || isChanged('line');
  const total =
    hasTotal && isCounted(next)
      ? Math.max(next.total, ours.current)
      : ours.total;
  const phase: Phase = {
    ...(hasTotal && isHere ? next : { ...ours, total }),
    name: isHere && isChanged('name') ? next.name : ours.name,
    status: (isHere && isChanged('status') && theirs.status) || ours.status,
  };
  // A source that went back behind what is recorded is not followed any more until it gets ahead.
  return withSetter(
    { ...state, phase },
    hasMoved && setBy === 'source' ? 'command' : setBy,
  );
}

const withSetter = (state: RunState, setBy: PhaseSetter): RunState =>
  state.phase_set_by === setBy ? state : { ...state, phase_set_by: setBy };

/** What a command or a person recorded stays known, so that the source does not go back behind it later. */
function movedBySource(
  state: RunState,
  phase: Phase,
  setBy: PhaseSetter,
): RunState {
  const { current, name } = state.phase;
  return {
    ...state,
    phase,
    phase_set_by: 'source',
    ...(setBy !== 'source' && { recorded_phase: { current, name } }),
  };
}

/** The number of the last phase that a command or a person set, in the list as it is now; 0 if there is none. */
function recordedProgress({
  recorded_phase: recorded,
  phases = [],
}: RunState): number {
  if (recorded === undefined) return 0;
  const { current, name } = recorded;
  return name !== '' && phases.includes(name)
    ? positionIn(phases, phases, current, name)
    : current;
}

type PhaseSetter = NonNullable<RunState['phase_set_by']>;

/** A phase that no source of the run has declared was written by hand, whatever the file says. */
function phaseSetBy(
  { phase, phase_set_by: setBy }: RunState,
  declared: readonly DeclaredWorkflow[],
): PhaseSetter {
  if (setBy === 'command' || setBy === 'hand') return setBy;
  const isDeclared = ({
    phase: said,
    phases = [],
  }: DeclaredWorkflow): boolean => {
    if (said === undefined) return true;
    const { current, name } = phaseDeclared(said, phases, phase);
    return (
      current === phase.current &&
      (said.current !== undefined || name === phase.name)
    );
  };
  return declared.some(isDeclared) ? 'source' : 'hand';
}

/** A phase before the current one that the source does not mark as done and that the run never passed is open. */
function openPhases(
  { phase, phases = [] }: RunState,
  { phase: former, undone: before = [] }: RunState,
  declared: DeclaredWorkflow,
  ids: readonly number[] | null,
): number[] {
  const idOf = (n: number): number => ids?.[n - 1] ?? n - 1;
  const isNew = (n: number): boolean => idOf(n) >= former.current - 1;
  const wasOpen = (n: number): boolean => before.includes(idOf(n) + 1);
  const declaredOpen = declared.undone?.map((n) =>
    positionIn(phases, declared.phases ?? [], n),
  );
  // A source without marks says nothing about phases that were added before the current one, so they are open.
  const isUnmarked = (n: number): boolean =>
    declaredOpen?.includes(n) ??
    (wasOpen(n) || idOf(n) >= Math.max(former.current, former.total));
  return phases
    .map((_name, index) => index + 1)
    .filter(
      (n) => n < phase.current && isUnmarked(n) && (isNew(n) || wasOpen(n)),
    );
}

/** Entries that either side added are in the result; those that one removed are not. */
export function mergeList(
  ours: string[],
  theirs: string[],
  before: string[] | undefined,
) {
  const mapOf = (list: string[]): Map<string, true> =>
    new Map(list.map((entry) => [entry, true]));
  return [
    ...mergeMaps(mapOf(ours), mapOf(theirs), before && mapOf(before)).keys(),
  ];
}

function mergeEntries<T>(
  ours: Record<string, T>,
  theirs: Record<string, T>,
  before: Record<string, T> | undefined,
): Record<string, T> {
  const mapOf = (entries: Record<string, T>): Map<string, T> =>
    new Map(Object.entries(entries));
  return Object.fromEntries(
    mergeMaps(mapOf(ours), mapOf(theirs), before && mapOf(before)),
  );
}

function mergeMaps<T>(
  ours: Map<string, T>,
  theirs: Map<string, T>,
  before: Map<string, T> | undefined,
): Map<string, T> {
  const isRemoved = ([key, value]: [string, T]): boolean =>
    before?.has(key) === true &&
    !theirs.has(key) &&
    sameJson(value, before.get(key));
  const isChanged = ([key, value]: [string, T]): boolean =>
    before
      ? !before.has(key) || !sameJson(value, before.get(key))
      : !ours.has(key);
  return new Map([
    ...[...ours].filter((entry) => !isRemoved(entry)),
    ...[...theirs].filter(isChanged),
  ]);
}
