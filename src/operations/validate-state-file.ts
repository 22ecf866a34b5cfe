import { isNode, LineCounter, parseDocument } from 'yaml';
import { describeExpectedInRun } from '../errors/expected.ts';
import { describeSchemaError, schemaErrorFrom, type SchemaError } from '../errors/schema-errors.ts';
import type { RunState } from '../state/types.ts';
import { inspectRun } from '../workflow/run.ts';
import { jsonProblem } from '../util/strict-json.ts';
import type { Problem } from '../util/problem.ts';
import validate from '../state/state-validator.generated.js';

export function checkStateFile(text: string): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const json: unknown = JSON.parse(text);
  const lineOf = lineFinder(text);
  if (isValid(json)) {
    return [...phaseProblems(json, lineOf(['phase', 'current'])), ...stepProblems(json, lineOf)];
  }
  const problems = (validate.errors ?? [])
    .map((error) => schemaErrorFrom(error, json))
    .map((error) => ({ line: lineOf(pathInFile(error)), message: sentence(error) }));
  return problems.toSorted((a, b) => a.line - b.line);
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
function lineFinder(text: string): (path: string[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (path) => {
    const keys = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = keys.length === 0 ? document.contents : document.getIn(keys, true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1;
  };
}

/** A key that is missing has no line of its own, but the object it belongs to has. */
function pathInFile({ keyword, path }: SchemaError): string[] {
  return keyword === 'required' ? path.slice(0, -1) : path;
}

function sentence(error: SchemaError): string {
  const name = error.path.join('.');
  if (error.keyword === 'additionalProperties') return `unknown key "${name}"`;
  return `${name === '' ? 'the file' : `"${name}"`} ${describeSchemaError(error)}`;
}
