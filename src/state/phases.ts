import { recordFailure, withoutPastFailure } from './failure.ts';
import { relabelled } from './phase-labels.ts';
import { isCounted } from './phase-words.ts';
import { withNextItem } from './plan-of-run.ts';
import type { DeclaredPhase, Phase, RunState } from './types.ts';

interface FinishedPhase {
  output?: string | undefined;
  artefacts: string[];
  nextName?: string | undefined;
}

export function advancePhase(
  state: RunState,
  finished: FinishedPhase,
): RunState {
  const { current } = state.phase;
  const recorded = withOutput(state, finished);
  // Somebody has worked on it after all.
  const done = unmarkSkipped(recorded, (skipped) => skipped !== current);
  return leavePhase(done, finished.nextName);
}

/** The current phase is left undone, or a later one will be. */
export function skipPhase(
  state: RunState,
  phase: number,
  reason: string,
): RunState {
  const marked = markSkipped(state, phase, reason);
  return phase === state.phase.current ? leavePhase(marked) : marked;
}

/** What a phase hands on to the later ones. */
function withOutput(
  state: RunState,
  { output, artefacts }: FinishedPhase,
): RunState {
  if (output === undefined && artefacts.length === 0) return state;
  const handedOn: { text?: string; artefacts?: string[] } = {};
  if (output !== undefined) handedOn.text = output;
  if (artefacts.length > 0) handedOn.artefacts = artefacts;
  const outputs = { ...state.outputs, [state.phase.current]: handedOn };
  return { ...state, outputs };
}

/** Goes to the next phase that is not skipped; if there is none, the run is completed. */
function leavePhase(state: RunState, nextName?: string): RunState {
  const { status_reason: _reason, failure: _failure, ...left } = state;
  const { phase, skipped = {} } = left;
  // Where nobody knows how many phases there are, another one always follows.
  const next = isCounted(phase) ? nextPhase(left) : phase.current + 1;
  if (next !== null) {
    const total = Math.max(phase.total, next);
    return enterPhase(left, next, nextName, total);
  }
  // The run is over, but nobody has done its last phase.
  const isSkipped = Object.hasOwn(skipped, String(phase.current));
  const status = isSkipped ? 'not_started' : 'completed';
  return {
    ...setByCommand(left),
    phase: { ...phase, status },
    status: 'completed',
  };
}

/** Begins phase `current`; a name given by hand is also kept in the list of phases. */
export function enterPhase(
  state: RunState,
  current: number,
  name: string | undefined,
  total = state.phase.total,
): RunState {
  const { line: _line, waits_since: _waits, ...former } = state.phase;
  const { total_known: _isKnown, ...counted } = former;
  // Once the run follows its list, there is no need for the line of the source.
  const length = state.phases?.length ?? 0;
  const isListed = !isCounted(former) && current <= length;
  const before = isListed ? counted : former;
  const title = name ?? state.phases?.[current - 1] ?? '';
  const phase: Phase = {
    ...before,
    current,
    total: isListed ? length : total,
    name: title,
    status: 'in_progress',
  };
  // Without a count and a name, the number is all that can be shown.
  if (!isCounted(before) && title === '') phase.line = String(current);

  const phases =
    name === undefined ? state.phases : renamed(state.phases, current, name);
  const entering = { ...setByCommand(state), phase: relabelled(state, phase) };
  const moved = withField(entering, 'phases', phases);
  const entered = withNextItem(moved, state);
  const marked = unmarkSkipped(entered, (skipped) => skipped !== current);
  const undone = state.undone?.filter((open) => open < current);
  return withoutPastFailure(withField(marked, 'undone', undone));
}

export function blockPhase(state: RunState, reason: string): RunState {
  const blocked: RunState = {
    ...setByCommand(state),
    phase: { ...state.phase, status: 'blocked' },
    status_reason: reason,
  };
  return recordFailure(blocked, reason);
}

/** What a command records, no source takes away: see `mergeDeclared`. */
export function setByCommand(state: RunState): RunState {
  const { recorded_phase: _former, ...rest } = state;
  return { ...rest, phase_set_by: 'command' };
}

