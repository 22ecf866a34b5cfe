import { timeAgo } from '../util/relative-time.ts';
import { unreachable } from '../util/unreachable.ts';
import type { Decision } from './decide.ts';

/** Why an artifact is loaded or skipped, for people. */
export function describeDecision(decision: Decision, now: Date): string {
  if (decision.verdict === 'load') return decision.trigger;
  const { skip, artifact } = decision;
  switch (skip.kind) {
    case 'not asked for':
      return 'not asked for';
    case 'not triggered':
      return artifact.reload_triggers.length === 0
        ? 'loaded by hand only'
        : `loaded only at ${artifact.reload_triggers.join(', ')}`;
    case 'condition false':
      return `the condition ${artifact.condition ?? ''} does not hold`;
    case 'condition bad':
      return `the condition ${artifact.condition ?? ''} cannot be read: ${skip.why}`;
    case 'in context':
      return `loaded ${timeAgo(skip.since, now)}`;
    default:
      return unreachable(skip);
  }
}
