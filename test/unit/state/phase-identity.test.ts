import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifyPhases } from '../../../src/state/phase-identity.ts';

describe('a phase is known', () => {
  const known = ['Design', 'Build', 'Ship'];

  test('by its name, wherever it is', () => {
    expect(identifyPhases(['Ship', 'Design', 'Build'], known)).toEqual([2, 0, 1]);
  });

  test('by its place, if it has a new name and the old one is gone', () => {
    expect(identifyPhases(['Design', 'Code', 'Ship'], known)).toEqual([0, 1, 2]);
    expect(identifyPhases(['Research', 'Design', 'Code', 'Ship'], known)).toEqual([3, 0, 1, 2]);
  });

  test('as a new one, if its place is not free', () => {
    expect(identifyPhases(['Design', 'Build', 'Test', 'Ship', 'Thank'], known)).toEqual([
      0, 1, 3, 2, 4,
    ]);
  });

  test('among those of the same name by its order', () => {
    expect(identifyPhases(['Build', 'Test', 'Build'], ['Build', 'Build'])).toEqual([0, 2, 1]);
  });
});

test('no two phases are the same one, and a list that did not change is the same', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 });
  fc.assert(
    fc.property(names, names, (list, known) => {
      const ids = identifyPhases(list, known);
      expect(new Set(ids).size).toBe(list.length);
      expect(identifyPhases(known, known)).toEqual([...known.keys()]);
    }),
  );
});
