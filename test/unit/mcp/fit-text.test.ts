import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutTo, fairShare, latestWithin } from '../../../src/mcp/fit-text.ts';

test('shares always fit, and use what there is', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200), { minLength: 1 }), fc.nat(1_000), (lengths, max) => {
      const share = fairShare(lengths, max);
      const used = lengths.reduce((sum, length) => sum + Math.min(length, share), 0);
      const all = lengths.reduce((sum, length) => sum + length, 0);
      expect(used).toBeLessThanOrEqual(max);
      expect(used).toBeGreaterThan(Math.min(all, max) - lengths.length - (all === 0 ? 1 : 0));
    }),
  );
});

test('the latest are kept, as many as fit and no fewer', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 })), fc.nat(100), (costs, space) => {
      const kept = latestWithin(costs, space, (cost) => cost);
      const sum = kept.reduce((total, cost) => total + cost, 0);
      expect(kept).toEqual(costs.slice(costs.length - kept.length));
      expect(sum).toBeLessThanOrEqual(space);
      const next = costs.at(-kept.length - 1);
      if (kept.length < costs.length) expect(sum + (next ?? 0)).toBeGreaterThan(space);
    }),
  );
});

test('a cut text is as long in JSON as it may be, and never longer', () => {
  const text = fc.string({ unit: 'binary', minLength: 101, maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 80, max: 100 }), (given, max) => {
      const cut = cutTo(given, max, 'there');
      expect(JSON.stringify(cut).length - 2).toBeLessThanOrEqual(max);
      expect(cut).toMatch(/… \(\d+ more characters: there\)$/s);
      expect(given.startsWith(cut.slice(0, cut.lastIndexOf('…')))).toBe(true);
    }),
  );
});
