import { describe, expect, it } from 'vitest';
import { uniteLines, uniteMerges } from '../../../src/sync/journals.ts';
import { MAX_JOURNAL_BYTES } from '../../../src/state/journal.ts';

const line = (at: string, fields: object = {}): string =>
  JSON.stringify({ at, event: 'updated', ...fields });

describe('lines of two journals', () => {
  it('are all there, each once, the oldest first', () => {
    const [one, two, three] = [line('2025-01-01'), line('2025-01-02'), line('2025-01-03')];
    expect(uniteLines([one, three], [two, three])).toEqual([one, two, three]);
  });

  it('lose the oldest ones beyond the limit', () => {
    const text = 'x'.repeat(MAX_JOURNAL_BYTES / 4);
    const lines = ['01', '02', '03', '04', '05'].map((day) => line(`2025-01-${day}`, { text }));
    expect(uniteLines(lines.slice(0, 3), lines.slice(2))).toEqual(lines.slice(2));
  });
});

describe('decisions of merges', () => {
  const decision = (at: string, fields: object = {}): string =>
    line(at, { event: 'conflict', field: 'a', kept: 1, other: 2, since: 'base', ...fields });

  it('that cross are one, at the earlier time', () => {
    const [early, late] = [decision('2025-01-01'), decision('2025-01-02', { commit: 'another' })];
    expect(uniteMerges([late], [early])).toEqual([early]);
    expect(uniteMerges([early], [late])).toEqual([early]);
  });

  it('on the same values are two if something else was decided on', () => {
    const all = [
      decision('2025-01-01'),
      decision('2025-01-02', { since: 'later' }),
      decision('2025-01-03', { field: 'b' }),
      decision('2025-01-04', { other: 3 }),
    ];
    expect(uniteMerges(all.slice(0, 2), all.slice(2))).toEqual(all);
  });
});
