import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fitLines,
  fitLists,
  type LineList,
} from '../../../src/guidance/fit-lists.ts';

const fit = (given: string[], cap: number, shownBy = 'x') =>
  fitLines({ title: 'Title', entries: given, share: 0, shownBy }, cap);

describe('lines that have to fit', () => {
  test('are cut at a line end, and the cut says how many and which command shows them', () => {
    const lots = Array.from(
      { length: 12 },
      (_, index) => `- reminder ${index + 1}`,
    );
    expect(fit(lots, 65, 'holdfast list')).toMatchObject({
      text: 'Title\n- reminder 1\n- reminder 2\n… 10 more: `holdfast list`',
      cut: 'shortened; `holdfast list` shows all of it',
    });
  });

  test('stay within any cap, with none lost uncounted', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', ' ', '😀', '…'),
      maxLength: 40,
    });
    const cap = fc.integer({ min: 60, max: 600 });
    fc.assert(
      fc.property(fc.array(line), cap, (given, max) => {
        const { text, cut } = fit(given, max, 'holdfast status');
        expect(text.length).toBeLessThanOrEqual(max);
        const shown = text.split('\n').slice(1);
        const kept = cut === null ? shown : shown.slice(0, -1);
        const left = given.length - kept.length;
        expect(kept).toEqual(given.slice(0, kept.length));
        expect(shown.slice(kept.length)).toEqual(
          left === 0 ? [] : [`… ${left} more: \`holdfast status\``],
        );
      }),
    );
  });
});

describe('lists that share a budget', () => {
  const list = (title: string, count: number, share: number): LineList => ({
    title,
    entries: Array.from(
      { length: count },
      (_, index) => `${title} line ${index}`,
    ),
    share,
    shownBy: 'holdfast status',
  });
  const sizes = (lists: LineList[], space: number): number[] =>
    fitLists(lists, space).fitted.map((section) => section?.text.length ?? 0);

  test.each([200, 500, 1_000, 3_000])(
    'of %i characters never take more',
    (space) => {
      const used = sizes(
        [list('a', 100, 900), list('b', 100, 700), list('c', 100, 500)],
        space,
      );
      expect(used.reduce((sum, size) => sum + size + 2, 0)).toBeLessThanOrEqual(
        space,
      );
      expect(used.filter((size) => size > 0).length).toBeGreaterThan(
        space > 400 ? 2 : 0,
      );
    },
  );

  test('that find no space are named', () => {
    const one = list('a', 9, 900);
    expect(fitLists([one], 20)).toEqual({
      fitted: [null],
      omitted: [one],
      isShort: true,
    });
  });
});
