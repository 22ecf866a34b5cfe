import { afterAll, expect, test } from 'vitest';
import { publish } from './support/figures.ts';
import { parsers } from './support/fuzz.ts';
import { scaled } from './support/scale.ts';

/** What regular expressions and nested lists find hard. */
const PIECES = [
  '<!--|`|``` |*|**_|> |- |1. |# |- [ ] a\n|> > >\n|\\"| |\t|\n|(|[|{|{"a":|[0,|"|\'|@a | @|CLAUDE/a.md ',
  'Phase: 1/2 - a\n|Phase |Status: |a: |a:\n |- a: [|&a [*a]\n|!!a |? |é|\u0301|🔄| 2>&1|&& ',
].flatMap((row) => row.split('|'));
const LARGEST = scaled(10_000_000, 2_500_000);
const BOUND = 3;
const worst = { ratio: 0, what: '' };
const counts = { pairs: 0 };

afterAll(() => {
  publish('growth', {
    parsers: parsers.length,
    pieces: PIECES.length,
    pairs: counts.pairs,
    up_to_bytes: LARGEST,
    largest_ratio: Number(worst.ratio.toFixed(2)),
    of: worst.what,
  });
});

function timeOf(read: (text: string) => void, text: string): number {
  const began = performance.now();
  read(text);
  return performance.now() - began;
}

/** How much longer twice as much takes, at a size that takes some time: the quickest of three each. */
function ratioFor(
  read: (text: string) => void,
  opening: string,
  piece: string,
): number {
  const textOf = (size: number): string =>
    opening + piece.repeat(Math.ceil(size / piece.length));
  let size = 20_000;
  while (size * 2 < LARGEST && timeOf(read, textOf(size)) < 50) size *= 4;
  const quickest = (text: string): number =>
    Math.min(...[0, 1, 2].map(() => timeOf(read, text)));
  return quickest(textOf(size * 2)) / Math.max(quickest(textOf(size)), 5);
}

const pieces = PIECES.slice(0, scaled(PIECES.length, 3));

test.each(parsers)(
  '$name takes about twice as long for twice as much',
  ({ name, read, texts }) => {
    for (const piece of pieces) {
      for (const opening of ['', ...texts]) {
        counts.pairs += 1;
        let ratio = ratioFor(read, opening, piece);
        // Another process may have had the machine: what is slow by itself is slow again.
        for (let tries = 0; ratio > BOUND && tries < 4; tries += 1)
          ratio = Math.min(ratio, ratioFor(read, opening, piece));
        if (ratio > worst.ratio)
          Object.assign(worst, {
            ratio,
            what: `${name}: ${JSON.stringify(piece)}`,
          });
        expect(
          ratio,
          `${JSON.stringify(piece)} after ${JSON.stringify(opening.slice(0, 30))}`,
        ).toBeLessThan(BOUND);
      }
    }
  },
);
