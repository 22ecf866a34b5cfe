import { expect, it } from 'vitest';
import { limits, measureSize } from '../../scripts/size.mjs';

it('the project does not grow: `npm run size -- --lower` records what a change has saved', async () => {
  const limit = limits();
  const measured = Object.entries(await measureSize());
  expect(Object.keys(limit)).toStrictEqual(measured.map(([name]) => name));
  const isAbove = ([name, value]: [string, number]): boolean => value > (limit[name] ?? 0);
  const isFarBelow = ([name, value]: [string, number]): boolean =>
    value < (limit[name] ?? 0) * 0.99;
  expect(
    measured.filter(isAbove),
    'larger than its limit in scripts/size-limits.json',
  ).toStrictEqual([]);
  expect(measured.filter(isFarBelow), 'smaller: lower the limit').toStrictEqual([]);
});
