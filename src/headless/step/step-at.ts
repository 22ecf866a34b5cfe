import { holderOf } from '../../sessions/holder.ts';
import type { StoredRun } from '../../state/types.ts';
import { positionKey } from '../../workflow/machine/next-action.ts';
import { statusOf } from '../../workflow/machine/status.ts';
import { inspectRun, type TemplateRun } from '../../workflow/run.ts';
import { phaseStates, type PhaseState } from '../../workflow/run-view.ts';

/** Where a run stands, as the driver sees it. */
export interface StepAt {
  run: StoredRun;
  templateRun: TemplateRun;
  step: string;
  /** Identifies this entry into the step, task, sub-step or iteration; retries belong to the same one. */
  entry: string;
  /** In words: `step 2 of 5 (build), iteration 1 of 3`. */
  label: string;
  number: number;
  total: number;
  /** Of all steps, in their order. */
  states: PhaseState[];
  /** Counts from 1; more after a failure that is retried. */
  attempt: number;
  agent: string | null;
  holder: string | null;
  /** The run is complete, failed or ended. */
  isOver: boolean;
}

/** Null if the run has no template that can be read. */
export function stepAt(run: StoredRun): StepAt | null {
  const templateRun = inspectRun(run.state);
  if (templateRun.kind !== 'template') return null;
  const { template, machine } = templateRun;
  const { progress, agent, status } = statusOf({ template, facts: run.state }, machine);
  const { retries: _retries, ...entry } = machine;
  const stateOf = phaseStates(run.state);
  const runStatus = run.state.status ?? 'in_progress';
  return {
    run,
    templateRun,
    step: machine.step,
    entry: positionKey(run.runId, entry),
    label: progress.text,
    number: progress.currentStep,
    total: progress.totalSteps,
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: (machine.retries ?? 0) + 1,
    agent,
    holder: holderOf(run.state),
    isOver: status !== 'running' || runStatus === 'completed' || runStatus === 'cancelled',
  };
}
