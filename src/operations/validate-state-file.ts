import { isNode, LineCounter, parseDocument } from 'yaml';
import { describeExpected } from '../errors/expected.ts';
import type { RunState } from '../state/types.ts';
import { inspectRun } from '../workflow/run.ts';
import { jsonProblem } from '../util/strict-json.ts';
import type { Problem } from '../util/problem.ts';
import validate, { type ValidationError } from '../state/state-validator.generated.js';

export function checkStateFile(text: string): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const json: unknown = JSON.parse(text);
  const lineOf = lineFinder(text);
  if (isValid(json)) {
    return [...phaseProblems(json, lineOf(['phase', 'current'])), ...stepProblems(json, lineOf)];
  }
  const problems = (validate.errors ?? []).map((error) => ({
    line: lineOf(pathOf(error.instancePath)),
    message: sentence(error),
  }));
  return problems.toSorted((a, b) => a.line - b.line);
}

function isValid(json: unknown): json is RunState {
  return validate(json);
}

/** What a schema cannot say. */
function phaseProblems({ phase: { current, total } }: RunState, line: number): Problem[] {
  return current > total
    ? [{ line, message: `"phase.current" is ${current}, but there are only ${total}` }]
    : [];
}

/** Whether the state of the machine fits the template beside it. */
function stepProblems(state: RunState, lineOf: (path: string[]) => number): Problem[] {
  const run = inspectRun(state);
  if (run.kind !== 'broken') return [];
  const { field, expected } = run.problem;
  const message = `"${field}" must be ${describeExpected(expected)}`;
  return [{ line: lineOf(field.split(/[.[\]]+/)), message }];
}

/** JSON is YAML as well, and the YAML parser knows where each value stands. */
function lineFinder(text: string): (path: string[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (path) => {
    const keys = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = keys.length === 0 ? document.contents : document.getIn(keys, true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1;
  };
}

function pathOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function sentence({ instancePath, keyword, params, message }: ValidationError): string {
  const name = pathOf(instancePath).join('.');
  if (keyword === 'required') {
    const missing = [name, String(params['missingProperty'])]
      .filter((part) => part !== '')
      .join('.');
    return `"${missing}" is missing`;
  }
  if (keyword === 'additionalProperties') {
    return `unknown key "${[name, String(params['additionalProperty'])].join('.')}"`;
  }
  const subject = name === '' ? 'the file' : `"${name}"`;
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `${subject} must be one of ${params['allowedValues'].join(', ')}`;
  }
  if (keyword === 'pattern') return `${subject} ${patternWords(name)}`;
  return `${subject} ${message ?? 'is not valid'}`;
}

function patternWords(name: string): string {
  if (name.includes('.reload_triggers.')) {
    return 'must be session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B';
  }
  if (name.endsWith('.id')) return 'must consist of letters, digits, - and _, at most 100 of them';
  if (name.startsWith('required_reading')) return 'must start with @';
  if (name.endsWith('_at')) return 'must be a time like 2025-12-09T14:30:52Z';
  return 'must not be blank';
}
