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

/** The triggers of the move into the current step, or of the start of its first phase. */
export function entryIntoStep(state: RunState): TriggerMatcher {
  const left = ownMember(state.machine, 'cameFrom');
  const from = isFilled(left) ? namesOfStep(state, left) : null;
  const to = phaseNames(state);
  return (triggers) => triggers.find((trigger) => firesAt(trigger, from, to));
}

/** The triggers of a run that starts: its first phase starts, too. */
export function startOfRun(state: RunState): TriggerMatcher {
  const entry = entryIntoStep(state);
  return (triggers) => atSessionStart(triggers) ?? entry(triggers);
}

function stepOf({ machine }: RunState): unknown {
  return ownMember(machine, 'step');
}

/** All names of a phase: the id of the step, its phase and the name in the run; the last two also as slugs. */
function phaseNames(state: RunState): string[] {
  return namesOfStep(state, stepOf(state), state.phase.name);
}

function namesOfStep({ template, phases: names }: RunState, id: unknown, name?: string): string[] {
  const listed = ownMember(template, 'steps');
  const steps: unknown[] = Array.isArray(listed) ? listed : [];
  const index = steps.findIndex((candidate) => ownMember(candidate, 'id') === id);
  const step = steps[index];
  const phases = [ownMember(step, 'phase'), name ?? names?.[index]].filter(isFilled);
  return [...phases, ...phases.map(slugOf), ...[id].filter(isFilled)];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** `from` is null at the start of a run. */
function firesAt(trigger: string, from: string[] | null, to: string[]): boolean {
  const [, kind, names = ''] = /^(phase_start|phase_transition):(.+)$/s.exec(trigger) ?? [];
  if (kind === undefined) return trigger === 'phase_transition' && from !== null;
  // A phase of several steps starts with the first of them.
  if (kind === 'phase_start') return isNamed(to, names) && !isNamed(from, names);
  const [left = '', ...right] = names.split('->');
  return isNamed(from, left) && isNamed(to, right.join('->'));
}

function isNamed(names: string[] | null, wanted: string): boolean {
  return names !== null && (names.includes(wanted.trim()) || names.includes(slugOf(wanted)));
}
