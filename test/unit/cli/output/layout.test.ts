import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeColors } from '../../../../src/cli/output/colors.ts';
import { fitText } from '../../../../src/cli/output/layout.ts';
import { widthOf } from '../../../../src/cli/output/table.ts';
import { repetitions } from '../../../support/repetitions.ts';

it('without a terminal no line is broken: programs read line by line', () => {
  const line = 'word '.repeat(100);
  expect(fitText(line, null)).toBe(line);
});

it('a long line is broken between words, and goes on below its text', () => {
  expect(fitText('Phase    2/3 Build the whole thing (in progress)', 30)).toBe(
    ['Phase    2/3 Build the whole', '         thing (in progress)'].join('\n'),
  );
  expect(fitText('  - one two three four five six seven', 24)).toBe(
    ['  - one two three four', '    five six seven'].join('\n'),
  );
});

it('a word that is longer than the line stays whole, so that a path can be copied', () => {
  const path = '@docs/a/very/long/path/that/does/not/fit.md';
  expect(fitText(`  unread     ${path}`, 40)).toContain(path);
});

it('colours have no width', () => {
  const { bold } = makeColors(true, undefined);
  const line = bold('x'.repeat(20));
  expect(fitText(line, 20)).toBe(line);
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
