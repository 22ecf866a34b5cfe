import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addRange,
  isCovered,
  type LineRanges,
} from '../../../../src/guidance/reading/line-ranges.ts';

const digest = 'd1';

function read(...spans: [from: number, to: number][]): LineRanges {
  let parts: LineRanges = { digest, spans: [] };
  for (const [from, to] of spans) parts = addRange(parts, { from, to, digest });
  return parts;
}

test('ranges cover a file in any order, even if they overlap', () => {
  expect(isCovered(read([1, 10], [11, 20]), 20)).toBe(true);
  expect(isCovered(read([11, 20], [1, 12]), 20)).toBe(true);
  expect(isCovered(read([1, 3], [1, 20], [5, 6]), 20)).toBe(true);
});

test('a gap means that the file was not read completely', () => {
  expect(isCovered(read([1, 10], [12, 20]), 20)).toBe(false);
  expect(isCovered(read([2, 20]), 20)).toBe(false);
  expect(isCovered(read([1, 19]), 20)).toBe(false);
  expect(isCovered(read(), 20)).toBe(false);
});

test('ranges of an earlier version do not count', () => {
  const parts = addRange(read([1, 10]), { from: 11, to: 20, digest: 'd2' });
  expect(parts).toEqual({ digest: 'd2', spans: [[11, 20]] });
});

test('a file is covered if and only if every line was read', () => {
  const span = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 10 }));
  fc.assert(
    fc.property(fc.array(span), (given) => {
      const spans = given.map(([from, more]): [number, number] => [from, from + more]);
      const lines = Array.from({ length: 20 }, (_, index) => index + 1);
      const isWhole = lines.every((line) => spans.some(([from, to]) => from <= line && line <= to));
      expect(isCovered(read(...spans), 20)).toBe(isWhole);
    }),
  );
});

test('the record stays small', () => {
  const many = Array.from({ length: 300 }, (_, index): [number, number] => [index * 3, index * 3]);
  expect(read(...many).spans).toHaveLength(100);
});
