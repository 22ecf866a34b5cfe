import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { strictJsonProblem } from '../../../src/text/strict-json.ts';
import { repetitions } from '../../support/repetitions.ts';

describe('what the host ignores is named with its line', () => {
  test.each([
    ['a comment', '{\n  // mine\n  "a": 1\n}', { line: 2, why: 'a comment' }],
    [
      'a comma before }',
      '{\n  "a": 1,\n}',
      { line: 2, why: 'a trailing comma' },
    ],
    [
      'a comma in [',
      '{\r\n  "a": [\r\n    1,\r\n  ]\r\n}',
      { line: 3, why: 'a trailing comma' },
    ],
    [
      'a missing brace',
      '{\n  "a": {\n    "b": 1\n}',
      { line: 4, why: 'close brace expected' },
    ],
    [
      'a byte order mark before a comment',
      '\uFEFF// mine\n{}',
      { line: 1, why: 'a comment' },
    ],
  ])('%s', (_what, text, problem) => {
    expect(strictJsonProblem(text)).toEqual(problem);
  });
});

test('there is a problem exactly where the host would find one, on a line that is there', () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '01',
      '-',
      '1e',
      'null',
      'nul',
      '\\u00',
    ],
    ...[
      '\n',
      '\r\n',
      ' ',
      '\u00A0',
      '\u2028',
      '\uFEFF',
      '//',
      '/*',
      '*/',
      "'",
      '\t',
      '\u0000',
    ],
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 14 }).map((list) => list.join('')),
    fc.tuple(fc.json(), fc.nat(), pieces).map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + piece + text.slice(cut);
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const problem = strictJsonProblem(text);
      expect(problem === null).toBe(isJson(text.replace(/^\uFEFF/, '')));
      if (problem === null) return;
      expect(problem.why).not.toBe('');
      expect(problem.line).toBeGreaterThanOrEqual(1);
      expect(problem.line).toBeLessThanOrEqual(text.split('\n').length);
    }),
    { numRuns: repetitions(400) },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
