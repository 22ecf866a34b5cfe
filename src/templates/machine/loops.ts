import { loopOf } from './loop-of.ts';
import type { Step, SubStep, Template } from '../template-types.generated.ts';

export interface StepLoop {
  loop: string;
  /** The name under which the tasks are kept, and by which they can be given. */
  key: string;
  subSteps: SubStep[];
}

const remembered = new WeakMap<Template, ReadonlyMap<string, StepLoop>>();

/** The loops that the template's steps walk, by step. */
export function loopsOf(template: Template): ReadonlyMap<string, StepLoop> {
  const known = remembered.get(template);
  if (known !== undefined) return known;
  const loops = findLoops(template);
  remembered.set(template, loops);
  return loops;
}

/**
 * Tasks are kept under their loop's name where that can mean one step only, else under the step's: two steps
 * that walk the same loop have tasks of their own.
 */
function findLoops(template: Template): Map<string, StepLoop> {
  const walkers = new Map<string, Step[]>();
  const steps = template.steps.filter(({ type }) => type === 'loop');
  for (const step of steps) {
    const loop = loopOf(template, step);
    if (loop === undefined) continue;
    const others = walkers.get(loop);
    if (others === undefined) walkers.set(loop, [step]);
    else others.push(step);
  }
  const ids = new Set(steps.map(({ id }) => id));
  const found = new Map<string, StepLoop>();
  for (const [loop, walking] of walkers) {
    const subSteps = template.loops?.[loop] ?? [];
    for (const { id } of walking) {
      const isAlone = walking.length === 1 && (id === loop || !ids.has(loop));
      found.set(id, { loop, key: isAlone ? loop : id, subSteps });
    }
  }
  return found;
}
