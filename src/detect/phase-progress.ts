import type { Mark } from './marks.ts';
import type { DeclaredWorkflow } from './types.ts';

export const MAX_PHASES = 1_000;

export type BoxState = 'open' | 'ticked' | 'under way';

/** How far a phase is: a mark on its heading counts more than the boxes below it. */
export interface PhaseProgress {
  mark: Mark | undefined;
  boxes: BoxState[];
}

export interface NamedPhase extends PhaseProgress {
  name: string;
}

/** The phases of a plan and the current one, as a source declares them. */
export function declarePhases(
  allPhases: readonly NamedPhase[],
  findCurrent: (phases: readonly NamedPhase[]) => number | undefined = currentIndex,
): Pick<DeclaredWorkflow, 'phase' | 'phases'> {
  const phases = allPhases.slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const current = findCurrent(phases);
  const index = current ?? phases.length - 1;
  return {
    phase: {
      current: index + 1,
      total: phases.length,
      name: phases[index]?.name ?? '',
      status: current === undefined ? 'completed' : 'in_progress',
    },
    phases: phases.map(({ name }) => name),
  };
}

/** Returns undefined if every phase is done. */
function currentIndex(phases: readonly PhaseProgress[]): number | undefined {
  const lastMarkedDone = phases.findLastIndex(({ mark }) => mark === 'done');
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    phases.findIndex((phase, index) => index > lastMarkedDone && !isDone(phase)),
    phases.findIndex((phase) => !isDone(phase) && phase.boxes.includes('open')),
    phases.findIndex((phase) => !isDone(phase)),
  ];
  return candidates.find((index) => index >= 0);
}

export function isDone({ mark, boxes }: PhaseProgress): boolean {
  if (mark !== undefined) return mark === 'done';
  return boxes.length > 0 && boxes.every((state) => state === 'ticked');
}
