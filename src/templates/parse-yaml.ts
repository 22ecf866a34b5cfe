import {
  CST,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Document,
} from 'yaml';
import {
  lineAt,
  sortedProblems,
  type LineOf,
  type Problem,
} from '../text/problem.ts';
import { quoted } from '../text/sanitize.ts';
import { jsonProblem } from '../text/strict-json.ts';

export type ParsedText =
  | { kind: 'parsed'; value: unknown; lineOf: LineOf }
  | { kind: 'invalid'; problems: Problem[] };

export const MAX_TEMPLATE_BYTES = 1_000_000;
const MAX_DEPTH = 50;
const MAX_ALIASES = 100;
const MAX_TOKENS = 200_000;

/** A text of anybody's: it is answered, quickly, whatever it is. */
export function parseText(source: string, format: 'yaml' | 'json'): ParsedText {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const problem =
    boundsProblem(text) ?? (format === 'json' ? jsonProblem(text) : undefined);
  if (problem !== undefined) return { kind: 'invalid', problems: [problem] };

  const lines = new LineCounter();
  const end = text.trimEnd().length;
  const lineAtOffset = (offset: number) =>
    Math.max(1, lines.linePos(Math.min(offset, end)).line);
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // Compared one by one, which a large mapping makes slow: `treeProblems` looks for them.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const problems = [
    ...[...document.errors, ...document.warnings]
      .slice(0, 100)
      .map(({ code, message, pos }) => ({
        line: lineAtOffset(pos[0]),
        message: describeSyntax(code, message),
      })),
    ...treeProblems(document, lineAtOffset),
  ];
  if (problems.length > 0)
    return { kind: 'invalid', problems: sortedProblems(problems) };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // As JSON, which is what a run keeps of its template, and which has no circles.
    if (Buffer.byteLength(JSON.stringify(value)) <= MAX_TEMPLATE_BYTES)
      return {
        kind: 'parsed',
        value,
        lineOf: (path) => lineAtOffset(offsetOf(document, path)),
      };
  } catch (error) {
    if (
      error instanceof ReferenceError &&
      error.message.startsWith('Unresolved')
    )
      return {
        kind: 'invalid',
        problems: [{ line: 1, message: describeSyntax('', error.message) }],
      };
    if (!(error instanceof ReferenceError || error instanceof TypeError))
      throw error;
  }
  const message =
    'it has too many aliases, or is larger than 1 MB with its aliases resolved';
  return { kind: 'invalid', problems: [{ line: 1, message }] };
}

const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

/** What would keep the parser busy, or exhaust its stack. */
function boundsProblem(text: string): Problem | undefined {
  if (text.length > MAX_TEMPLATE_BYTES)
    return {
      line: 1,
      message: `it is larger than ${MAX_TEMPLATE_BYTES / 1_000_000} MB`,
    };
  const nul = text.indexOf('\0');
  if (nul >= 0)
    return { line: lineAt(text, nul), message: 'it contains a NUL character' };

  let tokens = 0;
  let flow = 0;
  let compact = 0;
  let line = 1;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    tokens += 1;
    if (type === 'flow-seq-start' || type === 'flow-map-start') flow += 1;
    if (type === 'flow-seq-end' || type === 'flow-map-end') flow -= 1;
    if (type === 'newline') compact = 0;
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') compact += 1;
    if (tokens > MAX_TOKENS)
      return {
        line,
        message: `it has more than ${MAX_TOKENS} words and signs`,
      };
    if (flow > MAX_DEPTH || compact > MAX_DEPTH)
      return { line, message: TOO_DEEP };
    line += token.split('\n').length - 1;
  }
  return undefined;
}

const MAX_MESSAGE = 200;

function describeSyntax(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS')
    return 'it holds several documents; a template is one';
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = message.replace(
      /^Unresolved tag: (?:tag:yaml\.org,2002:)?/,
      '',
    );
    return `tags are not supported (${quoted(tag)})`;
  }
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP;
  return `not YAML: ${quoted(message.replace(/["']quote$/, 'quote'), MAX_MESSAGE)}`;
}

function treeProblems(
  document: Document.Parsed,
  lineAtOffset: (offset: number) => number,
) {
  const problems: Problem[] = [];
  const report = (node: unknown, message: string): void => {
    problems.push({ line: lineAtOffset(startOf(node) ?? 0), message });
  };
  const look = (node: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return report(node, TOO_DEEP);
    if (isSeq(node)) for (const item of node.items) look(item, depth + 1);
    if (!isMap(node)) return;
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) {
        const message =
          'a key must be a word, not a list, a mapping or an alias';
        report(isNode(key) ? key : node, message);
        continue;
      }
      const name = nameOf(key.value);
      if (keys.has(name)) report(key, `the key ${quoted(name)} is there twice`);
      keys.add(name);
      look(value, depth + 1);
    }
  };
  look(document.contents, 1);
  return problems;
}

const nameOf = (key: unknown): string =>
  typeof key === 'string' ? key : JSON.stringify(key);

/** The lines of a JSON text, which is valid YAML too. */
export function lineFinder(text: string): LineOf {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
  });
  return (path) => Math.max(1, lines.linePos(offsetOf(document, path)).line);
}

/** Where the key stands, or the entry of a list; of what is not there, the nearest that is. */
function offsetOf(
  document: Document.Parsed,
  path: Parameters<LineOf>[0],
): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    const next: unknown = isMap(node)
      ? node.items.find(
          ({ key }) => isScalar(key) && nameOf(key.value) === String(part),
        )
      : isSeq(node)
        ? node.items[Number(part)]
        : undefined;
    if (next === undefined) break;
    offset = startOf(isPair(next) ? next.key : next) ?? offset;
    node = isPair(next) ? next.value : next;
  }
  return offset;
}

const startOf = (node: unknown): number | undefined =>
  isNode(node) ? node.range?.[0] : undefined;
