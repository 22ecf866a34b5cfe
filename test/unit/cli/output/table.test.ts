import { describe, expect, it } from 'vitest';
import { table, widthOf } from '../../../../src/cli/output/table.ts';

const columns = [
  { title: 'RUN', min: 10 },
  { title: 'PHASE', max: 12 },
  { title: 'UPDATED', min: 6, isOptional: true },
];
const rows = [['a-run-with-quite-a-long-name-20261115_090000', '2/3 Build', '12 minutes ago']];
const widest = (text: string): number => Math.max(...text.split('\n').map(widthOf));

describe('a table', () => {
  it('is as wide as its cells need', () => {
    expect(table(columns, rows)).toBe(
      [
        'RUN                                           PHASE      UPDATED',
        'a-run-with-quite-a-long-name-20261115_090000  2/3 Build  12 minutes ago',
      ].join('\n'),
    );
  });

  it.each([40, 50, 60, 80])('shrinks into %d columns', (width) => {
    const text = table(columns, rows, width);
    expect(widest(text)).toBeLessThanOrEqual(width);
    expect(text).toContain('2/3 Build');
  });

  it('leaves out what can be missed where it cannot shrink any more', () => {
    const text = table(columns, rows, 22);
    expect(text).not.toContain('UPDATED');
    expect(widest(text)).toBeLessThanOrEqual(22);
  });
});
