// Edits JSON as text, so that everything else keeps its bytes. Expects valid JSON and existing paths.
import { parseTree, type JSONPath, type Node } from 'jsonc-parser';

export function setMember(
  text: string,
  path: JSONPath,
  key: string,
  value: unknown,
): string {
  const object = nodeAt(text, path);
  const existing = memberOf(object, key);
  return existing === undefined
    ? insertLast(
        text,
        object,
        ({ gap, write }) => `${JSON.stringify(key)}:${gap}${write(value)}`,
      )
    : replaceNode(text, object, existing, value);
}

/** Adds an item to the array at a path that exists, in the array's layout; all other bytes stay. */
export const appendItem = (
  text: string,
  path: JSONPath,
  value: unknown,
): string =>
  insertLast(text, nodeAt(text, path), (style) => style.write(value));

/** Gives a value the text that it has in another document, without a change of its layout. */
export function copyValue(
  text: string,
  path: JSONPath,
  document: string,
): string {
  const [to, from] = [nodeAt(text, path), nodeAt(document, path)];
  return splice(
    text,
    to.offset,
    endOf(to),
    document.slice(from.offset, endOf(from)),
  );
}

export function removeValue(text: string, path: JSONPath): string {
  const node = nodeAt(text, path);
  const element = node.parent?.type === 'property' ? node.parent : node;
  const container = element.parent;
  if (container === undefined) return text;
  const siblings = container.children ?? [];
  const at = siblings.indexOf(element);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  if (before !== undefined) return splice(text, endOf(before), endOf(element));
  if (after !== undefined) return splice(text, element.offset, after.offset);
  return splice(text, container.offset + 1, endOf(container) - 1);
}

interface Style {
  /** Between a key's colon and its value. */
  gap: string;
  write: (value: unknown) => string;
}

function insertLast(
  text: string,
  container: Node,
  content: (style: Style) => string,
): string {
  const { unit, eol } = layoutOf(text);
  const [first] = container.children ?? [];
  const last = container.children?.at(-1);
  if (first === undefined || last === undefined) {
    const outer = indentAt(text, container.offset);
    const inner = `${outer}${unit}`;
    const style = spread(inner, unit, eol);
    const filled = `${eol}${inner}${content(style)}${eol}${outer}`;
    return splice(text, container.offset + 1, endOf(container) - 1, filled);
  }
  const lead = text.slice(container.offset + 1, first.offset);
  if (lead.includes('\n')) {
    const inner = indentAt(text, first.offset);
    const style = spread(inner, unit, eol);
    return splice(
      text,
      endOf(last),
      endOf(last),
      `,${eol}${inner}${content(style)}`,
    );
  }
  const gap = /[:,] /.test(text.slice(container.offset, endOf(container)))
    ? ' '
    : '';
  const inLine: Style = { gap, write: (value) => JSON.stringify(value) };
  return splice(text, endOf(last), endOf(last), `,${gap}${content(inLine)}`);
}

function replaceNode(
  text: string,
  container: Node,
  node: Node,
  value: unknown,
): string {
  const { unit, eol } = layoutOf(text);
  const isSpread = text.slice(container.offset, endOf(node)).includes('\n');
  const written = isSpread
    ? spread(indentAt(text, node.offset), unit, eol).write(value)
    : JSON.stringify(value);
  return splice(text, node.offset, endOf(node), written);
}

const spread = (indent: string, unit: string, eol: string): Style => ({
  gap: ' ',
  write: (value) =>
    JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`),
});

function layoutOf(text: string): { unit: string; eol: string } {
  const unit = /^[\uFEFF\s]*[[{]\s*?\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text.replace(/^\uFEFF/, ' '));
  const node = path.reduce<Node | undefined>(memberOf, root);
  if (node === undefined)
    throw new Error(`there is nothing at ${path.join('.')}`);
  return node;
}

/** The last of duplicate keys counts, as in every JSON parser. */
function memberOf(
  node: Node | undefined,
  key: string | number,
): Node | undefined {
  if (typeof key === 'number')
    return node?.type === 'array' ? node.children?.[key] : undefined;
  if (node?.type !== 'object') return undefined;
  return node.children?.findLast(({ children }) => children?.[0]?.value === key)
    ?.children?.[1];
}

const endOf = ({ offset, length }: Node): number => offset + length;

const splice = (
  text: string,
  from: number,
  to: number,
  inserted = '',
): string => text.slice(0, from) + inserted + text.slice(to);
