import { describeExpected, type Expected } from './expected.ts';
import { unreachable } from '../util/unreachable.ts';
import type { Messages } from './messages.ts';
import { describeProblem, isUnread, type FileProblem } from './problems.ts';
import type { Refusal } from './refusal.ts';
import { describeStateDefect, type StateDefect } from './state-files.ts';

/** Why a file is not an exported run. */
export type ExportDefect =
  | { kind: 'not_an_export' | 'newer_version' | 'bad_slug' | 'bad_run_id' }
  | { kind: 'bad_state'; defect: StateDefect };

export type TaskListProblem =
  | { kind: 'empty' | 'no_open_task' | 'not_an_array' }
  | { kind: 'no_title'; entry: number }
  | { kind: 'not_json'; parser: string };

export type InputProblem =
  | { kind: 'no_such_file' | 'nothing_piped' | 'empty' | 'outside_for_agent' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'larger_than'; megabytes: number }
  | { kind: 'system'; errno: string }
  | { kind: 'not_json'; parser: string }
  | { kind: 'not_a_run'; defect: ExportDefect };

/** A value as it was given, or what it was if it cannot be repeated. */
export type GivenValue = string | { characters: number } | { binary: true };

export interface InputFailures {
  bad_value: { option: string; given: GivenValue; expected: Expected };
  no_such_folder: { path: string };
  /** An agent names another project in a place where no rule of the client can tell the call from one of this project. */
  cwd_after_command: { path: string };
  /** `schemas` is the folder that describes the formats; null if it is not there. */
  invalid_files: { checked: number; problems: FileProblem[]; schemas: string | null };
  unreadable_input: { what: string; problem: InputProblem };
  unreadable_tasks: { problem: TaskListProblem };
  not_text: { path: string };
  /** `forbidden` is what the user has no right to use: the path itself, or a folder that it is in. */
  disk_refused: { path: string; reason: string; forbidden: string | null };
}

export const inputMessages: Messages<InputFailures> = {
  bad_value: (failure) => ({
    message:
      failure.given === ''
        ? `${failure.option} is blank`
        : `invalid value ${describeGiven(failure.given)} for ${failure.option}`,
    hint: `expected ${describeExpected(failure.expected)}`,
  }),
  no_such_folder: (failure) => ({
    message: `there is no folder ${failure.path}`,
    hint: 'check --cwd',
  }),
  cwd_after_command: (failure) => ({
    message: `${failure.path} is another project, so in an agent's session --cwd comes before the command`,
    hint: 'type it right after `holdfast`; Claude Code then asks the user',
  }),
  invalid_files: ({ checked, problems, schemas }) => ({
    message: `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} found`,
    hint: invalidFilesHint(problems, schemas),
    data: { checked, problems: problems.map(describeProblem) },
  }),
  unreadable_input: (failure) => ({
    message: `cannot read ${failure.what}: ${inputProblem(failure.problem)}`,
    hint: inputHint(failure.problem),
  }),
  unreadable_tasks: (failure) => ({
    message: `cannot read the list of tasks: ${taskListProblem(failure.problem)}`,
    hint: 'give one task a line, or a JSON array, with --file <file> or on standard input; `[]` is an empty list, which skips the loop',
  }),
  not_text: (failure) => ({
    message: `${failure.path} is not UTF-8 text`,
    hint: 'save it as UTF-8, then try again; nothing was changed',
  }),
  disk_refused: (failure) => ({
    message: `the file system refused ${failure.path} (${failure.reason})`,
    hint:
      failure.forbidden === null
        ? 'try again; `holdfast status` shows where the run stands'
        : `check the permissions of ${failure.forbidden}`,
  }),
};

function invalidFilesHint(problems: readonly FileProblem[], schemas: string | null): string {
  const unread = problems.filter(({ defect }) => isUnread(defect)).length;
  return [
    ...(unread < problems.length ? ['correct the lines named above'] : []),
    ...(unread > 0 ? ['name files that exist and that you may read'] : []),
    ...(unread < problems.length && schemas !== null ? [`${schemas} describes the formats`] : []),
  ].join('; ');
}

function inputProblem(problem: InputProblem): string {
  switch (problem.kind) {
    case 'no_such_file':
      return 'there is no such file';
    case 'nothing_piped':
      return 'nothing is piped in';
    case 'empty':
      return 'standard input is empty';
    case 'outside_for_agent':
      return "it is outside the project, and this is an agent's session";
    case 'refused':
      return problem.why;
    case 'larger_than':
      return `it is larger than ${problem.megabytes} MB`;
    case 'system':
      return problem.errno;
    case 'not_json':
      return `it is not JSON (${problem.parser})`;
    case 'not_a_run':
      return describeExportDefect(problem.defect);
    default:
      return unreachable(problem);
  }
}

function inputHint({ kind }: InputProblem): string {
  switch (kind) {
    case 'nothing_piped':
      return 'pipe the text into the command, or give it in place of the -; nothing was changed';
    case 'empty':
      return 'check the command before the pipe, or give the text in place of the -; nothing was changed';
    case 'outside_for_agent':
      return 'pipe the text in with `-` in place of the path, or name a file in the project; nothing was changed';
    case 'not_json':
    case 'not_a_run':
      return 'give a file that `holdfast export` has written; nothing was changed';
    default:
      return 'check the path and its permissions';
  }
}

function taskListProblem(problem: TaskListProblem): string {
  switch (problem.kind) {
    case 'empty':
      return 'it is empty';
    case 'no_open_task':
      return 'none of its lines is an open task';
    case 'not_an_array':
      return 'it is not a JSON array';
    case 'no_title':
      return `entry ${problem.entry} has no "title"`;
    case 'not_json':
      return `it is not JSON (${problem.parser})`;
    default:
      return unreachable(problem);
  }
}

function describeExportDefect(defect: ExportDefect): string {
  switch (defect.kind) {
    case 'not_an_export':
      return 'it was not written by `holdfast export`';
    case 'newer_version':
      return 'it was written by a newer version of holdfast';
    case 'bad_slug':
      return '"slug" is not the name of a run';
    case 'bad_run_id':
      return '"run_id" is not the name of a run';
    case 'bad_state':
      return `"state": ${describeStateDefect(defect.defect)}`;
    default:
      return unreachable(defect);
  }
}

function describeGiven(given: GivenValue): string {
  if (typeof given === 'string') return `"${given}"`;
  return 'binary' in given ? 'of binary data' : `of ${given.characters} characters`;
}
