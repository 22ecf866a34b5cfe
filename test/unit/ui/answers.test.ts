import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible } from '../../../src/ui/answers.ts';
import { HIDDEN_IN_TEXT } from '../../../src/text/sanitize.ts';
import { anyCharacter } from '../../support/arbitraries.ts';

it.each([
  // Markup stays: the page makes text nodes of it.
  ['<img src=x onerror=alert(1)> & "x"', '<img src=x onerror=alert(1)> & "x"'],
  ['safe\u202Egnp.exe\u200B', 'safe gnp.exe '],
  ['a\r\nb\u0007c\td', 'a\nb c\td'],
  ['\uD800x', '\uFFFDx'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text, 100)).toBe(shown);
});

it('no text is longer than allowed, and none hides anything', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.integer({ min: 2, max: 50 }),
      (text, max) => {
        const shown = visible(text, max);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(shown.search(HIDDEN_IN_TEXT)).toBe(-1);
      },
    ),
  );
});
