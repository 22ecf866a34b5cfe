import type { ConditionError } from '../util/conditions.ts';
import { unreachable } from '../util/unreachable.ts';

export function describeConditionError(error: ConditionError): string {
  switch (error.kind) {
    case 'too_long':
      return 'it is too long';
    case 'too_deep':
      return 'it is nested too deeply';
    case 'ends_early':
      return 'it ends too early';
    case 'unexpected':
      return `"${error.token}" is not expected there`;
    case 'bad_literal':
      return error.parser;
    default:
      return unreachable(error);
  }
}
