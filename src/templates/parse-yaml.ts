import {
  CST,
  isAlias,
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
  quoted,
  sortedProblems,
  type LineOf,
  type Path,
  type Problem,
} from '../text/problem.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { jsonProblem } from '../text/strict-json.ts';

export type Format = 'yaml' | 'json';

export type ParsedText =
  | { kind: 'parsed'; value: unknown; lineOf: LineOf }
  | { kind: 'invalid'; problems: Problem[] };

export const MAX_TEMPLATE_BYTES = 1_000_000;
const MAX_DEPTH = 50;
const MAX_ALIASES = 100;
const MAX_TOKENS = 200_000;
const MAX_PARTS = 200_000;

/** A text of anybody's: it is answered, quickly, whatever it is. */
export function parseText(given: string, format: Format): ParsedText {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given;
  const problem = boundsProblem(text) ?? (format === 'json' ? jsonProblem(text) : undefined);
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
    ...[...document.errors, ...document.warnings].slice(0, 100).map(({ code, message, pos }) => ({
      line: lineAtOffset(pos[0]),
      message: describeSyntax(code, message),
    })),
    ...treeProblems(document, lineAtOffset),
  ];
  if (problems.length > 0) return { kind: 'invalid', problems: sortedProblems(problems) };

  const value: unknown = document.toJS({ maxAliasCount: -1 });
  const size = sizeProblem(value);
  return size === undefined
    ? { kind: 'parsed', value, lineOf: (path) => lineAtOffset(offsetOf(document, path)) }
    : { kind: 'invalid', problems: [size] };
}

const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

/** What would keep the parser busy, or exhaust its stack. */
function boundsProblem(text: string): Problem | undefined {
  if (text.length > MAX_TEMPLATE_BYTES)
    return { line: 1, message: `it is larger than ${MAX_TEMPLATE_BYTES / 1_000_000} MB` };
  const nul = text.indexOf('\0');
  if (nul >= 0) return { line: lineAt(text, nul), message: 'it contains a NUL character' };

  let tokens = 0;
  let aliases = 0;
  let flow = 0;
  let compact = 0;
  let offset = 0;
  const found = (message: string): Problem => ({ line: lineAt(text, offset), message });
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    tokens += 1;
    if (type === 'flow-seq-start' || type === 'flow-map-start') flow += 1;
    if (type === 'flow-seq-end' || type === 'flow-map-end') flow -= 1;
    if (type === 'newline') compact = 0;
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') compact += 1;
    if (type === 'alias') aliases += 1;
    if (tokens > MAX_TOKENS) return found(`it has more than ${MAX_TOKENS} words and signs`);
    if (flow > MAX_DEPTH || compact > MAX_DEPTH) return found(TOO_DEEP);
    if (aliases > MAX_ALIASES) return found(`it has more than ${MAX_ALIASES} aliases`);
    if (!isMarker(token)) offset += token.length;
  }
  return undefined;
}

/** The lexer puts marks of its own between the pieces of the text. */
function isMarker(token: string): boolean {
  return (
    token === CST.BOM || token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR
  );
}

function describeSyntax(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'it holds several documents; a template is one';
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = message.replace(/^Unresolved tag: (?:tag:yaml\.org,2002:)?/, '');
    return `tags are not supported (${quoted(tag)})`;
  }
  if (message.includes('call stack')) return TOO_DEEP;
  return `not YAML: ${sanitizeLine(truncate(message.replace(/["']quote$/, 'quote'), 200))}`;
}

function treeProblems(
  document: Document.Parsed,
  lineAtOffset: (offset: number) => number,
): Problem[] {
  const problems: Problem[] = [];
  const anchors = new Set<string>();
  const report = (node: unknown, message: string): void => {
    const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    problems.push({ line: lineAtOffset(offset), message });
  };
  const look = (node: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return report(node, TOO_DEEP);
    if (isAlias(node) && !anchors.has(node.source)) {
      return report(node, `there is no anchor ${quoted(node.source)} before this alias`);
    }
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    if (isSeq(node)) for (const item of node.items) look(item, depth + 1);
    if (!isMap(node)) return;
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) {
        const message = 'a key must be a word, not a list, a mapping or an alias';
        report(isNode(key) ? key : node, message);
        continue;
      }
      if (key.anchor !== undefined) anchors.add(key.anchor);
      const name = nameOf(key.value);
      if (keys.has(name)) report(key, `the key ${quoted(name)} is there twice`);
      keys.add(name);
      look(value, depth + 1);
    }
  };
  look(document.contents, 1);
  return problems;
}

function nameOf(key: unknown): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

/** Aliases can make much of little, and circles. */
function sizeProblem(value: unknown): Problem | undefined {
  let parts = 0;
  let bytes = 0;
  const fits = (part: unknown, depth: number): boolean => {
    parts += 1;
    // And the comma or the bracket beside it.
    bytes += 1 + (typeof part === 'object' && part !== null ? 1 : bytesOf(part));
    if (depth > MAX_DEPTH || parts > MAX_PARTS || bytes > MAX_TEMPLATE_BYTES) return false;
    if (typeof part !== 'object' || part === null) return true;
    return Object.entries(part).every(([key, child]) => {
      if (!Array.isArray(part)) bytes += bytesOf(key) + 1;
      return fits(child, depth + 1);
    });
  };
  return fits(value, 1)
    ? undefined
    : {
        line: 1,
        message: 'with its aliases resolved it is larger than 1 MB or too deeply nested',
      };
}

/** As JSON, which is what a run keeps of its template. */
function bytesOf(leaf: unknown): number {
  return Buffer.byteLength(JSON.stringify(leaf));
}

/** Where the key stands, or the entry of a list; of what is not there, the nearest that is. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    const next: unknown = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && nameOf(key.value) === String(part))
      : isSeq(node)
        ? node.items[Number(part)]
        : undefined;
    if (next === undefined) break;
    offset = startOf(isPair(next) ? next.key : next) ?? offset;
    node = isPair(next) ? next.value : next;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
