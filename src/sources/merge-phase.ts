import { isCounted } from '../state/phase-words.ts';
import { phaseDeclared } from '../state/phases.ts';
import type { DeclaredPhase, Phase, RunState } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { positionIn } from './renamed-phases.ts';
import type { DeclaredWorkflow } from './types.ts';

/** Who has set the phase of a run: its source, a command, or a person who edited the state file by hand. */
export type PhaseSetter = NonNullable<RunState['phase_set_by']>;

/**
 * A phase that the source set follows the source, forwards and back. One that a command or a person set is recorded
 * progress: the source moves it only if the source itself moved since the last merge and is further.
 */
export function mergePhase(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
  setBy: PhaseSetter,
): RunState {
  if (declared.phase === undefined) return state;
  const next = phaseDeclared(
    declared.phase,
    declared.phases ?? state.phases ?? [],
    state.phase,
  );
  if (base === undefined) return mergeFirstPhase(state, declared.phase, next);

  const former = base.phase ?? {};
  const isUnchanged =
    sameJson(declared.phase, former) && sameJson(declared.phases, base.phases);
  if (isUnchanged) return state;

  const hasMoved = hasSourceMoved(declared, base);
  if (hasMoved && isFollowed(state, next, setBy))
    return movedBySource(state, next, setBy);

  // The source was edited without moving, or without getting ahead of what is recorded.
  const edit: PhaseEdit = { declared: declared.phase, former, next };
  const edited = { ...state, phase: editPhase(state.phase, edit, setBy) };
  // A source that went back behind what is recorded is not followed any more until it gets ahead.
  const isBehind = hasMoved && setBy === 'source';
  return withSetter(edited, isBehind ? 'command' : setBy);
}

/** The source was never merged into this run: it only moves the run forwards, and fills gaps. */
function mergeFirstPhase(
  state: RunState,
  declared: DeclaredPhase,
  next: Phase,
): RunState {
  const recorded = state.phase;
  if ((declared.current ?? 0) > recorded.current)
    return movedBySource(state, next, 'hand');

  const setBy = state.phase_set_by ?? 'hand';
  if (declared.current !== recorded.current) return withSetter(state, setBy);

  // The list of phases gives the total where there is one.
  const total = state.phases
    ? recorded.total
    : Math.max(recorded.total, declared.total ?? 0);
  const name = recorded.name === '' ? (declared.name ?? '') : recorded.name;
  return withSetter({ ...state, phase: { ...recorded, total, name } }, setBy);
}

/** Whether the source is in another phase than at the last merge, and not only at another number in a changed list. */
function hasSourceMoved(
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow,
): boolean {
  const { phase = {}, phases } = declared;
  const { phase: former = {}, phases: formerPhases } = base;
  if (phase.current === undefined && phase.name !== former.name) return true;
  let expected = former.current;
  if (expected !== undefined && phases && formerPhases)
    expected = positionIn(phases, formerPhases, expected);
  return phase.current !== expected;
}

/** A source that set the phase itself may go back, but not behind what a command or a person recorded before. */
function isFollowed(state: RunState, next: Phase, setBy: PhaseSetter): boolean {
  return setBy === 'source'
    ? next.current >= recordedProgress(state)
    : next.current > state.phase.current;
}

/** The number of the last phase that a command or a person set, in the list as it is now; 0 if there is none. */
function recordedProgress({
  recorded_phase: recorded,
  phases = [],
}: RunState): number {
  if (recorded === undefined) return 0;
  const { current, name } = recorded;
  const isListed = name !== '' && phases.includes(name);
  return isListed ? positionIn(phases, phases, current, name) : current;
}

/** What a command or a person recorded stays known, so that the source does not go back behind it later. */
function movedBySource(
  state: RunState,
  phase: Phase,
  setBy: PhaseSetter,
): RunState {
  // Whoever moves the source on has begun the phase that it names.
  const { waits_since: _waits, ...entered } = phase;
  const moved: RunState = { ...state, phase: entered, phase_set_by: 'source' };
  if (setBy !== 'source') {
    const { current, name } = state.phase;
    moved.recorded_phase = { current, name };
  }
  return moved;
}

interface PhaseEdit {
  declared: DeclaredPhase;
  /** What the source declared at the last merge. */
  former: DeclaredPhase;
  /** The phase that the run would be in if it followed the source. */
  next: Phase;
}

/** The run stays in its phase and takes over what the source changed about that phase, or about the total. */
function editPhase(
  recorded: Phase,
  edit: PhaseEdit,
  setBy: PhaseSetter,
): Phase {
  const { declared, former, next } = edit;
  const isChanged = (key: keyof DeclaredPhase): boolean =>
    !sameJson(declared[key], former[key]);

  // What is recorded gives way to no number that is not understood.
  const isUnderstood =
    setBy === 'source' ||
    declared.total_known !== false ||
    !isCounted(recorded);
  const isHere = isUnderstood && next.current === recorded.current;
  const isTotalChanged =
    isChanged('total') || isChanged('total_known') || isChanged('line');

  const phase: Phase = isTotalChanged && isHere ? { ...next } : { ...recorded };
  if (isTotalChanged && !isHere && isCounted(next))
    phase.total = Math.max(next.total, recorded.current);
  phase.name = isHere && isChanged('name') ? next.name : recorded.name;
  phase.status = recorded.status;
  if (isHere && isChanged('status') && declared.status !== undefined)
    phase.status = declared.status;
  return phase;
}

function withSetter(state: RunState, setBy: PhaseSetter): RunState {
  return state.phase_set_by === setBy
    ? state
    : { ...state, phase_set_by: setBy };
}
