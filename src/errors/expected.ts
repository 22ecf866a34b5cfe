import { unreachable } from '../util/unreachable.ts';

/** What a field in the state of a template run should have been. Hooks load only the sentences for these. */
export type ExpectedInRun =
  | { kind: 'text' | 'boolean' | 'scalar' | 'list' | 'filled_list' | 'object' }
  | { kind: 'whole_number'; min: number; max?: number }
  | { kind: 'one_of'; values: readonly string[] }
  | { kind: 'unique_id'; of: 'step' | 'task' }
  | { kind: 'step_of_template' | 'loop_of_template' | 'no_task' }
  | { kind: 'type_of_step'; type: string; step: string }
  | { kind: 'step_with_loop'; step: string }
  | { kind: 'task_index'; tasks: number; loop: string }
  | { kind: 'current_task_id'; id: string }
  | { kind: 'in_progress' | 'not_in_progress' };

/** The end of a sentence such as `it must be …`. */
export function describeExpectedInRun(expected: ExpectedInRun): string {
  switch (expected.kind) {
    case 'text':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'scalar':
      return 'text, a number, true or false';
    case 'list':
      return 'a list';
    case 'filled_list':
      return 'a list that is not empty';
    case 'object':
      return 'an object';
    case 'whole_number':
      return expected.max === undefined
        ? `a whole number, at least ${expected.min}`
        : `a whole number from ${expected.min} to ${expected.max}`;
    case 'one_of':
      return `one of ${expected.values.join(', ')}`;
    case 'unique_id':
      return `an id that no other ${expected.of} has`;
    case 'step_of_template':
      return 'a step of the template';
    case 'loop_of_template':
      return 'a loop of the template';
    case 'no_task':
      return 'absent, as this step has no tasks';
    case 'type_of_step':
      return `"${expected.type}", the type of step "${expected.step}"`;
    case 'step_with_loop':
      return `a step whose loop is defined, which the loop of "${expected.step}" is not`;
    case 'task_index':
      return `the index of one of the ${expected.tasks} tasks of "${expected.loop}"`;
    case 'current_task_id':
      return `"${expected.id}", the id of the task at that index`;
    case 'in_progress':
      return '"in_progress", as it is the current task';
    case 'not_in_progress':
      return 'anything but "in_progress"';
    default:
      return unreachable(expected);
  }
}
