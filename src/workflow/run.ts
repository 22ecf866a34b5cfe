import type { RunState } from '../state/types.ts';
import { checkedState } from './machine/check-state.ts';
import type { MachineState } from './machine/machine-state.ts';
import { BrokenRun } from './machine/shape-checks.ts';
import { checkedSnapshot } from './template/snapshot.ts';
import type { Template } from './template/template-types.generated.ts';

/** One execution of a workflow, with everything in its state file checked. */
export type Run = PhaseRun | TemplateRun;

/** Moves through phases that a person, an agent or a source named. */
export interface PhaseRun {
  kind: 'phases';
  state: RunState;
}

/** Moves through the steps of a template, of which the state file has a copy. */
export interface TemplateRun {
  kind: 'template';
  state: RunState;
  template: Template;
  machine: MachineState;
}

/** A state is never changed in place, so each is checked once, however many tasks it has. */
const parsed = new WeakMap<RunState, Run>();

/** Throws `broken_run` if the template or the machine in the state file are not usable. */
export function parseRun(state: RunState): Run {
  const known = parsed.get(state);
  if (known !== undefined) return known;
  const run = parse(state);
  parsed.set(state, run);
  return run;
}

/** A run whose field `field` does not fit: it must be `expected`. */
export interface UnusableRun extends Pick<BrokenRun, 'field' | 'expected'> {
  kind: 'broken';
}

/** For callers that go on with a broken run, such as hooks and reports. */
export function inspectRun(state: RunState): Run | UnusableRun {
  try {
    return parseRun(state);
  } catch (error) {
    if (!(error instanceof BrokenRun)) throw error;
    return { kind: 'broken', field: error.field, expected: error.expected };
  }
}

function parse(state: RunState): Run {
  if (state.template === undefined && state.machine === undefined) return { kind: 'phases', state };
  const template = checkedSnapshot(state.template);
  const machine = checkedState(template, state.machine);
  return { kind: 'template', state, template, machine };
}
