import { isNode, LineCounter, parseDocument } from 'yaml';
import { jsonProblem } from '../errors/json-problem.ts';
import type { Problem, StateFileDefect } from '../errors/problems.ts';
import { schemaErrorFrom, type SchemaError } from '../errors/schema-errors.ts';
import type { RunState } from '../state/types.ts';
import { inspectRun } from '../workflow/run.ts';
import { archivedRunIdOf, isUsableRunId, runIdOf } from '../state/paths.ts';
import { ownMember } from '../util/json.ts';
import validate from '../state/state-validator.generated.js';

export interface StateFileName {
  /** The id that names the run of this file; null if the file is not in the state folder. */
  runId: string | null;
  fileName: string;
}

export function checkStateFile(
  text: string,
  name: StateFileName = { runId: null, fileName: '' },
): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const json: unknown = JSON.parse(text);
  const lineOf = lineFinder(text);
  const idProblems = runIdProblems(json, name, lineOf(['run_id']));
  if (isValid(json)) {
    const phase = phaseProblems(json, lineOf(['phase', 'current']));
    return [...phase, ...stepProblems(json, lineOf), ...idProblems];
  }
  const problems = (validate.errors ?? [])
    .map((error) => schemaErrorFrom(error, json))
    .map((error) => valueProblem(error, lineOf));
  return [...problems, ...idProblems].toSorted((a, b) => a.line - b.line);
}

/** Readers ignore an id that does not count, but its author should know. */
function runIdProblems(json: unknown, { runId, fileName }: StateFileName, line: number): Problem[] {
  const written = ownMember(json, 'run_id');
  if (typeof written !== 'string' || written.trim() === '') return [];
  if ([runId, runIdOf(fileName), archivedRunIdOf(fileName)].includes(written)) return [];
  if (!isUsableRunId(written)) {
    return [stateProblem(line, { kind: 'unusable_run_id', usedId: runId })];
  }
  return runId === null ? [] : [stateProblem(line, { kind: 'run_id_taken', usedId: runId })];
}

function isValid(json: unknown): json is RunState {
  return validate(json);
}

/** A rule that JSON Schema cannot express. */
function phaseProblems({ phase: { current, total } }: RunState, line: number): Problem[] {
  return current > total
    ? [stateProblem(line, { kind: 'phase_beyond_total', current, total })]
    : [];
}

/** Checks that the machine state fits the template stored with it. */
function stepProblems(state: RunState, lineOf: (path: string[]) => number): Problem[] {
  const run = inspectRun(state);
  if (run.kind !== 'broken') return [];
  const { problem } = run;
  const line = lineOf(problem.field.split(/[.[\]]+/));
  return [stateProblem(line, { kind: 'broken_run', problem })];
}

function stateProblem(line: number, state: StateFileDefect): Problem {
  return { line, defect: { kind: 'state', state } };
}

/** JSON is valid YAML, and the YAML parser reports the position of each value. */
export function lineFinder(text: string): (path: string[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (path) => {
    const keys = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = keys.length === 0 ? document.contents : document.getIn(keys, true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1;
  };
}

export function valueProblem(error: SchemaError, lineOf: (path: string[]) => number): Problem {
  // A key that is missing has no line of its own, but the object it belongs to has.
  const path = error.keyword === 'required' ? error.path.slice(0, -1) : error.path;
  return { line: lineOf(path), defect: { kind: 'value', error } };
}
