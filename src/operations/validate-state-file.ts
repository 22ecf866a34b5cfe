import { isNode, LineCounter, parseDocument } from 'yaml';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { RunState } from '../state/types.ts';
import { templateRunOf } from '../workflow/run-view.ts';
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
    message: describeError(error),
  }));
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
  try {
    templateRunOf(state);
    return [];
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.failure.code !== 'broken_run') throw error;
    const { field, expected } = error.failure;
    return [{ line: lineOf(field.split(/[.[\]]+/)), message: `"${field}" must be ${expected}` }];
  }
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

function pathOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function describeError({ instancePath, keyword, params, message }: ValidationError): string {
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
  if (keyword === 'pattern') return `${subject} ${patternMessage(name)}`;
  return `${subject} ${message ?? 'is not valid'}`;
}

function patternMessage(name: string): string {
  if (name.includes('.reload_triggers.')) {
    return 'must be session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B';
  }
  if (name.endsWith('.id')) return 'must consist of letters, digits, - and _, at most 100 of them';
  if (name.startsWith('required_reading')) return 'must start with @';
  if (name.endsWith('_at')) return 'must be a time like 2025-12-09T14:30:52Z';
  return 'must not be blank';
}
