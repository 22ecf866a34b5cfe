import { readFileSync } from 'node:fs';
import ts from 'typescript';

// What a reader meets in the sources: tokens, comments, and the constructs that STYLE asks to avoid.

export const LONG_PATTERN_CHARS = 80;

/** Adds up what `measureFile` finds in each file. */
export function measureSources(paths) {
  const files = paths.map((path) =>
    measureFile(path, readFileSync(path, 'utf8')),
  );
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const lengths = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
  return {
    files: files.length,
    lines: sum('lines'),
    medianLines: lengths[Math.floor(lengths.length / 2)],
    longestLines: lengths.at(-1),
    tokens: sum('tokens'),
    tokensPerLine: sum('tokens') / sum('codeLines'),
    commentShare:
      sum('commentLines') / (sum('commentLines') + sum('codeLines')),
    functions: sum('functions'),
    untypedExports: files.flatMap(({ untypedExports }) => untypedExports),
    longPatterns: files.flatMap(({ longPatterns }) => longPatterns),
    nestedConditionals: files.flatMap(
      ({ nestedConditionals }) => nestedConditionals,
    ),
  };
}

export function measureFile(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    kind,
  );
  const lineOf = (position) =>
    source.getLineAndCharacterOfPosition(position).line;
  const found = {
    lines: text.split('\n').length - 1,
    tokens: 0,
    functions: 0,
    untypedExports: [],
    longPatterns: [],
    nestedConditionals: [],
  };
  const codeLines = new Set();
  const place = (node) => `${path}:${lineOf(node.getStart()) + 1}`;

  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0 && node.getWidth(source) > 0) {
      found.tokens += 1;
      for (
        let line = lineOf(node.getStart());
        line <= lineOf(node.end);
        line += 1
      )
        codeLines.add(line);
    }
    if (isFunctionWithBody(node)) found.functions += 1;
    if (isExportWithoutReturnType(node)) found.untypedExports.push(place(node));
    if (
      ts.isRegularExpressionLiteral(node) &&
      node.text.length > LONG_PATTERN_CHARS
    )
      found.longPatterns.push(place(node));
    if (ts.isConditionalExpression(node) && isInsideConditional(node))
      found.nestedConditionals.push(place(node));
    for (const child of children) visit(child);
  };
  visit(source);

  return {
    ...found,
    codeLines: codeLines.size,
    commentLines: commentLines(text, codeLines),
  };
}

/** Lines of which nothing but a comment is left once the tokens are gone; a file has no lines of text outside both. */
function commentLines(text, codeLines) {
  return text
    .split('\n')
    .filter((line, at) => line.trim() !== '' && !codeLines.has(at)).length;
}

function isFunctionWithBody(node) {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function isExportWithoutReturnType(node) {
  if (ts.isFunctionDeclaration(node))
    return isExported(node) && node.type === undefined;
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  const declaration = node.parent;
  if (node.type !== undefined || !ts.isVariableDeclaration(declaration))
    return false;
  return (
    declaration.type === undefined && isExported(declaration.parent.parent)
  );
}

const isExported = (node) =>
  (ts.getModifiers(node) ?? []).some(
    ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
  );

/** Whether it is a branch or the condition of another one, in parentheses or not. */
function isInsideConditional(node) {
  let { parent } = node;
  while (ts.isParenthesizedExpression(parent)) ({ parent } = parent);
  return ts.isConditionalExpression(parent);
}
