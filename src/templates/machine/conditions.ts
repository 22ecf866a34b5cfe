import { evaluate } from '../../text/conditions.ts';
import type { Step, Template } from '../template-types.generated.ts';
import type { MachineState } from './machine-state.ts';

/** The run around a machine, as its state file has it: what `when` conditions and sentences need besides the machine. */
export type RunFacts = Readonly<Record<string, unknown>>;

/** For commands that name the run; null for a machine without one. */
export function runIdIn(facts: RunFacts): string | null {
  const id = facts['run_id'];
  return typeof id === 'string' ? id : null;
}

/** The run as an argument of a command: whoever follows a hint may be in a terminal where no run, or another one, is meant. */
export function runArgument(run: string | null): string {
  return run === null ? '' : ` ${run}`;
}

export function runOption(run: string | null): string {
  return run === null ? '' : ` --run ${run}`;
}

/** What the moves of a machine depend on besides its state. */
export interface MachineContext {
  template: Template;
  facts: RunFacts;
}

/** Whether the step's condition is false. A condition that cannot be read counts as false. */
export function isPassedBy({ when }: Step, state: MachineState, facts: RunFacts): boolean {
  if (when === undefined) return false;
  const { inputs = {}, outputs } = state;
  const result = evaluate(when, { inputs, outputs, ...facts, machine: state });
  return result.kind === 'bad' || !result.value;
}
