import { isNode, LineCounter, parseDocument } from 'yaml';
import { isObject } from '../state/json.ts';
import validate, { type ValidationError } from '../state/state-validator.generated.js';

export interface Problem {
  line: number;
  message: string;
}

export function checkStateFile(text: string): Problem[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return [syntaxProblem(text, error instanceof Error ? error.message : String(error))];
  }
  const lineOf = lineFinder(text);
  if (validate(json)) return phaseProblems(json, lineOf(['phase', 'current']));
  const problems = (validate.errors ?? []).map((error) => ({
    line: lineOf(pathOf(error.instancePath)),
    message: sentence(error),
  }));
  return problems.toSorted((a, b) => a.line - b.line);
}

/** What a schema cannot say. */
function phaseProblems(json: unknown, line: number): Problem[] {
  const { current, total } = isObject(json) && isObject(json.phase) ? json.phase : {};
  return typeof current === 'number' && typeof total === 'number' && current > total
    ? [{ line, message: `"phase.current" is ${current}, but there are only ${total}` }]
    : [];
}

function syntaxProblem(text: string, message: string): Problem {
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  return {
    line: before.split('\n').length,
    message: `not JSON: ${message.replace(/ in JSON at position.*$/, '')}`,
  };
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
    const missing = [name, String(params.missingProperty)].filter((part) => part !== '').join('.');
    return `"${missing}" is missing`;
  }
  const subject = name === '' ? 'the file' : `"${name}"`;
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `${subject} must be one of ${params.allowedValues.join(', ')}`;
  }
  if (keyword === 'pattern') return `${subject} ${patternWords(name)}`;
  return `${subject} ${message ?? 'is not valid'}`;
}

function patternWords(name: string): string {
  if (name.startsWith('required_reading')) return 'must start with @';
  if (name.endsWith('_at')) return 'must be a time like 2025-12-09T14:30:52Z';
  return 'must not be blank';
}
