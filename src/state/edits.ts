import { HoldfastError } from '../text/holdfast-error.ts';
import { positionOfPhase } from './phase-labels.ts';
import { isCounted } from './phase-words.ts';
import { enterPhase, renamed, setByCommand, withField } from './phases.ts';
import { withNextItem } from './plan-of-run.ts';
import {
  identifyPhases,
  knownPhases,
  renumberPhases,
} from './renumber-phases.ts';
import { withAt } from './read-state.ts';
import type { Phase, PhaseStatus, RunState } from './types.ts';
import { waitingPhase } from './waiting-phase.ts';

export interface Edits {
  /** As it is typed: the number that the plan gives a phase, else its position. */
  phase?: { typed: string; total?: number } | undefined;
  /** All phases, in order. The run stays in the phase of the same name. */
  phases?: string[] | undefined;
  name?: string | undefined;
  status?: PhaseStatus | undefined;
  read: string[];
  remind: string[];
  set: [key: string, value: unknown][];
  setLocal: [key: string, value: unknown][];
  artifact: [key: string, path: string][];
  unread: string[];
  forget: string[];
  unset: string[];
}

export function applyEdits(state: RunState, edits: Edits, now: Date): RunState {
  const listed =
    edits.phases === undefined ? state : listPhases(state, edits.phases);
  const moved = movePhase(listed, edits);
  const named = namePhase(moved, edits);
  const marked = setStatus(named, edits, now);
  const withLists = editLists(marked, edits);
  const withFacts = editContext(withLists, edits);
  return editArtifacts(withFacts, edits);
}

/** Why a phase that is new in the list, before the current one, was not done. */
const ADDED_LATE = 'added later';

function listPhases(state: RunState, phases: string[]): RunState {
  const before = state.phase.current;
  const ids = identifyPhases(phases, knownPhases(state));
  const index = ids.indexOf(before - 1);
  const current = index >= 0 ? index + 1 : Math.min(before, phases.length);
  const renumbered = renumberPhases(state, ids);
  const skipped = { ...renumbered.skipped };
  // Of a run without a list nobody knows whether the phases before the current one are new.
  const passed = state.phases === undefined ? [] : ids.slice(0, current - 1);
  for (const [at, id] of passed.entries())
    if (id >= before) skipped[at + 1] ??= ADDED_LATE;

  const phase = {
    ...counted(state.phase),
    current,
    total: phases.length,
    name: phases[current - 1] ?? '',
  };
  const listed = { ...renumbered, phases, phase };
  return withNextItem(withField(listed, 'skipped', skipped), state);
}

function movePhase(state: RunState, { phase }: Edits): RunState {
  if (phase === undefined) return state;
  const { typed, total: newTotal } = phase;
  const current = positionOfPhase(state, typed);
  const formerTotal = Math.max(state.phase.total, state.phases?.length ?? 0);
  const isFormerKnown = newTotal === undefined && isCounted(state.phase);
  const total = isFormerKnown
    ? formerTotal
    : (newTotal ?? Math.max(formerTotal, current));
  if (current < 1 || current > total) {
    throw noSuchPhase(
      current,
      total,
      `give both numbers to change the total, for example --phase ${current}/${current}`,
    );
  }

  const resized = newTotal === undefined ? state : withTotal(state, newTotal);
  if (current !== state.phase.current)
    return enterPhase(resized, current, undefined, total);
  return { ...setByCommand(resized), phase: { ...resized.phase, total } };
}

/** A total that somebody gives counts, and cuts a list that is longer. */
function withTotal(state: RunState, total: number): RunState {
  const known = { ...state, phase: counted(state.phase) };
  const isCut = (state.phases?.length ?? 0) > total;
  return isCut ? listPhases(known, knownPhases(known).slice(0, total)) : known;
}

function counted(phase: Phase): Phase {
  const { total_known: _unknown, line: _line, label: _label, ...rest } = phase;
  return rest;
}

