import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../../src/text/markdown/scan.ts';

const textLines = (text: string): string[] =>
  scanMarkdown(text).flatMap(({ kind, text: visible }) => (kind === 'text' ? [visible] : []));
const headings = (text: string): string[] =>
  scanMarkdown(text).flatMap(({ heading }) =>
    heading ? [`${heading.level} ${heading.text}`] : [],
  );

test.each([
  ['backticks', '```\nexample\n```\nreal', ['real']],
  ['tildes', '~~~ `md`\nexample\n```\nexample\n~~~\nreal', ['real']],
  ['a longer fence around a shorter one', '````\n```\nexample\n```\n````\nreal', ['real']],
  ['a list item', '- a\n  ```\n  example\n  ```\n  real', ['- a', '  real']],
  ['a quote', '> ```\n> example\n> ```\n> real', ['> real']],
  ['indentation', 'real\n\n    example\n\nreal', ['real', '', '', 'real']],
  ['a pre element', '<pre>\nexample\n\n</pre>\nreal', ['real']],
])('an example in %s is code', (_, text, expected) => {
  expect(textLines(text)).toEqual(expected);
});

test('an unclosed fence runs to the end of its container', () => {
  expect(textLines('real\n```\nexample\n\nexample')).toEqual(['real']);
  expect(textLines('> ```\n> example\nreal')).toEqual(['real']);
  expect(textLines('- ```\n  example\n\n  example\n- real')).toEqual(['- real']);
});

test('three backticks with another one on the line do not open a fence', () => {
  expect(textLines('``` a`b\nreal')).toEqual(['``` a`b', 'real']);
});

test.each([
  ['in a line', 'a <!-- hidden --> b', ['a  b']],
  ['across lines', 'a <!-- hidden\nhidden --> b', ['a ', ' b']],
  [
    'as a block, across blank lines',
    '<!--\nhidden\n\nhidden\n-->\nreal',
    ['', '', '', '', '', 'real'],
  ],
  ['in a quote', '> <!-- hidden\n> hidden -->\n> real', ['> ', '> ', '> real']],
  ['in a heading', '# a <!-- hidden --> b', ['# a  b']],
  ['as a block that never ends', 'real\n\n<!-- hidden\n\nhidden', ['real', '', '', '', '']],
  ['in an element', '<div>\n<!-- hidden -->\nreal\n</div>', ['<div>', '', 'real', '</div>']],
])('a comment %s is not seen', (_, text, expected) => {
  expect(textLines(text)).toEqual(expected);
});

test.each(['a <!-- b', '`<!--` b -->', '\\<!-- b -->', '``a ` <!-- `` b -->'])(
  'what only looks like a comment is seen: %s',
  (text) => {
    expect(textLines(text)).toEqual([text]);
  },
);

test.each([
  ['# One', ['1 One']],
  ['   ### Three ###  ', ['3 Three']],
  ['# C#', ['1 C#']],
  ['#', ['1 ']],
  ['#tag', []],
  ['####### seven', []],
  ['One\n===', ['1 One']],
  ['Two\nlines\n---', ['2 Two lines']],
  ['- # in an item', ['1 in an item']],
  ['> ## in a quote', ['2 in a quote']],
  ['para\n# after a paragraph', ['1 after a paragraph']],
  ['> lazy\n---', []],
  ['```\n# in a fence\n```', []],
])('headings of %j', (text, expected) => {
  expect(headings(text)).toEqual(expected);
});

test('a list continues with any number, but only an item numbered 1 interrupts a paragraph', () => {
  expect(headings('1. a\n2. # b')).toEqual(['1 b']);
  expect(headings('a\n2. # b')).toEqual([]);
  expect(headings('a\n1. # b')).toEqual(['1 b']);
  expect(headings('a\n* # b')).toEqual(['1 b']);
  expect(headings('a\n*\n# b')).toEqual(['1 b']);
});

test('an item that starts empty ends at the next blank line', () => {
  expect(textLines('-\n\n      example')).toEqual(['-', '']);
  expect(textLines('-\n      example\n  real')).toEqual(['-', '  real']);
});

test('lines are numbered from 1', () => {
  expect(scanMarkdown('a\r\nb\rc\n').map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});

test('the number of lines can be limited', () => {
  expect(scanMarkdown('a\nb\n# c', { maxLines: 2 }).map(({ text }) => text)).toEqual(['a', 'b']);
  expect(scanMarkdown('a\n'.repeat(30_000))).toHaveLength(30_001);
});

test.each([
  ['~~a~~ b', ' b'],
  ['a ~~b\nc~~ d', 'a \n d'],
  ['- ~~a\n- b~~', '- ~~a\n- b~~'],
  ['~~a ~~b~~', '~~a '],
  ['~~ a ~~', '~~ a ~~'],
  ['`~~a~~`', '`~~a~~`'],
  ['\\~~a~~', '\\~~a~~'],
  ['~a~', '~a~'],
  ['# a ~~b~~', '# a '],
  ['~~a\n\nb~~', '~~a\n\nb~~'],
])('struck-out text can be left out: %j', (text, visible) => {
  const lines = scanMarkdown(text, { hideStruckText: true });
  expect(lines.map((line) => line.text).join('\n')).toBe(visible);
  expect(scanMarkdown(text).map((line) => line.text)).toEqual(text.split('\n'));
});

test('a tab is expanded where indentation and markers stand, and kept in text far behind them', () => {
  const [line] = scanMarkdown(`-\ta${'\t'.repeat(100_000)}b`);
  expect(line?.text.startsWith('-   a   ')).toBe(true);
  expect(line?.text.endsWith('\t\tb')).toBe(true);
  expect(line?.text.length).toBeLessThan(110_000);
});
