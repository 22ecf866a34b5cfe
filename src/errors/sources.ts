import { unreachable } from '../util/unreachable.ts';
import type { Refusal } from './refusal.ts';

/** A source that was not read, or the setting because of which some were not. */
export interface SourceProblem {
  path: string;
  why:
    | { kind: 'refused'; why: Refusal }
    | { kind: 'file_too_large' | 'plans_too_large'; megabytes: number }
    | { kind: 'too_many_patterns'; max: number }
    | { kind: 'too_many_plans'; max: number; found: number };
}

export function describeSourceProblem({ path, why }: SourceProblem): string {
  return `${path} was not read: ${reasonOf(why)}`;
}

function reasonOf(why: SourceProblem['why']): string {
  switch (why.kind) {
    case 'refused':
      return why.why;
    case 'file_too_large':
      return `the file is larger than ${why.megabytes} MB`;
    case 'plans_too_large':
      return `the plans together are larger than ${why.megabytes} MB`;
    case 'too_many_patterns':
      return `only the first ${why.max} patterns are used`;
    case 'too_many_plans':
      return `only the last ${why.max} of ${why.found} plans are read`;
    default:
      return unreachable(why);
  }
}
