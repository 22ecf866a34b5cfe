import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../../src/text/markdown/scan.ts';
import { repetitions } from '../../../support/repetitions.ts';

test('code, comments, text and headings are told apart as in CommonMark', () => {
  fc.assert(
    fc.property(documents(), (text) => {
      expect(seenByScanner(text)).toEqual(seenByMdast(text));
    }),
    { numRuns: repetitions(300) },
  );
});

test('line endings do not change the result', () => {
  fc.assert(
    fc.property(documents(), (text) => {
      const lines = scanMarkdown(text);
      expect(scanMarkdown(text.replaceAll('\n', '\r\n'))).toEqual(lines);
      expect(scanMarkdown(text.replaceAll('\n', '\r'))).toEqual(lines);
      expect(scanMarkdown(`\uFEFF${text}`)).toEqual(lines);
    }),
  );
});

const indents = ['', '', '', ' ', '  ', '   ', '    ', '      ', '\t'];
const marks = [
  '',
  '',
  '',
  '',
  '> ',
  '>',
  '- ',
  '* ',
  '+ ',
  '1. ',
  '1) ',
  '-\t',
  '-     ',
];
const texts = ['', '', 'w', 'w w', '`w` w', '--', '==', '``'];
const headings = [
  '# w',
  '## w ##',
  '# w #w',
  '#w',
  '#',
  '===',
  '---',
  '- - -',
  '***',
];
const fences = [
  '```',
  '```',
  '~~~',
  '~~~~',
  '````',
  '```js w',
  '~~~ `w`',
  '``` w`w',
  '``` w ```',
];
const comments = [
  '<!--',
  '-->',
  '<!-- w',
  '<!-- w --> w',
  'w --> w',
  '<!--> w',
  '<!---> w',
];
const inlineComments = [
  'w <!-- w --> w',
  'w <!-- w',
  'w <!---> w',
  '# w <!-- w --> w #',
];
const noComments = [
  '`w <!-- w` w --> w',
  '``w ` <!-- w `` w',
  '\\`<!-- w --> `w',
  '\\<!-- w --> w',
];
const elements = ['<pre>', 'w</pre> w', '<b>w'];
const contents = [
  texts,
  headings,
  fences,
  comments,
  inlineComments,
  noComments,
  elements,
].flat();

/** Documents of lines that nest, open, close and interrupt; every `w` becomes a word of its own. */
function documents(): fc.Arbitrary<string> {
  const indent = fc.constantFrom(...indents);
  const mark = fc.constantFrom(...marks);
  const content = fc.constantFrom(...contents);
  const line = fc
    .tuple(indent, mark, indent, mark, content)
    .map((parts) => parts.join(''))
    .filter((text) => !EMPTY_ITEM.test(text));
  return fc.array(line, { maxLength: 9 }).map((lines) => {
    let count = 0;
    return lines.join('\n').replaceAll('w', () => `w${(count += 1)}.`);
  });
}

/** Left out: micromark lets an empty item interrupt less than the specification does. */
const EMPTY_ITEM = /(?:^|[\s>])(?:[-+*]|\d+[.)])\s*$/;

interface Seen {
  words: Record<string, 'text' | 'code' | 'hidden'>;
  headings: { line: number; level: number; words: string[] }[];
}

function seenByScanner(text: string): Seen {
  const seen: Seen = { words: {}, headings: [] };
  const raw = text.split('\n');
  for (const { number, text: visible, kind, heading } of scanMarkdown(text)) {
    for (const word of wordsOf(raw[number - 1] ?? '')) {
      seen.words[word] =
        kind === 'code' ? 'code' : visible.includes(word) ? 'text' : 'hidden';
    }
    if (heading) {
      seen.headings.push({
        line: number,
        level: heading.level,
        words: wordsOf(heading.text),
      });
    }
  }
  return seen;
}

function seenByMdast(text: string): Seen {
  const seen: Seen = { words: {}, headings: [] };
  for (const word of wordsOf(text)) seen.words[word] = 'text';
  visit(fromMarkdown(text), (node) => {
    const start = node.position?.start.offset ?? 0;
    const source = text.slice(start, node.position?.end.offset);
    if (
      node.type === 'code' ||
      (node.type === 'html' && /^\s*<pre/.test(source))
    ) {
      for (const word of wordsOf(source)) seen.words[word] = 'code';
    } else if (node.type === 'html') {
      for (const [comment] of source.matchAll(/<!--(?:-?>|.*?(?:-->|$))/gs)) {
        for (const word of wordsOf(comment)) seen.words[word] = 'hidden';
      }
    }
  });
  visit(fromMarkdown(text), (node) => {
    if (node.type !== 'heading') return;
    const source = text.slice(
      node.position?.start.offset,
      node.position?.end.offset,
    );
    const words = wordsOf(source).filter((word) => seen.words[word] === 'text');
    seen.headings.push({
      line: node.position?.start.line ?? 0,
      level: node.depth,
      words,
    });
  });
  return seen;
}

function visit(node: Nodes, see: (node: Nodes) => void): void {
  see(node);
  if ('children' in node) for (const child of node.children) visit(child, see);
}

function wordsOf(text: string): string[] {
  return text.match(/w\d+\./g) ?? [];
}
