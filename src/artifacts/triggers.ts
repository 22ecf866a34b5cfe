import { ownMember } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';
import type { RunState } from '../state/types.ts';

/** Given the triggers of an artifact, returns the one that fires now, if any. */
export type TriggerMatcher = (triggers: readonly string[]) => string | undefined;

export const atSessionStart: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'session_start');

/** A compaction is followed by a start of the same session. */
export const afterCompaction: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'compaction' || trigger === 'session_start');

/** A request by hand means every artifact. */
export const manual: TriggerMatcher = () => 'manual';

/** The triggers of a move; null if the run stays in its phase and step. */
export function transitionBetween(before: RunState, after: RunState): TriggerMatcher | null {
  if (before.phase.current === after.phase.current && stepOf(before) === stepOf(after)) return null;
  const from = phaseNames(before);
  const to = phaseNames(after);
  return (triggers) => triggers.find((trigger) => firesAt(trigger, from, to));
}

function stepOf({ machine }: RunState): unknown {
  return ownMember(machine, 'step');
}

/** All names of a phase: the id of the step, its phase and the name in the run; the last two also as slugs. */
function phaseNames(state: RunState): string[] {
  const id = stepOf(state);
  const steps = ownMember(state.template, 'steps');
  const step: unknown = Array.isArray(steps)
    ? steps.find((candidate) => ownMember(candidate, 'id') === id)
    : null;
  const phases = [ownMember(step, 'phase'), state.phase.name].filter(isFilled);
  return [...phases, ...phases.map(slugOf), ...[id].filter(isFilled)];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function firesAt(trigger: string, from: string[], to: string[]): boolean {
  const [, kind, names = ''] = /^(phase_start|phase_transition):(.+)$/s.exec(trigger) ?? [];
  if (kind === undefined) return trigger === 'phase_transition';
  // A phase of several steps starts with the first of them.
  if (kind === 'phase_start') return isNamed(to, names) && !isNamed(from, names);
  const [left = '', ...right] = names.split('->');
  return isNamed(from, left) && isNamed(to, right.join('->'));
}

function isNamed(names: string[], wanted: string): boolean {
  return names.includes(wanted.trim()) || names.includes(slugOf(wanted));
}
