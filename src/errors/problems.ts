import { unreachable } from '../util/unreachable.ts';
import { describeExpectedInRun } from './expected.ts';
import type { Refusal } from './refusal.ts';
import { describeSchemaError, type SchemaError } from './schema-errors.ts';
import type { BrokenRun } from './steps.ts';
import { describeTemplateDefect, type TemplateDefect } from './template-defects.ts';
import { describeTextDefect, type TextDefect } from './text-defects.ts';

/** What is wrong in a file, and on which line. */
export interface Problem {
  line: number;
  defect: Defect;
}

export interface FileProblem extends Problem {
  file: string;
}

export type Defect =
  | { kind: 'no_such_file' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'text'; text: TextDefect }
  | { kind: 'template'; template: TemplateDefect }
  /** A value of a state file or of the settings. */
  | { kind: 'value'; error: SchemaError }
  | { kind: 'state'; state: StateFileDefect };

/** What no schema can say about a state file. `usedId` names its run instead; null if the file is in no project. */
export type StateFileDefect =
  | { kind: 'unusable_run_id' | 'run_id_taken'; usedId: string | null }
  | { kind: 'phase_beyond_total'; current: number; total: number }
  | { kind: 'broken_run'; problem: BrokenRun };

/** As users and programs read it. */
export interface DescribedProblem {
  file: string;
  line: number;
  message: string;
}

export function describeProblem({ file, line, defect }: FileProblem): DescribedProblem {
  return { file, line, message: describeDefect(defect) };
}

/** Whether it is about the file as a whole, of which no line was read. */
export function isUnread({ kind }: Defect): boolean {
  return kind === 'no_such_file' || kind === 'refused';
}

export function describeDefect(defect: Defect): string {
  switch (defect.kind) {
    case 'no_such_file':
      return 'there is no such file';
    case 'refused':
      return `it cannot be read: ${defect.why}`;
    case 'text':
      return describeTextDefect(defect.text);
    case 'template':
      return describeTemplateDefect(defect.template);
    case 'value':
      return describeValueError(defect.error);
    case 'state':
      return describeStateFileDefect(defect.state);
    default:
      return unreachable(defect);
  }
}

const MAX_PROBLEMS = 20;

/** Sorted by line, without duplicates. */
export function sortedProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].toSorted((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
}

function describeValueError(error: SchemaError): string {
  const name = error.path.join('.');
  if (error.keyword === 'additionalProperties') return `unknown key "${name}"`;
  return `${name === '' ? 'the file' : `"${name}"`} ${describeSchemaError(error)}`;
}

const RUN_ID_RULE =
  'must consist of letters, digits, ".", "_" and "-", at most 128 of them, without ".." and without a "-" at the start';

function describeStateFileDefect(defect: StateFileDefect): string {
  switch (defect.kind) {
    case 'unusable_run_id':
      return `"run_id" ${RUN_ID_RULE}; ${nameCounts(defect.usedId)}`;
    case 'run_id_taken':
      return `"run_id" is not unique: another run has it, so ${nameCounts(defect.usedId)}`;
    case 'phase_beyond_total':
      return `"phase.current" is ${defect.current}, but there are only ${defect.total}`;
    case 'broken_run':
      return `"${defect.problem.field}" must be ${describeExpectedInRun(defect.problem.expected)}`;
    default:
      return unreachable(defect);
  }
}

function nameCounts(usedId: string | null): string {
  return usedId === null ? "the file's name counts" : `the file's name counts: ${usedId}`;
}
