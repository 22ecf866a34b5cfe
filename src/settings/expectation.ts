import { truncate } from '../util/sanitize.ts';
import type { SchemaError } from './schema-errors.ts';

/** What a schema asks for, as the end of a sentence about the value. */
export function expectation({ path, keyword, expected, given }: SchemaError): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'enum':
      return `must be one of ${Array.isArray(expected) ? expected.join(', ') : ''}`;
    case 'pattern':
      return `must be ${patternWords(path)}, not ${truncate(JSON.stringify(given), 60)}`;
    case 'minimum':
      return `must be >= ${String(expected)}`;
    case 'maximum':
      return `must be <= ${String(expected)}`;
    case 'maxItems':
      return `must have at most ${String(expected)} entries`;
    default:
      return `must be ${String(expected)}`;
  }
}

function patternWords(path: string[]): string {
  if (path.includes('reload_triggers')) {
    return 'session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B';
  }
  if (path.at(-1) === 'id') return 'of letters, digits, - and _, at most 100 of them';
  return path[0] === 'detect' || path[0] === 'todo'
    ? 'a path inside the project (no "..", no "**", not absolute)'
    : 'a text that is not blank';
}
