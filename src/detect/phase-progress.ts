import type { Mark } from '../state/marks.ts';
import { truncate } from '../util/sanitize.ts';
import type { BoxState } from './field-line.ts';
import type { DeclaredWorkflow } from './types.ts';

export const MAX_PHASES = 1_000;

export interface Box {
  state: BoxState;
  text: string;
  /** How far it is nested in other boxes. */
  depth: number;
}

/** How far a phase is: a mark on its heading counts more than the boxes below it. */
export interface PlanPhase {
  /** Undefined if only the number of phases is known. */
  name: string | undefined;
  mark: Mark | undefined;
  /** The plan's word for a phase that is skipped. */
  word?: string | undefined;
  boxes: Box[];
}

/** Names are stored in the state and shown in lists; a heading may be a whole paragraph. */
export function cutName(name: string): string {
  return truncate(name, 200);
}

/**
 * The phases of a plan and the current one, as a source declares them. With `byBoxes`, the first open box decides, also
 * after phases that nobody has marked as done.
 */
export function declarePhases(
  allPhases: readonly PlanPhase[],
  byBoxes = false,
): Pick<DeclaredWorkflow, 'phase' | 'phases' | 'skipped' | 'undone'> {
  const phases = allPhases.slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const current = currentIndex(phases, byBoxes);
  const last = phases.findLastIndex(({ mark }) => mark !== 'skipped');
  const index = current ?? (last < 0 ? phases.length - 1 : last);
  const names = phases.map(({ name = '' }) => cutName(name));
  const skipped = phases.flatMap(({ mark, word = mark }, at) =>
    mark === 'skipped' ? [[at + 1, word]] : [],
  );
  const undone = phases.flatMap((phase, at) => (at < index && !isOver(phase) ? [at + 1] : []));
  const status = phases[index]?.mark === 'blocked' ? 'blocked' : 'in_progress';
  return {
    phase: {
      current: index + 1,
      total: phases.length,
      name: names[index] ?? '',
      status: current === undefined ? 'completed' : status,
    },
    ...(phases.every(({ name }) => name !== undefined) && { phases: names }),
    ...(skipped.length > 0 && { skipped: Object.fromEntries(skipped) }),
    ...(undone.length > 0 && { undone }),
  };
}

/** Returns undefined if nothing is left to do after the last phase that is done. */
function currentIndex(phases: readonly PlanPhase[], byBoxes: boolean): number | undefined {
  const lastDone = byBoxes ? -1 : phases.findLastIndex(({ mark }) => mark === 'done');
  const next = phases.findIndex((phase, index) => index > lastDone && !isOver(phase));
  const open = phases.findIndex(
    (phase) => !isOver(phase) && phase.boxes.some(({ state }) => state !== 'ticked'),
  );
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    byBoxes ? open : phases.findIndex(({ mark }) => mark === 'blocked'),
    next,
    open,
  ];
  return candidates.find((index) => index >= 0);
}

/** Done or skipped. */
export function isOver(phase: PlanPhase): boolean {
  return phase.mark === 'skipped' || isDone(phase);
}

export function isDone({ mark, boxes }: PlanPhase): boolean {
  if (mark !== undefined) return mark === 'done';
  return boxes.length > 0 && boxes.every(({ state }) => state === 'ticked');
}
