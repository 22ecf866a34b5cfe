import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitText, foldAround } from '../../../../src/commands/view/output.ts';
import { widthOf } from '../../../../src/text/terminal-width.ts';
import { repetitions } from '../../../support/repetitions.ts';

it('a long line is broken between words, and goes on below its text', () => {
  expect(fitText('Phase    2/3 Build the whole thing (in progress)', 30)).toBe(
    ['Phase    2/3 Build the whole', '         thing (in progress)'].join('\n'),
  );
  expect(fitText('  - one two three four five six seven', 24)).toBe(
    ['  - one two three four', '    five six seven'].join('\n'),
  );
});

it('at every width all words stay, in order, and only a single word may be too long', () => {
  const word = fc.stringMatching(/^[a-zé日✓:-]{1,30}$/);
  const line = fc
    .tuple(fc.constantFrom('', '  ', 'Phase    ', '  ✓ 1 ', '- '), fc.array(word, { minLength: 1 }))
    .map(([start, words]) => start + words.join(' '));
  fc.assert(
    fc.property(line, fc.integer({ min: 40, max: 200 }), (text, columns) => {
      const fitted = fitText(text, columns);
      expect(fitted.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean));
      for (const each of fitted.split('\n'))
        if (widthOf(each) > columns) expect(each.trim()).not.toContain(' ');
    }),
    { numRuns: repetitions(400) },
  );
});

it('of a folded list the current entry is shown, and what is hidden is counted exactly', () => {
  const folded = (count: number, current: number): string[] => {
    const entries = Array.from({ length: count }, (_, n) => n + 1);
    return foldAround(entries, current - 1, String, ({ length }, side) => `${length} ${side}`);
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (count, at) => {
      const lines = folded(count, Math.min(at, count));
      expect(lines).toContain(String(Math.min(at, count)));
      expect(lines.length).toBeLessThanOrEqual(13);
      const hidden = lines
        .filter((line) => line.startsWith('…'))
        .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
      expect(hidden + lines.filter((line) => !line.startsWith('…')).length).toBe(count);
    }),
    { numRuns: repetitions(200) },
  );
});
