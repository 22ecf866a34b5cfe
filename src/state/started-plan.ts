import type { RunState } from './types.ts';

/** The plan that a person started the run from and that feeds it, as a path in the project. */
export function startedPlanOf({ source }: RunState): string | undefined {
  return source?.kind === 'plan' && source['started'] === true ? source.path : undefined;
}

/** The plan of a run, whether detected or started from; with `~` or from the root of the disk if outside the project. */
export function planOf({ source }: RunState): string | undefined {
  if (source?.kind === 'plan') return source.path;
  const outside = source?.['plan'];
  return typeof outside === 'string' ? outside : undefined;
}
