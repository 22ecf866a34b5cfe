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

/** Nobody writes a template of this size by hand, and larger ones would be slow to parse and to keep with each run. */
export const MAX_TEMPLATE_BYTES = 1_000_000;
/** Deeper nesting exhausts the stack of the parser. */
const MAX_DEPTH = 50;
/** A few aliases that name each other can stand for gigabytes. */
const MAX_ALIASES = 100;
const MAX_TOKENS = 200_000;
/** Somebody who mends a hundred problems asks again. */
const MAX_SYNTAX_PROBLEMS = 100;

/** A text of anybody's: it is answered, quickly, whatever it is. */
export function parseText(source: string, format: 'yaml' | 'json'): ParsedText {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const problem =
    boundsProblem(text) ?? (format === 'json' ? jsonProblem(text) : undefined);
  if (problem !== undefined) return { kind: 'invalid', problems: [problem] };

  const lines = new LineCounter();
  const end = text.trimEnd().length;
  const lineAtOffset = (offset: number): number =>
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
    ...syntaxProblems(document, lineAtOffset),
    ...treeProblems(document, lineAtOffset),
  ];
  if (problems.length > 0)
    return { kind: 'invalid', problems: sortedProblems(problems) };

  const resolved = resolveAliases(document);
  if (resolved.kind === 'invalid') {
    const { message } = resolved;
    return { kind: 'invalid', problems: [{ line: 1, message }] };
  }
  const lineOf: LineOf = (path) => lineAtOffset(offsetOf(document, path));
  return { kind: 'parsed', value: resolved.value, lineOf };
}

const TOO_MANY_ALIASES =
  'it has too many aliases, or is larger than 1 MB with its aliases resolved';

function resolveAliases(
  document: Document.Parsed,
): { kind: 'resolved'; value: unknown } | { kind: 'invalid'; message: string } {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // As JSON, which is what a run keeps of its template, and which has no circles.
    const bytes = Buffer.byteLength(JSON.stringify(value));
    return bytes <= MAX_TEMPLATE_BYTES
      ? { kind: 'resolved', value }
      : { kind: 'invalid', message: TOO_MANY_ALIASES };
  } catch (error) {
    // The parser throws a ReferenceError for an alias without an anchor and for too many aliases.
    if (error instanceof ReferenceError) {
      const isUnknown = error.message.startsWith('Unresolved');
      const message = isUnknown
        ? describeSyntax('', error.message)
        : TOO_MANY_ALIASES;
      return { kind: 'invalid', message };
    }
    // JSON.stringify throws a TypeError for a value that contains itself.
    if (error instanceof TypeError)
      return { kind: 'invalid', message: TOO_MANY_ALIASES };
    throw error;
  }
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
  /** How deep in brackets: `[[[[`. */
  let flow = 0;
  /** How deep in one line of lists: `- - - -`. */
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

function syntaxProblems(
  document: Document.Parsed,
  lineAtOffset: (offset: number) => number,
): Problem[] {
  const found = [...document.errors, ...document.warnings];
  return found.slice(0, MAX_SYNTAX_PROBLEMS).map(({ code, message, pos }) => ({
    line: lineAtOffset(pos[0]),
    message: describeSyntax(code, message),
  }));
}

const MAX_MESSAGE_CHARS = 200;
/** How the parser begins its message about a tag: `Unresolved tag: tag:yaml.org,2002:binary`. */
const TAG_MESSAGE_START = /^Unresolved tag: (?:tag:yaml\.org,2002:)?/;

function describeSyntax(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS')
    return 'it holds several documents; a template is one';
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = message.replace(TAG_MESSAGE_START, '');
    return `tags are not supported (${quoted(tag)})`;
  }
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP;
  // A message about a missing quote ends in `"quote`, which looks odd inside quotes.
  const reason = message.replace(/["']quote$/, 'quote');
  return `not YAML: ${quoted(reason, MAX_MESSAGE_CHARS)}`;
}

/** What YAML allows and a template may not have: deep nesting, keys that are no words, a key twice. */
function treeProblems(
  document: Document.Parsed,
  lineAtOffset: (offset: number) => number,
): Problem[] {
  const problems: Problem[] = [];
  const report = (node: unknown, message: string): void => {
    problems.push({ line: lineAtOffset(startOf(node) ?? 0), message });
  };

  const check = (node: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return report(node, TOO_DEEP);
    if (isSeq(node)) for (const item of node.items) check(item, depth + 1);
    if (!isMap(node)) return;

    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) {
        const place = isNode(key) ? key : node;
        report(
          place,
          'a key must be a word, not a list, a mapping or an alias',
        );
        continue;
      }
      const name = nameOf(key.value);
      if (keys.has(name)) report(key, `the key ${quoted(name)} is there twice`);
      keys.add(name);
      check(value, depth + 1);
    }
  };

  check(document.contents, 1);
  return problems;
}

function nameOf(key: unknown): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

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
    const entry = entryOf(node, part);
    if (entry === undefined) break;
    offset = startOf(isPair(entry) ? entry.key : entry) ?? offset;
    node = isPair(entry) ? entry.value : entry;
  }
  return offset;
}

/** The pair of a mapping or the item of a list. */
function entryOf(node: unknown, part: string | number): unknown {
  if (isMap(node)) {
    const name = String(part);
    return node.items.find(
      ({ key }) => isScalar(key) && nameOf(key.value) === name,
    );
  }
  return isSeq(node) ? node.items[Number(part)] : undefined;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
