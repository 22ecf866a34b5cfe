import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  itemText,
  plainItem,
  withItem,
  withTick,
} from '../../../../src/guidance/todo/file.ts';
import { boxesIn, linesOf } from '../../../../src/guidance/todo/list.ts';
import { anyText } from '../../../support/arbitraries.ts';
import { repetitions } from '../../../support/repetitions.ts';

const piece = fc.constantFrom(
  ...[
    '- [ ] a',
    '* [x] b',
    '1. [ ] c',
    '2) [X] d',
    '+ [ ] <!-- e -->',
    '- [ ] f <!--',
    '-->',
  ],
  ...[
    '- g',
    '[ ] h',
    '# i',
    '===',
    '---',
    'text',
    '```',
    '~~~',
    '<div>',
    '<pre>',
    '</pre>',
    '|',
  ],
);
const lead = fc.constantFrom(
  '',
  '',
  '',
  '  ',
  '    ',
  '\t',
  '> ',
  '>> ',
  '- ',
  '   ',
);
const ending = fc.constantFrom('\n', '\n', '\r\n', '\r', '\n\n', '');
const markdown = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(
      fc.tuple(lead, piece, ending).map((parts) => parts.join('')),
      { maxLength: 15 },
    ),
  )
  .map(([bom, lines]) => bom + lines.join(''));
const anyFile = fc.oneof(markdown, anyText(400));

test('any text is answered, and its lines are the text', () => {
  fc.assert(
    fc.property(anyFile, (text) => {
      expect(linesOf(text).join('')).toBe(text);
      const boxes = boxesIn(text);
      expect(boxes.map(({ n }) => n)).toEqual(
        boxes.map((_, index) => index + 1),
      );
      for (const { at, done, text: shown } of boxes) {
        expect(text.slice(at - 1, at + 2)).toMatch(
          done ? /^\[[xX]\]$/ : /^\[ \]$/,
        );
        expect(shown.trim()).not.toBe('');
      }
    }),
    { numRuns: repetitions(500) },
  );
});

test('a tick changes one character, and of the items only that one', () => {
  fc.assert(
    fc.property(markdown, (text) => {
      for (const box of boxesIn(text)) {
        const after = withTick(text, box);
        expect(after.length).toBe(text.length);
        expect(after.slice(0, box.at) + after.slice(box.at + 1)).toBe(
          text.slice(0, box.at) + text.slice(box.at + 1),
        );
        expect(boxesIn(after).map(plainItem)).toEqual(
          boxesIn(text)
            .map(plainItem)
            .map((item) => (item.n === box.n ? { ...item, done: true } : item)),
        );
      }
    }),
  );
});

test('an added item is the last one, and every byte that was there stays, in its order', () => {
  fc.assert(
    fc.property(anyFile, anyText(), (text, given) => {
      const item = itemText(given);
      fc.pre(item !== null);
      const after = withItem(text, item ?? '');
      if (after === null) return;
      const last = boxesIn(after).at(-1);
      expect(last).toMatchObject({ n: boxesIn(text).length + 1, done: false });
      expect(after.endsWith(text.slice(commonStart(text, after)))).toBe(true);
    }),
    { numRuns: repetitions(500) },
  );
});

function commonStart(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}
