import { expect, test } from 'vitest';
import { compactionWindow, fillPercent } from '../../../src/text/context-fill.ts';

test.each([
  [83_500, 200_000, 50],
  [167_000, 200_000, 100],
  [1_000, 33_000, null],
])('%d tokens of a window of %d are %s percent of the threshold', (tokens, window, percent) => {
  expect(fillPercent(tokens, window)).toBe(percent);
});

test.each([
  [undefined, 200_000],
  ['100000', 100_000],
  ['500000', 200_000],
  ['0', 200_000],
  ['soon', 200_000],
])('CLAUDE_CODE_AUTO_COMPACT_WINDOW=%s makes the window %d', (chosen, window) => {
  expect(compactionWindow(200_000, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: chosen })).toBe(window);
});
