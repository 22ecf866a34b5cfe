import { unreachable } from '../unreachable.ts';
import type { WordsFor } from './words-for.ts';

export type TaskProblem =
  | { kind: 'no_title' }
  | { kind: 'same_id'; id: string }
  | { kind: 'too_long'; field: 'id' | 'title' | 'description'; length: number; max: number };

export interface StepFailures {
  not_started: { workflow: string };
  workflow_over: { workflow: string; status: 'complete' | 'failed'; reason: string };
  waiting_for_tasks: { loop: string; gated: boolean };
  gate_not_skipped: { loop: string; step: string };
  unknown_loop: { given: string; loops: string[] };
  loop_over: { given: string; step: string };
  bad_task: { entry: number; problem: TaskProblem };
  too_many_tasks: { count: number; max: number };
  broken_run: { field: string; expected: string };
  no_template: { run: string };
  template_decides: { option: string; run: string };
  no_context_action: { run: string };
  moved_meanwhile: { run: string };
  cancelled: { run: string };
}

export const stepWords: WordsFor<StepFailures> = {
  not_started: (failure) => ({
    message: `"${failure.workflow}" has not been started`,
    hint: 'start it first',
  }),
  workflow_over: (failure) =>
    failure.status === 'complete'
      ? {
          message: `"${failure.workflow}" is complete: there is no step left`,
          hint: 'start another run with `holdfast start`',
        }
      : {
          message: `"${failure.workflow}" has failed${failure.reason === '' ? '' : ` (${failure.reason})`}`,
          hint: 'go on at the same step with `holdfast resume <run>`',
        },
  waiting_for_tasks: (failure) => ({
    message: `this step waits for the tasks of "${failure.loop}"`,
    hint: `give them with \`holdfast tasks ${failure.loop}\` or the tool workflow_set_tasks${failure.gated ? '' : '; an empty list skips the step'}`,
  }),
  gate_not_skipped: (failure) => ({
    message: `step "${failure.step}" has a gate, so an empty list for "${failure.loop}" cannot skip it`,
    hint: 'give at least one task; the gate is passed with the last of them',
  }),
  unknown_loop: (failure) => ({
    message: `this workflow has no loop "${failure.given}"`,
    hint:
      failure.loops.length > 0
        ? `there is: ${failure.loops.join(', ')}`
        : 'it has no loops at all, so it takes no tasks',
  }),
  loop_over: (failure) => ({
    message: `"${failure.given}" takes no more tasks: step "${failure.step}" is finished`,
    hint: 'give them to a run of their own: `holdfast start --template <name>`',
  }),
  bad_task: (failure) => ({
    message: `task ${failure.entry} ${taskProblem(failure.problem)}`,
    hint: NO_TASK_TAKEN,
  }),
  too_many_tasks: (failure) => ({
    message: `${failure.count} tasks are more than a loop takes`,
    hint: `it takes ${failure.max}; ${NO_TASK_TAKEN}`,
  }),
  broken_run: (failure) => ({
    message: `the state of this run is broken: ${failure.field} must be ${failure.expected}`,
    hint: 'correct it in the state file; `holdfast show <run>` tells where that is',
  }),
  no_template: (failure) => ({
    message: `${failure.run} has no template, so it has no loops`,
    hint: 'go on with `holdfast advance`, or start a run with `holdfast start --template <name>`',
  }),
  template_decides: (failure) => ({
    message: `${failure.option} does not fit ${failure.run}: its template decides where it stands`,
    hint: 'move it with `holdfast advance` or `holdfast fail`',
  }),
  no_context_action: (failure) => ({
    message: `the present step of ${failure.run} asks for neither /compact nor /clear`,
    hint: '`holdfast status` shows what it asks for',
  }),
  moved_meanwhile: (failure) => ({
    message: `${failure.run} was moved on while its gate ran`,
    hint: '`holdfast status` shows where it stands now',
  }),
  cancelled: (failure) => ({
    message: `${failure.run} was not moved: whoever asked for it no longer waits`,
    hint: 'ask again',
  }),
};

const NO_TASK_TAKEN = 'none of the tasks was taken; correct the list and give it again';

function taskProblem(problem: TaskProblem): string {
  switch (problem.kind) {
    case 'no_title':
      return 'has no title';
    case 'same_id':
      return `has the id "${problem.id}", which an earlier one in the list has too`;
    case 'too_long':
      return `has ${problem.field === 'id' ? 'an id' : `a ${problem.field}`} of ${problem.length} characters, and at most ${problem.max} are kept`;
    default:
      return unreachable(problem);
  }
}
