import type { Step, Template } from '../template-types.generated.ts';

/** The loop that a loop step walks: the one it names, else that of its own id, else the only one there is. */
export function loopOf(
  template: Pick<Template, 'steps' | 'loops'>,
  step: Step,
): string | undefined {
  if (step.type !== 'loop') return undefined;
  const loops = template.loops ?? {};
  const named = step.loop ?? (Object.hasOwn(loops, step.id) ? step.id : undefined);
  if (named !== undefined) return Object.hasOwn(loops, named) ? named : undefined;
  const [only, another] = Object.keys(loops);
  const walkers = template.steps.filter(({ type }) => type === 'loop');
  return another === undefined && walkers.length === 1 ? only : undefined;
}
