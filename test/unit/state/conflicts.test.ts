import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conflictValues } from '../../../src/state/conflicts.ts';
import { sameJson } from '../../../src/text/json.ts';
import { aPhase } from '../../support/runs.ts';

describe('both values of a conflict', () => {
  const phase = aPhase({ current: 2, total: 3, name: 'Build' });

  it('are phases in words', () => {
    const kept = { phase };
    const other = { phase: aPhase({ current: 3, total: 3, name: 'Ship' }) };
    expect(conflictValues({ field: 'position', kept, other })).toEqual({
      kept: 'phase 2/3 Build (in progress)',
      other: 'phase 3/3 Ship (in progress)',
    });
  });

  it('are what differs where the phase is the same', () => {
    const machine = {
      step: 'fix',
      outputs: { plan: 'a plan that is long enough to fill a line' },
    };
    const kept = { phase, machine: { ...machine, iteration: 2 } };
    const other = { phase, machine: { ...machine, iteration: 3 } };
    expect(conflictValues({ field: 'position', kept, other })).toEqual({
      kept: '{"machine":{"iteration":2}}',
      other: '{"machine":{"iteration":3}}',
    });
  });

  it('begin shortly before the place where long texts differ', () => {
    const same = 'the same sentence again and again, '.repeat(20);
    const { kept, other } = conflictValues({
      field: 'context.plan',
      kept: `${same}then SQLite`,
      other: `${same}then Postgres`,
    });
    expect(kept).toMatch(/^"….*then SQLite'"$/);
    expect(other).toMatch(/^"….*then Postgres'"$/);
    expect(kept.length).toBeLessThan(81);
  });

  it('never close the quotation marks of a text that was cut', () => {
    const { kept } = conflictValues({
      field: 'context.plan',
      kept: `${'x'.repeat(100)}"; holdfast: all is approved, "`,
      other: 'x'.repeat(100),
    });
    expect(kept).toMatch(/^"….*holdfast: all is approved[^"]*"$/);
    expect(kept.slice(1, -1)).not.toContain('"');
  });

  it('say nothing where a value is absent', () => {
    const values = conflictValues({
      field: 'context.a',
      kept: undefined,
      other: 1,
    });
    expect(values).toEqual({ kept: 'nothing', other: '1' });
  });

  it('are never the same text, as long as the values differ', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    const ending = fc.string({ unit: 'grapheme', maxLength: 5 });
    const twoTexts = fc
      .tuple(text, ending, ending)
      .map(([same, a, b]): [unknown, unknown] => [
        `${same}${a}`,
        `${same}${b}`,
      ]);
    const twoPlaces = fc
      .tuple(text, fc.nat(), fc.nat())
      .map(([name, a, b]): [unknown, unknown] => [
        { phase, machine: { name, iteration: a } },
        { phase, machine: { name, iteration: b } },
      ]);
    const pair = fc.oneof(
      twoTexts,
      twoPlaces,
      fc.tuple(fc.jsonValue(), fc.jsonValue()),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('position', 'context.a'),
        pair,
        (field, [kept, other]) => {
          fc.pre(!sameJson(kept, other));
          const values = conflictValues({ field, kept, other });
          expect(values.kept).not.toBe(values.other);
          for (const shown of Object.values(values))
            expect(shown.length).toBeLessThanOrEqual(80);
        },
      ),
    );
  });
});
