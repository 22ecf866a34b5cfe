import { checkedSnapshot, checkedState } from '../machine/check-state.ts';
import { contextActionState } from '../machine/context-action.ts';
import type { MachineState } from '../machine/machine-state.ts';
import { BrokenRunError, placeOf } from '../machine/position.ts';
import { statusOf } from '../machine/status.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { isEnded } from './phases.ts';
import type { PhaseRun, Run, RunFile, RunState, TemplateRun } from './types.ts';

/** The run in a state file. Nobody below asks again whether there is a template, or whether it can be used. */
export function parseRun(file: RunFile): Run {
  const { template, machine } = file.state;
  if (template === undefined && machine === undefined)
    return { ...fileOf(file), kind: 'phases' };
  try {
    const snapshot = checkedSnapshot(template);
    return templateRun(file, snapshot, checkedState(snapshot, machine));
  } catch (error) {
    if (!(error instanceof BrokenRunError)) throw error;
    return { ...fileOf(file), kind: 'broken', error };
  }
}

/** The run with another state. What was checked of its template and its machine is not checked again. */
export function withState(run: Run, state: RunState): Run {
  const file = { ...fileOf(run), state };
  const isSameMachine =
    state.template === run.state.template &&
    state.machine === run.state.machine;
  if (run.kind === 'template' && isSameMachine)
    return templateRun(file, run.template, run.machine);
  return parseRun(file);
}

/** A run at a state of its machine that is known to fit its template. */
export function templateRun(
  file: RunFile,
  template: Template,
  machine: MachineState,
): TemplateRun {
  const place = placeOf(template, machine);
  // A run that was ended before its last step has nothing to do, although its machine does not know that it is over.
  const isOver = isEnded(file.state);
  const facts = { template, facts: file.state };
  return {
    ...fileOf(file),
    kind: 'template',
    template,
    machine,
    place,
    status: statusOf(facts, machine, place, isOver),
    action: isOver ? null : contextActionState(machine),
  };
}

/** The run at another state of its machine, which is known to fit its template. */
export function withMachineState(
  run: TemplateRun,
  machine: MachineState,
): TemplateRun {
  const state = { ...run.state, machine: { ...machine } };
  return templateRun({ ...run, state }, run.template, machine);
}

/** Neither paused nor over: a session that has it works on it. */
export function isActive(run: Run): boolean {
  return run.state.status === 'in_progress';
}

/** For those who cannot go on with a broken run. */
export function requireUsable(run: Run): PhaseRun | TemplateRun {
  if (run.kind === 'broken') throw run.error;
  return run;
}

/** A run that has no state file yet. */
export function draftRun(state: RunState): Run {
  const runId = state.run_id ?? '';
  return parseRun({ runId, slug: '', path: '', state, modifiedAt: 0 });
}

/** The file alone, without what was parsed of it. */
const fileOf = ({
  runId,
  slug,
  path,
  state,
  modifiedAt,
}: RunFile): RunFile => ({
  runId,
  slug,
  path,
  state,
  modifiedAt,
});
