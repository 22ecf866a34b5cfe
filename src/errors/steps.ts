import { unreachable } from '../util/unreachable.ts';
import { describeExpectedInRun, type ExpectedInRun } from './expected.ts';
import type { Messages } from './messages.ts';

export type TaskProblem =
  | { kind: 'no_title' }
  | { kind: 'same_id'; id: string }
  | { kind: 'too_long'; field: 'id' | 'title' | 'description'; length: number; max: number };

/** A field of a state file that does not fit the template beside it. */
export interface BrokenRun {
  field: string;
  expected: ExpectedInRun;
}

export interface MissingInput {
  name: string;
  description?: string;
}

/** Who follows the hint may be in a terminal, where a command without the run's name could mean another one. */
interface OfRun {
  /** Null if it is not known. */
  run: string | null;
}

export interface StepFailures {
  not_started: { workflow: string };
  workflow_over: { workflow: string; status: 'complete' | 'failed'; reason: string };
  waiting_for_tasks: { loop: string; gated: boolean } & OfRun;
  approval_pending: { step: string; canReject: boolean } & OfRun;
  no_approval: { step: string | null } & OfRun;
  step_passed_by: { step: string; when: string } & OfRun;
  no_step_before: { step: string } & OfRun;
  missing_inputs: { template: string; inputs: MissingInput[] };
  nothing_to_do: { template: string };
  gate_not_skipped: { loop: string; step: string };
  unknown_loop: { given: string; loops: string[] };
  loop_over: { given: string; step: string } & OfRun;
  bad_task: { entry: number; problem: TaskProblem };
  too_many_tasks: { count: number; max: number };
  broken_run: BrokenRun;
  no_earlier_step: {
    given: string;
    step: string;
    isKnown: boolean;
    earlier: string[];
    near?: string;
  };
  too_many_pivots: {
    pivots: number;
    max: number;
    step: string;
    /** What the step waits for before it can be advanced; null if for nothing. */
    waitsFor: 'approval' | { tasks: string } | null;
  } & OfRun;
  step_not_skipped: { step: string } & OfRun;
  artefacts_missing: { step: string; paths: string[]; forced: string };
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
          message: `"${failure.workflow}" is complete; it has no steps left`,
          hint: 'start another run with `holdfast start`',
        }
      : {
          message: `"${failure.workflow}" has failed${failure.reason === '' ? '' : ` (${failure.reason})`}`,
          hint: 'retry the same step with `holdfast resume <run>`',
        },
  waiting_for_tasks: (failure) => ({
    message: `this step needs the tasks of "${failure.loop}"`,
    hint: `set them with \`holdfast tasks ${failure.loop}${optionOf(failure)}\` or the tool workflow_set_tasks${failure.gated ? '' : '; an empty list skips the step'}`,
  }),
  approval_pending: (failure) => ({
    message: `step "${failure.step}" waits for the user's approval`,
    hint: failure.canReject
      ? `ask the user to run \`holdfast approve${nameOf(failure)}\` or \`holdfast reject${nameOf(failure)} --feedback "…"\` in a terminal of their own`
      : `it was sent back as often as its template allows, so ask the user to run \`holdfast approve${nameOf(failure)}\` in a terminal of their own, or to end the run with \`holdfast complete${nameOf(failure)}\``,
  }),
  no_approval: (failure) => ({
    message: `${failure.step === null ? 'this run has no template' : `step "${failure.step}" is not an approval step`}, so there is nothing to approve or reject`,
    hint: `continue with \`holdfast advance${nameOf(failure)}\`${failure.step === null ? '' : `, or go back with \`holdfast pivot <step> --feedback "…"${optionOf(failure)}\``}`,
  }),
  step_passed_by: (failure) => ({
    message: `step "${failure.step}" does not apply to this run: its condition is false (${failure.when})`,
    hint: `go back to another step, or change what the condition looks at with \`holdfast update${nameOf(failure)} --set <key>=<value>\``,
  }),
  no_step_before: (failure) => ({
    message: `no step before "${failure.step}" applies to this run, so the work cannot be sent back`,
    hint: `approve it, or end the run with \`holdfast complete${nameOf(failure)}\``,
  }),
  missing_inputs: (failure) => ({
    message: `"${failure.template}" needs ${failure.inputs.map(describeInput).join(', ')}`,
    hint: `add ${failure.inputs.map(({ name }) => `--set ${name}=<value>`).join(' ')}`,
    data: { inputs: failure.inputs },
  }),
  nothing_to_do: (failure) => ({
    message: `no step of "${failure.template}" applies: all of their conditions are false`,
    hint: `\`holdfast templates show\` lists the conditions; set what they look at with --set <key>=<value>`,
  }),
  gate_not_skipped: (failure) => ({
    message: `step "${failure.step}" has a gate, so an empty list for "${failure.loop}" cannot skip it`,
    hint: 'set at least one task; the gate runs after the last one',
  }),
  unknown_loop: (failure) => ({
    message: `this workflow has no loop "${failure.given}"`,
    hint:
      failure.loops.length > 0
        ? `available: ${failure.loops.join(', ')}`
        : 'it has no loops, so it takes no tasks',
  }),
  loop_over: (failure) => ({
    message: `"${failure.given}" takes no more tasks: step "${failure.step}" is finished`,
    hint: `go back to it with \`holdfast pivot ${failure.step} --feedback "…"${optionOf(failure)}\`, or start another run for them: \`holdfast start --template <name>\``,
  }),
  bad_task: (failure) => ({
    message: `task ${failure.entry} ${taskProblem(failure.problem)}`,
    hint: NO_TASK_TAKEN,
  }),
  too_many_tasks: (failure) => ({
    message: `${failure.count} tasks exceed the limit of ${failure.max} for a loop`,
    hint: NO_TASK_TAKEN,
  }),
  broken_run: (failure) => ({
    message: `the state of this run is broken: ${describeBrokenRun(failure)}`,
    hint: 'correct it in the state file; `holdfast show <run>` prints its path',
  }),
  no_earlier_step: (failure) => ({
    message: failure.isKnown
      ? `step "${failure.given}" does not come before the current step "${failure.step}"`
      : `this workflow has no step "${failure.given}"${failure.near === undefined ? '' : `; did you mean "${failure.near}"?`}`,
    hint:
      failure.earlier.length > 0
        ? `earlier steps: ${failure.earlier.join(', ')}`
        : 'this is the first step of this run, so there is no earlier one',
  }),
  too_many_pivots: (failure) => ({
    message: `this run was sent back ${failure.pivots === 1 ? 'once' : `${failure.pivots} times`}, and its template allows ${failure.max}; it stays at step "${failure.step}" and is marked as blocked`,
    hint: waysOn(failure),
  }),
  step_not_skipped: (failure) => ({
    message: `step "${failure.step}" has a gate, so it cannot be skipped`,
    hint: `finish it with \`holdfast advance${nameOf(failure)}\`, or report why it cannot be done with \`holdfast fail${nameOf(failure)} --reason "…"\``,
  }),
  artefacts_missing: (failure) => ({
    message: `step "${failure.step}" must leave ${failure.paths.join(', ')}, which ${failure.paths.length === 1 ? 'does' : 'do'} not exist in the project`,
    hint: `the run was not advanced; create ${failure.paths.length === 1 ? 'it' : 'them'}, or advance without: \`${failure.forced}\``,
  }),
  moved_meanwhile: (failure) => ({
    message: `${failure.run} was advanced by another process while its gate ran`,
    hint: '`holdfast status` shows where it stands now',
  }),
  cancelled: (failure) => ({
    message: `request cancelled; ${failure.run} was not advanced`,
    hint: 'try again',
  }),
};

