import {
  identifyPhases,
  knownPhases,
  renumberPhases,
} from '../state/renumber-phases.ts';
import { phaseDeclared } from '../state/phases.ts';
import type { Phase, RunState } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { mergeEntries, mergeList } from './merge-entries.ts';
import { mergePhase, type PhaseSetter } from './merge-phase.ts';
import { positionIn } from './renamed-phases.ts';
import type { DeclaredWorkflow } from './types.ts';

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
  const merged: RunState = {
    ...progress,
    workflow_type:
      mergeField('workflow_type', state, declared, base) ?? state.workflow_type,
    required_reading: mergeList(
      state.required_reading,
      declared.required_reading,
      base?.required_reading,
    ),
  };

  const reminders = mergeList(
    state.key_reminders ?? [],
    declared.key_reminders,
    base?.key_reminders,
  );
  if (state.key_reminders || reminders.length > 0)
    merged.key_reminders = reminders;

  const context = mergeEntries(
    state.context ?? {},
    declared.context,
    base?.context,
  );
  if (state.context || Object.keys(context).length > 0)
    merged.context = context;
  return merged;
}

/** Without a base, what the run has is kept. */
function mergeField<Key extends 'workflow' | 'workflow_type' | 'phases'>(
  key: Key,
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): RunState[Key] | DeclaredWorkflow[Key] {
  const recorded = state[key];
  const incoming = declared[key];
  if (incoming === undefined) return recorded;
  const isKept = base ? sameJson(incoming, base[key]) : recorded !== undefined;
  return isKept ? recorded : incoming;
}

/** The name, the list of phases, the current one, and which of them were skipped or are still open. */
function mergeProgress(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
  others: readonly DeclaredWorkflow[],
): RunState {
  const phases = mergePhaseNames(state, declared, base);
  const ids =
    phases === undefined ? null : identifyPhases(phases, knownPhases(state));
  const isSameList = ids === null || sameJson(phases, state.phases);
  const { undone: _undone, ...renumbered } = isSameList
    ? state
    : renumberPhases(state, ids);
  const listed: RunState = { ...renumbered };
  if (phases !== undefined) listed.phases = phases;

  const setBy = phaseSetBy(state, base ? [base, ...others] : others);
  const isListMerged = !isSameList && base !== undefined;
  const { skipped, ...moved } = mergePhase(
    isListMerged ? stayInPhase(listed, state) : listed,
    declared,
    base,
    setBy,
  );

  const merged: RunState = {
    ...moved,
    workflow: mergeField('workflow', state, declared, base) ?? state.workflow,
  };
  const mergedSkips = mergeEntries(
    skipped ?? {},
    skippedIn(declared, phases),
    base && skippedIn(base, phases),
  );
  if (Object.keys(mergedSkips).length > 0) merged.skipped = mergedSkips;
  const undone = openPhases(moved, state, declared, ids);
  if (undone.length > 0) merged.undone = undone;
  return merged;
}

/** Without a base, the phase names come from the same side as the current phase. */
function mergePhaseNames(
  state: RunState,
  declared: DeclaredWorkflow,
  base: DeclaredWorkflow | undefined,
): string[] | undefined {
  const isLater = (declared.phase?.current ?? 0) > state.phase.current;
  return base === undefined && isLater
    ? (declared.phases ?? state.phases)
    : mergeField('phases', state, declared, base);
}

/** A phase that no source of the run has declared was written by hand, whatever the file says. */
function phaseSetBy(
  { phase, phase_set_by: setBy }: RunState,
  declarations: readonly DeclaredWorkflow[],
): PhaseSetter {
  if (setBy === 'command' || setBy === 'hand') return setBy;
  const isDeclared = declarations.some((declared) =>
    declaresPhase(declared, phase),
  );
  return isDeclared ? 'source' : 'hand';
}

/** A source that says nothing about phases does not speak against this one. */
function declaresPhase(declared: DeclaredWorkflow, phase: Phase): boolean {
  if (declared.phase === undefined) return true;
  const next = phaseDeclared(declared.phase, declared.phases ?? [], phase);
  if (next.current !== phase.current) return false;
  return declared.phase.current !== undefined || next.name === phase.name;
}

/** The list of phases changed: the run stays in the phase of the same name, or of the same place if that was renamed. */
function stayInPhase(listed: RunState, before: RunState): RunState {
  const { phases = [] } = listed;
  const { phase, phases: formerPhases = [] } = before;
  const current = positionIn(
    phases,
    formerPhases,
    phase.current,
    phase.name || undefined,
  );
  const isRenamed =
    formerPhases[phase.current - 1] === phase.name &&
    !phases.includes(phase.name);
  const takesName = isRenamed || phase.name === '';
  const name = takesName ? (phases[current - 1] ?? phase.name) : phase.name;
  const total = Math.max(phases.length, current);
  const { total_known: _known, line: _line, ...kept } = phase;
  return { ...listed, phase: { ...kept, current, total, name } };
}

/** The phases that a source calls skipped, by their numbers in the list of the run. */
function skippedIn(
  { skipped = {}, phases: declaredPhases }: DeclaredWorkflow,
  phases: readonly string[] = [],
): Record<string, string> {
  if (declaredPhases === undefined) return skipped;
  const renumbered: Record<string, string> = {};
  for (const [number, reason] of Object.entries(skipped))
    renumbered[positionIn(phases, declaredPhases, Number(number))] = reason;
  return renumbered;
}

/** A phase before the current one that the source does not mark as done and that the run never passed is open. */
function openPhases(
  { phase, phases = [] }: RunState,
  { phase: former, undone: formerlyOpen = [] }: RunState,
  declared: DeclaredWorkflow,
  /** Where each phase was in the list before, counted from 0; null if no list is known. */
  ids: readonly number[] | null,
): number[] {
  const declaredOpen = declared.undone?.map((number) =>
    positionIn(phases, declared.phases ?? [], number),
  );
  const open: number[] = [];
  const last = Math.min(phases.length, phase.current - 1);
  for (let number = 1; number <= last; number += 1) {
    const id = ids?.[number - 1] ?? number - 1;
    const wasOpen = formerlyOpen.includes(id + 1);
    const wasPassed = id < former.current - 1 && !wasOpen;
    // A source without marks says nothing about phases that were added before the current one, so they are open.
    const isAdded = id >= Math.max(former.current, former.total);
    const isUnmarked = declaredOpen?.includes(number) ?? (wasOpen || isAdded);
    if (isUnmarked && !wasPassed) open.push(number);
  }
  return open;
}