export function noSuchPhase(
  phase: number,
  total: number,
  hint: string,
): HoldfastError {
  const phases = total === 1 ? 'phase' : 'phases';
  return new HoldfastError(
    'phase_out_of_range',
    `there is no phase ${phase}: this run has ${total} ${phases}`,
    {
      hint:
        phase < 1
          ? 'phases count from 1; `holdfast status` shows which there are'
          : hint,
    },
  );
}

function namePhase(state: RunState, { name }: Edits): RunState {
  if (name === undefined) return state;
  const { line: _line, ...phase } = state.phase;
  const phases = renamed(state.phases, phase.current, name);
  return withField({ ...state, phase: { ...phase, name } }, 'phases', phases);
}

function setStatus(state: RunState, { status }: Edits, now: Date): RunState {
  if (status === undefined) return state;
  const { status_reason: _reason, ...unblocked } = state;
  const kept = setByCommand(status === 'blocked' ? state : unblocked);
  if (status === 'not_started')
    return { ...kept, phase: waitingPhase(state.phase, now) };
  const { waits_since: _waits, ...phase } = state.phase;
  return { ...kept, phase: { ...phase, status } };
}

function editLists(state: RunState, edits: Edits): RunState {
  const { required_reading: files, key_reminders: reminders = [] } = state;
  const keptFiles = without('required file', files, edits.unread);
  const required = new Set([...keptFiles, ...edits.read.map(withAt)]);
  const changed = { ...state, required_reading: [...required] };
  if (edits.remind.length + edits.forget.length === 0) return changed;
  const keptReminders = without('reminder', reminders, edits.forget);
  const all = new Set([...keptReminders, ...edits.remind]);
  return { ...changed, key_reminders: [...all] };
}

/** An entry is named in full, or by a part that only one entry has. */
function without(
  kind: 'required file' | 'reminder',
  entries: string[],
  names: readonly string[],
): string[] {
  let left = entries;
  for (const name of names) {
    const part = name.replace(/^@/, '').toLowerCase();
    const alike = left.filter((entry) => entry.toLowerCase().includes(part));
    const isNamed = left.includes(name);
    if (!isNamed && alike.length !== 1) throw unknownEntry(kind, name, entries);
    const dropped = isNamed ? name : alike[0];
    left = left.filter((entry) => entry !== dropped);
  }
  return left;
}

function editContext(state: RunState, edits: Edits): RunState {
  if (edits.set.length + edits.setLocal.length + edits.unset.length === 0)
    return state;
  const context = state.context ?? {};
  const missing = edits.unset.find((key) => !Object.hasOwn(context, key));
  if (missing !== undefined)
    throw unknownEntry('context key', missing, Object.keys(context));
  const kept = Object.entries(context).filter(
    ([key]) => !edits.unset.includes(key),
  );
  const facts = Object.fromEntries([...kept, ...edits.set, ...edits.setLocal]);
  return withLocalFacts({ ...state, context: facts }, edits);
}

/** A fact that is set again without staying here is like any other. */
export function withLocalFacts(
  state: RunState,
  edits: Pick<Edits, 'set' | 'setLocal'> & Partial<Pick<Edits, 'unset'>>,
): RunState {
  const { set, setLocal, unset = [] } = edits;
  const shared = new Set([...set.map(([key]) => key), ...unset]);
  const kept = (state.local_facts ?? []).filter((key) => !shared.has(key));
  const local = new Set([...kept, ...setLocal.map(([key]) => key)]);
  return withField(state, 'local_facts', [...local]);
}

function editArtifacts(state: RunState, { artifact }: Edits): RunState {
  if (artifact.length === 0) return state;
  const added = Object.fromEntries(artifact);
  return { ...state, artifacts: { ...state.artifacts, ...added } };
}

function unknownEntry(
  kind: string,
  name: string,
  existing: readonly string[],
): HoldfastError {
  const hint =
    existing.length > 0
      ? `available: ${existing.join('; ')}`
      : `it has no ${kind} at all`;
  return new HoldfastError(
    'unknown_entry',
    `this run has no ${kind} "${name}"`,
    { hint },
  );
}
