import { isNode, LineCounter, parseDocument } from 'yaml';
import { describeExpectedInRun } from '../errors/expected.ts';
import { describeSchemaError, schemaErrorFrom, type SchemaError } from '../errors/schema-errors.ts';
import type { RunState } from '../state/types.ts';
import { inspectRun } from '../workflow/run.ts';
import { jsonProblem } from '../util/strict-json.ts';
import type { Problem } from '../util/problem.ts';
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
    .map((error) => ({ line: lineOf(pathInFile(error)), message: schemaSentence(error) }));
  return [...problems, ...idProblems].toSorted((a, b) => a.line - b.line);
}

/** Readers ignore an id that does not count, but its author should know. */
function runIdProblems(json: unknown, { runId, fileName }: StateFileName, line: number): Problem[] {
  const written = ownMember(json, 'run_id');
  if (typeof written !== 'string' || written.trim() === '') return [];
  if ([runId, runIdOf(fileName), archivedRunIdOf(fileName)].includes(written)) return [];
  const counts = runId === null ? "the file's name counts" : `the file's name counts: ${runId}`;
  if (!isUsableRunId(written)) {
    const rule =
      'must consist of letters, digits, ".", "_" and "-", at most 128 of them, without ".."';
    return [{ line, message: `"run_id" ${rule}; ${counts}` }];
  }
  return runId === null
    ? []
    : [{ line, message: `"run_id" is not unique: another run has it, so ${counts}` }];
}

function isValid(json: unknown): json is RunState {
  return validate(json);
}

/** A rule that JSON Schema cannot express. */
function phaseProblems({ phase: { current, total } }: RunState, line: number): Problem[] {
  return current > total
    ? [{ line, message: `"phase.current" is ${current}, but there are only ${total}` }]
    : [];
}

/** Checks that the machine state fits the template stored with it. */
function stepProblems(state: RunState, lineOf: (path: string[]) => number): Problem[] {
  const run = inspectRun(state);
  if (run.kind !== 'broken') return [];
  const { field, expected } = run.problem;
  const message = `"${field}" must be ${describeExpectedInRun(expected)}`;
  return [{ line: lineOf(field.split(/[.[\]]+/)), message }];
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

/** A key that is missing has no line of its own, but the object it belongs to has. */
export function pathInFile({ keyword, path }: SchemaError): string[] {
  return keyword === 'required' ? path.slice(0, -1) : path;
}

export function schemaSentence(error: SchemaError): string {
  const name = error.path.join('.');
  if (error.keyword === 'additionalProperties') return `unknown key "${name}"`;
  return `${name === '' ? 'the file' : `"${name}"`} ${describeSchemaError(error)}`;
}
