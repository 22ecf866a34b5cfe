import { shellQuote } from '../util/shell-quote.ts';
import { unreachable } from '../util/unreachable.ts';

/** What a value should have been. */
export type Expected =
  | { kind: 'filled_text' | 'texts' }
  | { kind: 'file_to_read'; files: readonly string[]; more: number }
  | { kind: 'at_most_characters'; max: number; instead: 'artefact' | 'feedback' }
  | { kind: 'name'; max: number }
  | {
      kind: 'nothing_with_template' | 'nothing_with_plan' | 'left_out_with_template';
    }
  | { kind: 'phase_number' | 'phase_names' | 'key_value' }
  | { kind: 'amount' | 'duration' | 'nothing_without_template' }
  | { kind: 'todo_text' | 'todo_stdin' | 'todo_number' }
  | { kind: 'sync_timeout' }
  | ExpectedInRun;

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
export function describeExpected(expected: Expected): string {
  switch (expected.kind) {
    case 'filled_text':
      return 'text that is not blank';
    case 'file_to_read':
      return expected.files.length === 0
        ? 'a file, and this is a folder without files'
        : `a file, and this is a folder: name its files, such as ${expected.files.map((file) => `--read ${shellQuote(file)}`).join(' ')}${expected.more > 0 ? ` and ${expected.more} more` : ''}`;
    case 'texts':
      return 'a list of texts';
    case 'at_most_characters':
      return `at most ${expected.max} characters; put the text into a file and ${expected.instead === 'artefact' ? 'name it with --artefact' : 'name that in the feedback'}`;
    case 'name':
      return `a name of 1 to ${expected.max} characters`;
    case 'nothing_with_template':
      return 'nothing, as the steps of the template are the phases';
    case 'nothing_with_plan':
      return 'nothing, as the plan of --from-plan says what the phases are';
    case 'nothing_without_template':
      return 'nothing without --template, as a run that exists has its inputs; `holdfast update --set` changes a fact about it';
    case 'left_out_with_template':
      return 'left out if template is given; describe the run in summary';
    case 'phase_number':
      return 'a number such as 3 or 3/7';
    case 'phase_names':
      return 'names separated by commas, such as "Design,Build,Ship"';
    case 'key_value':
      return 'key=value';
    case 'amount':
      return 'an amount in US dollars, such as 2.50';
    case 'duration':
      return 'a duration such as 40s, 15m or 2h';
    case 'todo_text':
      return 'the text of the list, such as "- [ ] write the tests"';
    case 'todo_stdin':
      return '-, which reads the list from standard input';
    case 'todo_number':
      return 'the number of an item';
    case 'sync_timeout':
      return 'a time such as 40s, 5m or 1h';
    default:
      return describeExpectedInRun(expected);
  }
}

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