/** Without a number, or a total, the run keeps those that it had; where nobody has given any, none is invented. */
export function phaseDeclared(
  declared: DeclaredPhase,
  names: readonly string[],
  before?: Phase,
): Phase {
  const {
    total_known: _isKnown,
    line: _line,
    label: _label,
    ...kept
  } = before ?? {};
  const { name: declaredName } = declared;
  const index = declaredName === undefined ? -1 : names.indexOf(declaredName);
  const numberOfName = index >= 0 ? index + 1 : undefined;
  const current = declared.current ?? numberOfName ?? before?.current ?? 1;

  const wasCounted = before !== undefined && isCounted(before);
  const hasFormerTotal = wasCounted && before.total >= current;
  const formerTotal = hasFormerTotal ? before.total : undefined;
  const knownTotal = names.length > 0 ? names.length : formerTotal;
  const total =
    declared.total_known === false ? undefined : (declared.total ?? knownTotal);

  // With a number of its own, the phase may be another one than that of which the run knows the name.
  const formerName = declared.current === undefined ? before?.name : undefined;
  const phase: Phase = {
    ...kept,
    current,
    total: Math.max(total ?? 0, current),
    name: declaredName ?? names[current - 1] ?? formerName ?? '',
    status: declared.status ?? 'in_progress',
  };
  if (declared.label !== undefined) phase.label = declared.label;
  if (total !== undefined) return phase;
  phase.total_known = false;
  if (declared.line !== undefined) phase.line = declared.line;
  return phase;
}

/** The list with another name for one phase; as it was if the phase is not in it. */
export function renamed(
  phases: string[] | undefined,
  current: number,
  name: string,
): string[] | undefined {
  const isListed =
    phases !== undefined && current >= 1 && current <= phases.length;
  return isListed ? phases.with(current - 1, name) : phases;
}

/** In order. The current phase never counts as skipped: somebody works on it. */
export function skippedPhases(
  state: RunState,
): { phase: number; reason: string; name: string }[] {
  const { skipped = {}, phases = [], phase, status } = state;
  const found = [];
  for (const [key, reason] of Object.entries(skipped)) {
    const number = Number(key);
    const isInRun = number >= 1 && number <= phase.total;
    const isWorkedOn = number === phase.current && status !== 'completed';
    const name = phases[number - 1] ?? '';
    if (isInRun && !isWorkedOn) found.push({ phase: number, reason, name });
  }
  return found.toSorted((a, b) => a.phase - b.phase);
}

/** The first phase after `current` that is not skipped; null if none is left. */
export function nextPhase(
  { skipped = {}, phase }: RunState,
  current = phase.current,
): number | null {
  for (let next = current + 1; next <= phase.total; next += 1) {
    if (!Object.hasOwn(skipped, String(next))) return next;
  }
  return null;
}

export function markSkipped(
  state: RunState,
  phase: number,
  reason: string,
): RunState {
  return { ...state, skipped: { ...state.skipped, [phase]: reason } };
}

/** A phase that is entered is not skipped any more. */
export function unmarkSkipped(
  state: RunState,
  isKept: (phase: number) => boolean,
): RunState {
  const kept = Object.entries(state.skipped ?? {}).filter(([phase]) =>
    isKept(Number(phase)),
  );
  return withField(state, 'skipped', Object.fromEntries(kept));
}

/** The state with this field, or without it if there is nothing to keep in it. */
export function withField<
  K extends 'local_facts' | 'outputs' | 'phases' | 'skipped' | 'undone',
>(state: RunState, key: K, value: RunState[K]): RunState {
  const changed = { ...state };
  const isEmpty = value === undefined || Object.keys(value).length === 0;
  if (isEmpty) delete changed[key];
  else changed[key] = value;
  return changed;
}

/** Whether the run was completed or cancelled. Its place is the archive, but files are also written by hand. */
export function isEnded({ status }: Pick<RunState, 'status'>): boolean {
  return status === 'completed' || status === 'cancelled';
}
