import type { Step, SubStep, Template } from '../template-types.generated.ts';

export interface StepLoop {
  loop: string;
  /** The name under which the tasks are kept, and by which they can be given. */
  key: string;
  subSteps: SubStep[];
}

/**
 * The loops that the template's steps walk, by step. Tasks are kept under their loop's name where that can mean one step
 * only, else under the step's: two steps that walk the same loop have tasks of their own.
 */
export function loopsOf(template: Template): Map<string, StepLoop> {
  const walkers = template.steps.flatMap((step) => {
    const loop = loopOf(template, step);
    return loop === undefined ? [] : [{ id: step.id, loop }];
  });
  const steps = new Set(template.steps.filter(isLoop).map(({ id }) => id));
  return new Map(
    walkers.map(({ id, loop }) => {
      const isAlone = walkers.every((other) => other.loop !== loop || other.id === id);
      const key = isAlone && (id === loop || !steps.has(loop)) ? loop : id;
      return [id, { loop, key, subSteps: template.loops?.[loop] ?? [] }];
    }),
  );
}

/** The loop that a loop step walks: the one it names, else that of its own id, else the only one there is. */
export function loopOf(
  template: Pick<Template, 'steps' | 'loops'>,
  step: Step,
): string | undefined {
  if (!isLoop(step)) return undefined;
  const loops = template.loops ?? {};
  const named = step.loop ?? (Object.hasOwn(loops, step.id) ? step.id : undefined);
  if (named !== undefined) return Object.hasOwn(loops, named) ? named : undefined;
  const [only, another] = Object.keys(loops);
  return another === undefined && template.steps.filter(isLoop).length === 1 ? only : undefined;
}

function isLoop({ type }: Step): boolean {
  return type === 'loop';
}
