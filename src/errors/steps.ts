import { unreachable } from '../util/unreachable.ts';
import type { Messages } from './messages.ts';

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
  no_earlier_step: {
    given: string;
    step: string;
    isKnown: boolean;
    earlier: string[];
    near?: string;
  };
  too_many_pivots: { pivots: number; max: number; step: string };
  blank_feedback: object;
  no_steps_to_go_back: { run: string };
  moved_meanwhile: { run: string };
  cancelled: { run: string };
}

export const stepMessages: Messages<StepFailures> = {
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
    hint: `go back to it with \`holdfast pivot ${failure.step} --feedback "…"\`, or give them to a run of their own: \`holdfast start --template <name>\``,
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
    hint: 'move it with `holdfast advance`, `holdfast pivot <step>` or `holdfast fail`',
  }),
  no_context_action: (failure) => ({
    message: `the present step of ${failure.run} asks for neither /compact nor /clear`,
    hint: '`holdfast status` shows what it asks for',
  }),
  no_earlier_step: (failure) => ({
    message: failure.isKnown
      ? `"${failure.given}" is no step before "${failure.step}", where the run stands`
      : `this workflow has no step "${failure.given}"${failure.near === undefined ? '' : `; "${failure.near}" is meant, perhaps`}`,
    hint:
      failure.earlier.length > 0
        ? `back from here it goes to ${failure.earlier.join(', ')}`
        : 'this is its first step: there is nothing to go back to',
  }),
  too_many_pivots: (failure) => ({
    message: `this run went back ${failure.pivots} times, and its template allows ${failure.max}: it stays at step "${failure.step}" and is marked as blocked`,
    hint: 'tell the user what does not come to an end; then go on with `holdfast advance`, or give it up with `holdfast fail --reason "…"`',
  }),
  blank_feedback: () => ({
    message: 'the feedback is blank',
    hint: 'say what is wrong and what is to be done differently: it is what the earlier step has to go by',
  }),
  no_steps_to_go_back: (failure) => ({
    message: `${failure.run} has no template, so it has no steps to go back to`,
    hint: 'set its phase with `holdfast update --phase <n>`, and keep the feedback with `holdfast update --remind "…"`',
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
