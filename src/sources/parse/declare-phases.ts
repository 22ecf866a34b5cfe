import { truncate } from '../../text/sanitize.ts';
import { labelFrom } from '../../state/phase-labels.ts';
import type { DeclaredPhase } from '../../state/types.ts';
import type { DeclaredWorkflow } from '../types.ts';
import { isOver, tickedShare, type PlanPhase } from './phases.ts';

export const MAX_PHASES = 1_000;

/** Names are stored in the state and shown in lists; a heading may be a whole paragraph. */
const MAX_NAME_CHARS = 200;
export const cutName = (name: string): string => truncate(name, MAX_NAME_CHARS);

type DeclaredPhases = Pick<
  DeclaredWorkflow,
  'phase' | 'phases' | 'labels' | 'skipped' | 'undone'
>;

/** What a list of phases declares: the current one, the names, which are skipped, which were left open. */
export function declarePhases(allPhases: readonly PlanPhase[]): DeclaredPhases {
  const phases = allPhases.slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const current = currentIndex(phases);
  const last = phases.findLastIndex(({ mark }) => mark !== 'skipped');
  const index = current ?? (last < 0 ? phases.length - 1 : last);

  const names = phases.map(({ name = '' }) => cutName(name));
  const skipped = phases.flatMap(({ mark, word = mark }, at) =>
    mark === 'skipped' ? [[at + 1, word]] : [],
  );
  const undone = phases.flatMap((phase, at) =>
    at < index && !isOver(phase) ? [at + 1] : [],
  );
  const labels = labelsOf(phases);
  const status = phases[index]?.mark === 'blocked' ? 'blocked' : 'in_progress';
  const phase: DeclaredPhase = {
    current: index + 1,
    total: phases.length,
    name: names[index] ?? '',
    status: current === undefined ? 'completed' : status,
  };
  const label = labels?.[index];
  if (label !== undefined) phase.label = label;

  const declared: DeclaredPhases = { phase };
  if (phases.every(({ name }) => name !== undefined)) declared.phases = names;
  if (labels !== undefined) declared.labels = labels;
  if (skipped.length > 0) declared.skipped = Object.fromEntries(skipped);
  if (undone.length > 0) declared.undone = undone;
  const line = contradiction(phases);
  // No number is said of a phase that the plan itself does not make clear.
  return line === undefined
    ? declared
    : { phase: { total_known: false, line } };
}

/** The numbers that the plan gives its phases; undefined if they are the positions, or not all have one. */
function labelsOf(phases: readonly PlanPhase[]): string[] | undefined {
  const labels = phases.map(
    ({ label }, index) => labelFrom(label) ?? String(index + 1),
  );
  const areOwn = labels.some((label, index) => label !== String(index + 1));
  const areDistinct = new Set(labels).size === labels.length;
  return areOwn && areDistinct ? labels : undefined;
}

/** Returns undefined if nothing is left to do after the last phase that is done. */
function currentIndex(phases: readonly PlanPhase[]): number | undefined {
  const hasMarks = isMarked(phases);
  const passed = hasMarks
    ? phases.findLastIndex(({ mark }) => mark === 'done')
    : lastPassed(phases);
  const next = phases.findIndex(
    (phase, index) => index > passed && !isOver(phase),
  );
  const lastTicked = phases.findLastIndex(hasTicks);
  const open = phases.findIndex(
    (phase, index) =>
      !isOver(phase) &&
      phase.boxes.some(({ state }) => state !== 'ticked') &&
      // A mark on a later phase says that the work went on; boxes alone only say what is open.
      !(hasMarks && isMostlyTicked(phase, index, lastTicked)),
  );
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    phases.findIndex(({ mark }) => mark === 'blocked'),
    next,
    open,
  ];
  return candidates.find((index) => index >= 0);
}

function isMarked(phases: readonly PlanPhase[]): boolean {
  return phases.some(
    ({ mark }) => mark === 'done' || mark === 'under way' || mark === 'blocked',
  );
}

/** So much of a phase is ticked that what is left was forgotten, if a later phase has ticks. */
const MOSTLY_TICKED = 0.5;

/** Where nothing is marked: one forgotten box does not hold a run back, nor does a phase without any. */
function lastPassed(phases: readonly PlanPhase[]): number {
  const lastTicked = phases.findLastIndex(hasTicks);
  return phases.findLastIndex((phase, index) =>
    phase.boxes.length === 0
      ? index < lastTicked
      : isMostlyTicked(phase, index, lastTicked),
  );
}

/** Whether what is left of a phase was forgotten: the work went on after it. */
function isMostlyTicked(
  phase: PlanPhase,
  index: number,
  lastTicked: number,
): boolean {
  return index < lastTicked && tickedShare(phase) >= MOSTLY_TICKED;
}

function hasTicks(phase: PlanPhase): boolean {
  return tickedShare(phase) > 0;
}

/**
 * What is said where nothing is marked and the boxes contradict each other: a phase of which little is ticked stands
 * before one that was passed.
 */
function contradiction(phases: readonly PlanPhase[]): string | undefined {
  if (isMarked(phases)) return undefined;
  const passed = lastPassed(phases);
  const begun = phases.findIndex((phase, index) => {
    const share = tickedShare(phase);
    return index < passed && share > 0 && share < MOSTLY_TICKED;
  });
  if (begun < 0) return undefined;
  const ticked = phases.findLastIndex(hasTicks);
  const untouched = phases.findIndex(
    (phase, index) => index > ticked && !isOver(phase),
  );
  const parts = [
    `open items from ${shown(phases, begun)} on`,
    `ticks up to ${shown(phases, ticked)}`,
  ];
  if (untouched >= 0) parts.push(`none from ${shown(phases, untouched)} on`);
  return parts.join(', ');
}

const MAX_SHOWN_NAME_CHARS = 60;

function shown(phases: readonly PlanPhase[], index: number): string {
  const { label = String(index + 1), name = '' } = phases[index] ?? {};
  const words = name === '' ? '' : ` (${truncate(name, MAX_SHOWN_NAME_CHARS)})`;
  return label + words;
}
