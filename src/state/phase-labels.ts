import { HoldfastError } from '../text/holdfast-error.ts';
import type { Phase, RunState } from './types.ts';

// The number that people know of a phase is the one that its plan gives it: `7.3`, or `0` where a plan begins so. A run
// keeps positions; what its source said last tells which number each phase has.

/** The number of a phase in its plan; undefined where the positions are the numbers. */
export function labelOfPhase(
  state: RunState,
  position: number,
): string | undefined {
  const { labels, names } = saidAboutPhases(state);
  if (labels.length === 0) return undefined;
  const { phases = [], phase } = state;
  const known = phases[position - 1];
  const name =
    position === phase.current && phase.name !== '' ? phase.name : known;
  const isSamePlace = name === undefined || names[position - 1] === name;
  const index = isSamePlace ? position - 1 : names.indexOf(name);
  return labels[index];
}

function saidAboutPhases({ source }: RunState): {
  labels: readonly string[];
  names: readonly string[];
} {
  const { labels, phases } = source?.said ?? {};
  return { labels: textsIn(labels), names: textsIn(phases) };
}

function textsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry) => (typeof entry === 'string' ? entry : ''));
}

/** The run with the number that its plan gives the current phase, where the plan has such numbers. */
export function withLabel(state: RunState): RunState {
  const label = labelOfPhase(state, state.phase.current);
  if (label === undefined || label === state.phase.label) return state;
  return { ...state, phase: { ...state.phase, label } };
}

/** A phase that a command enters; its number is that of the plan, or the position. */
export function relabelled(state: RunState, phase: Phase): Phase {
  const { label: _label, ...rest } = phase;
  const label = labelOfPhase({ ...state, phase }, phase.current);
  return label === undefined ? rest : { ...rest, label };
}

/** `3`, `7.3`, `1-2`, `P0`, `B`, `III`: whether a text can be the number of a phase. */
export function isPhaseNumber(text: string): boolean {
  return NUMBER.test(text) || /^(?:[A-Z]|[IVX]{1,5})$/i.test(text);
}

const NUMBER = /^[a-z]{0,3}\d[\w.&+-]{0,20}$/i;

/** The position of the phase that a person typed: its number in the plan, or the position in a run without such numbers. */
export function positionOfPhase(state: RunState, typed: string): number {
  const wanted = typed
    .trim()
    .replace(/^0+(?=\d)/, '')
    .toLowerCase();
  const labels = labelsOfRun(state);
  const index = labels.findIndex((label) => label?.toLowerCase() === wanted);
  if (index >= 0) return index + 1;
  const hasLabels = labels.some((label) => label !== undefined);
  const position = Number(wanted);
  if (!hasLabels && Number.isSafeInteger(position)) return position;
  const known = labels.filter((label) => label !== undefined).join(', ');
  throw new HoldfastError('phase_out_of_range', `there is no phase ${typed}`, {
    hint:
      known === ''
        ? '`holdfast status` shows which there are'
        : `the plan of this run calls its phases ${known}`,
  });
}

function labelsOfRun(state: RunState): (string | undefined)[] {
  const { phase, phases = [] } = state;
  const length = Math.max(phase.total, phases.length);
  const labels = Array.from({ length }, (_, index) =>
    labelOfPhase(state, index + 1),
  );
  // A phase of which only the current number is known.
  if (phase.label !== undefined) labels[phase.current - 1] ??= phase.label;
  return labels;
}
