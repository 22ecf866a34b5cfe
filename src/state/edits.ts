import { HoldfastError } from '../errors/holdfast-error.ts';
import { withNextItem } from './next-item.ts';
import { identifyPhases, knownPhases, renumberPhases } from './phase-identity.ts';
import { enterPhase, renamed } from './phases.ts';
import { withAt } from './read-state.ts';
import type { PhaseStatus, RunState } from './types.ts';

/** What a person or an agent changes by hand. */
export interface Edits {
  phase?: { current: number; total?: number } | undefined;
  /** All phases, in order. The run stays in the phase of the same name. */
  phases?: string[] | undefined;
  name?: string | undefined;
  status?: PhaseStatus | undefined;
  read: string[];
  remind: string[];
  set: [key: string, value: unknown][];
  /** Facts that stay on this machine. */
  setLocal: [key: string, value: unknown][];
  artifact: [key: string, path: string][];
  unread: string[];
  forget: string[];
  unset: string[];
}

export function hasEdits(edits: Edits): boolean {
  return Object.values(edits).some((edit) =>
    Array.isArray(edit) ? edit.length > 0 : edit !== undefined,
  );
}

export function applyEdits(state: RunState, edits: Edits): RunState {
  return [
    listPhases,
    movePhase,
    namePhase,
    setStatus,
    editLists,
    editContext,
    editArtifacts,
  ].reduce((edited, edit) => edit(edited, edits), state);
}

function listPhases(state: RunState, { phases }: Edits): RunState {
  if (phases === undefined) return state;
  const ids = identifyPhases(phases, knownPhases(state));
  const index = ids.indexOf(state.phase.current - 1);
  const current = index >= 0 ? index + 1 : Math.min(state.phase.current, phases.length);
  const addedLate = ids.flatMap((id, at) =>
    at + 1 < current && id >= state.phase.current && state.phases !== undefined
      ? [[String(at + 1), ADDED_LATE] as const]
      : [],
  );
  const { skipped, ...renumbered } = renumberPhases(state, ids);
  const marks = { ...Object.fromEntries(addedLate), ...skipped };
  const listed = {
    ...renumbered,
    phases,
    phase: { ...state.phase, current, total: phases.length, name: phases[current - 1] ?? '' },
    ...(Object.keys(marks).length === 0 ? {} : { skipped: marks }),
  };
  return withNextItem(listed, state);
}

/** Why a phase is not done that was put before the current one. */
export const ADDED_LATE = 'added later';

function movePhase(state: RunState, { phase }: Edits): RunState {
  if (phase === undefined) return state;
  const total = phase.total ?? state.phase.total;
  if (phase.current < 1 || phase.current > total) {
    throw new HoldfastError({
      code: 'phase_out_of_range',
      phase: phase.current,
      total,
      command: 'update',
    });
  }
  return phase.current === state.phase.current
    ? { ...state, phase: { ...state.phase, total } }
    : enterPhase(state, phase.current, undefined, total);
}

function namePhase(state: RunState, { name }: Edits): RunState {
  if (name === undefined) return state;
  const phases = renamed(state.phases, state.phase.current, name);
  return { ...state, phase: { ...state.phase, name }, ...(phases === undefined ? {} : { phases }) };
}

function setStatus(state: RunState, { status }: Edits): RunState {
  if (status === undefined) return state;
  const { status_reason: _reason, ...unblocked } = state;
  const kept = status === 'blocked' ? state : unblocked;
  return { ...kept, phase: { ...state.phase, status } };
}

function editLists(state: RunState, edits: Edits): RunState {
  const reading = without('required_file', state.required_reading, edits.unread);
  const reminders = without('reminder', state.key_reminders ?? [], edits.forget);
  return {
    ...state,
    required_reading: [...new Set([...reading, ...edits.read.map(withAt)])],
    ...(edits.remind.length + edits.forget.length === 0
      ? {}
      : { key_reminders: [...new Set([...reminders, ...edits.remind])] }),
  };
}

function editContext(state: RunState, edits: Edits): RunState {
  if (edits.set.length + edits.setLocal.length + edits.unset.length === 0) return state;
  const context = state.context ?? {};
  requireKeys('context_key', context, edits.unset);
  const kept = Object.entries(context).filter(([key]) => !edits.unset.includes(key));
  const facts = Object.fromEntries([...kept, ...edits.set, ...edits.setLocal]);
  return withLocalFacts({ ...state, context: facts }, edits);
}

/** A fact that is set again without staying here is like any other. */
export function withLocalFacts(
  state: RunState,
  { set, setLocal, unset = [] }: Pick<Edits, 'set' | 'setLocal'> & Partial<Pick<Edits, 'unset'>>,
): RunState {
  const { local_facts: before = [], ...rest } = state;
  const shared = new Set([...set.map(([key]) => key), ...unset]);
  const local = [
    ...new Set([...before.filter((key) => !shared.has(key)), ...setLocal.map(([key]) => key)]),
  ];
  return { ...rest, ...(local.length === 0 ? {} : { local_facts: local }) };
}

function editArtifacts(state: RunState, { artifact }: Edits): RunState {
  if (artifact.length === 0) return state;
  return {
    ...state,
    artifacts: Object.fromEntries([...Object.entries(state.artifacts ?? {}), ...artifact]),
  };
}

/** An entry is named in full, or by a part that only one entry has. */
function without(
  what: 'required_file' | 'reminder',
  entries: string[],
  dropped: string[],
): string[] {
  return dropped.reduce((left, given) => {
    const part = given.replace(/^@/, '').toLowerCase();
    const alike = left.filter((entry) => entry.toLowerCase().includes(part));
    const [named] = left.includes(given) ? [given] : alike.length === 1 ? alike : [];
    if (named === undefined) {
      throw new HoldfastError({ code: 'unknown_entry', what, given, existing: entries });
    }
    return left.filter((entry) => entry !== named);
  }, entries);
}

function requireKeys(what: 'context_key', object: object, keys: string[]): void {
  const missing = keys.find((key) => !Object.hasOwn(object, key));
  if (missing === undefined) return;
  throw new HoldfastError({
    code: 'unknown_entry',
    what,
    given: missing,
    existing: Object.keys(object),
  });
}
