import { isNode, LineCounter, parseDocument } from 'yaml';
import { schemaErrorFrom, valueProblem } from '../settings/settings.ts';
import type { RunState } from '../state/types.ts';
import { inspectRun } from './run-view.ts';
import { archivedRunIdOf, isUsableRunId, runIdOf } from '../state/paths.ts';
import { isNewerFormat } from '../state/store/state-writer.ts';
import { isObject, ownMember } from '../text/json.ts';
import type { Problem } from '../text/problem.ts';
import { jsonProblem } from '../text/strict-json.ts';
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
  if (isObject(json) && isNewerFormat(json)) {
    const message = 'a newer version of holdfast wrote this file; update holdfast to change it';
    return [{ line: lineOf(['schema_version']), message }];
  }
  const idProblems = runIdProblems(json, name, lineOf(['run_id']));
  if (isValid(json)) {
    const phase = phaseProblems(json, lineOf(['phase', 'current']));
    // The machine state has to fit the template stored with it.
    const run = inspectRun(json);
    if (run.kind !== 'broken') return [...phase, ...idProblems];
    const { field, expected } = run.error;
    const line = lineOf(field.split(/[.[\]]+/));
    return [...phase, { line, message: `"${field}" must be ${expected}` }, ...idProblems];
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
  const counts = `the file's name counts${runId === null ? '' : `: ${runId}`}`;
  if (!isUsableRunId(written)) return [{ line, message: `"run_id" ${RUN_ID_RULE}; ${counts}` }];
  const message = `"run_id" is not unique: another run has it, so ${counts}`;
  return runId === null ? [] : [{ line, message }];
}

const RUN_ID_RULE =
  'must consist of letters, digits, ".", "_" and "-", at most 128 of them, without ".." and without a "-" at the start';

function isValid(json: unknown): json is RunState {
  return validate(json);
}

/** A rule that JSON Schema cannot express. */
function phaseProblems({ phase: { current, total } }: RunState, line: number): Problem[] {
  return current > total
    ? [{ line, message: `"phase.current" is ${current}, but there are only ${total}` }]
    : [];
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
