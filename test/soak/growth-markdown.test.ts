import { expect, test } from 'vitest';
import { OPENINGS, PIECES } from '../support/hostile-markdown.ts';
import { scaled } from './support/scale.ts';

const pieces = PIECES.slice(0, Math.max(5, scaled(PIECES.length)));

/** The quickest of three: another process may have had the machine. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const times = [0, 1, 2].map(() => {
    const start = performance.now();
    read(text);
    return performance.now() - start;
  });
  return Math.min(...times);
}

test.each(pieces)('four times as much of %j takes about four times as long', (piece) => {
  for (const [opening, read] of OPENINGS) {
    const textOf = (length: number): string => `${opening}${piece.repeat(length / piece.length)}x`;
    const small = timeOf(read, textOf(10_000));
    // Quadratic growth would be sixteenfold; the constant absorbs the noise of short times.
    expect(timeOf(read, textOf(40_000)), JSON.stringify(opening)).toBeLessThan(10 * small + 100);
  }
});
