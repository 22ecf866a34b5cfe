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
  labels: readonly (string | undefined)[];
  names: readonly unknown[];
} {
  const { labels, phases } = source?.said ?? {};
  return { labels: listOf(labels).map(labelFrom), names: listOf(phases) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `7.3`, `0`, `T001`, `2b`. */
const OWN_NUMBER = String.raw`[a-z]{0,3}\d{1,9}(?:[._-]\d{1,9}){0,4}[a-z]?`;
/** `1-2`, `1 & 2`, `1 and 2`. */
const UP_TO = String.raw`\s?(?:[-–&+]|and|to)\s?\d{1,9}`;
/** `B`, `III`, `Two`, `二`. */
const OWN_WORD = String.raw`\p{L}{1,10}`;
const LABEL = new RegExp(`^(?:${OWN_NUMBER}(?:${UP_TO})?|${OWN_WORD})$`, 'iu');

/**
 * The number that a file gives a phase; undefined for anything else. It stands within sentences of holdfast, where a longer
 * text would speak in its voice.
 */
export function labelFrom(value: unknown): string | undefined {
  return typeof value === 'string' && LABEL.test(value) ? value : undefined;
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
