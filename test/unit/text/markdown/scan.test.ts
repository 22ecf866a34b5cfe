import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../../src/text/markdown/scan.ts';

test('the number of lines can be limited', () => {
  expect(
    scanMarkdown('a\nb\n# c', { maxLines: 2 }).map(({ text }) => text),
  ).toEqual(['a', 'b']);
  expect(scanMarkdown('a\n'.repeat(30_000))).toHaveLength(30_001);
});

test.each([
  ['~~a~~ b', ' b'],
  ['a ~~b\nc~~ d', 'a \n d'],
  ['- ~~a\n- b~~', '- ~~a\n- b~~'],
  ['~~a ~~b~~', '~~a '],
  ['`~~a~~`', '`~~a~~`'],
  ['\\~~a~~', '\\~~a~~'],
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
