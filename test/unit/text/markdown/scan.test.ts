import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../../src/text/markdown/scan.ts';

const textLines = (text: string): string[] =>
  scanMarkdown(text).flatMap(({ kind, text: visible }) => (kind === 'text' ? [visible] : []));

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