function waysOn({ waitsFor, ...failure }: StepFailures['too_many_pivots']): string {
  const name = nameOf(failure);
  if (waitsFor === 'approval')
    return `the user decides in a terminal: \`holdfast approve${name}\` accepts the work as it is, \`holdfast complete${name}\` ends the run`;
  const next =
    waitsFor === null
      ? `holdfast advance${name}`
      : `holdfast tasks ${waitsFor.tasks}${optionOf(failure)}`;
  return `tell the user why the work keeps being sent back; then continue with \`${next}\`, or report why it cannot be done with \`holdfast fail${name} --reason "…"\``;
}

/** The run as an argument of a command. */
function nameOf({ run }: OfRun): string {
  return run === null ? '' : ` ${run}`;
}

function optionOf({ run }: OfRun): string {
  return run === null ? '' : ` --run ${run}`;
}

function describeInput({ name, description }: MissingInput): string {
  return description === undefined ? `the input "${name}"` : `the input "${name}" (${description})`;
}

const NO_TASK_TAKEN = 'no task was added; correct the list and set it again';

export function describeBrokenRun({ field, expected }: BrokenRun): string {
  return `${field} must be ${describeExpectedInRun(expected)}`;
}

function taskProblem(problem: TaskProblem): string {
  switch (problem.kind) {
    case 'no_title':
      return 'has no title';
    case 'same_id':
      return `has the id "${problem.id}" of an earlier task in the list`;
    case 'too_long':
      return `has ${problem.field === 'id' ? 'an id' : `a ${problem.field}`} of ${problem.length} characters; the limit is ${problem.max}`;
    default:
      return unreachable(problem);
  }
}
