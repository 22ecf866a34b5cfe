import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { lineAt, type Problem } from './problem.ts';

/** The first place where a text is not strict JSON. The host ignores such a settings file completely. */
export function strictJsonProblem(
  text: string,
): { line: number; why: string } | null {
  const clean = text.replace(/^\uFEFF/, ' ');
  try {
    JSON.parse(clean);
    return null;
  } catch {
    const errors: ParseError[] = [];
    if (!isParsed(clean, errors)) return { line: 1, why: 'nested too deeply' };
    const [first] = errors;
    if (first === undefined) {
      // What the engine says has a part of the text in it.
      return { line: 1, why: 'it cannot be parsed' };
    }
    const { at, why } = described(first, clean);
    return { line: lineAt(clean, at), why };
  }
}

export function jsonProblem(text: string): Problem | undefined {
  const problem = strictJsonProblem(text);
  return problem === null
    ? undefined
    : { line: problem.line, message: `not JSON: ${problem.why}` };
}

/** The parser is recursive, so deep nesting overflows its stack. */
function isParsed(text: string, errors: ParseError[]): boolean {
  try {
    parseTree(text, errors, {
      disallowComments: true,
      allowTrailingComma: false,
    });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function described(
  { error, offset }: ParseError,
  text: string,
): { at: number; why: string } {
  const name = printParseErrorCode(error);
  if (name === 'InvalidCommentToken') return { at: offset, why: 'a comment' };
  const before = text.slice(0, offset).trimEnd();
  if (before.endsWith(',') && /^[}\]]/.test(text.slice(offset))) {
    return { at: before.length - 1, why: 'a trailing comma' };
  }
  if (text[offset] === "'") return { at: offset, why: 'single quotes' };
  return {
    at: offset,
    why: name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(),
  };
}
