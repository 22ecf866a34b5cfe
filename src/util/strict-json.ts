import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { lineAt } from './problem.ts';

export type JsonSyntaxError =
  | { kind: 'comment' | 'trailing_comma' | 'single_quotes' | 'too_deep' }
  /** In the words of the parser. */
  | { kind: 'parser'; message: string };

export interface JsonProblem {
  line: number;
  why: JsonSyntaxError;
}

/** The first place where a text is not strict JSON. The host ignores such a settings file completely. */
export function strictJsonProblem(text: string): JsonProblem | null {
  const clean = text.replace(/^\uFEFF/, ' ');
  try {
    JSON.parse(clean);
    return null;
  } catch (error) {
    const errors: ParseError[] = [];
    if (!isParsed(clean, errors)) return { line: 1, why: { kind: 'too_deep' } };
    const [first] = errors;
    if (first === undefined) {
      const message = error instanceof Error ? error.message : String(error);
      return { line: 1, why: { kind: 'parser', message } };
    }
    const { at, why } = described(first, clean);
    return { line: lineAt(clean, at), why };
  }
}

/** The parser is recursive, so deep nesting overflows its stack. */
function isParsed(text: string, errors: ParseError[]): boolean {
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function described(
  { error, offset }: ParseError,
  text: string,
): { at: number; why: JsonSyntaxError } {
  const name = printParseErrorCode(error);
  if (name === 'InvalidCommentToken') return { at: offset, why: { kind: 'comment' } };
  const before = text.slice(0, offset).trimEnd();
  if (before.endsWith(',') && /^[}\]]/.test(text.slice(offset))) {
    return { at: before.length - 1, why: { kind: 'trailing_comma' } };
  }
  if (text[offset] === "'") return { at: offset, why: { kind: 'single_quotes' } };
  const message = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return { at: offset, why: { kind: 'parser', message } };
}
