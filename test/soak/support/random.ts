import { seededRandom, type Random } from '../../support/seeded-random.ts';

export type { Random };

/** Seeded by HOLDFAST_SOAK_SEED, otherwise differently each time. */
export function makeRandom(): Random {
  const text = process.env['HOLDFAST_SOAK_SEED'];
  const seed =
    text === undefined || text === '' ? Date.now() % 2 ** 31 : Number(text);
  if (!Number.isSafeInteger(seed))
    throw new Error(`HOLDFAST_SOAK_SEED must be a whole number, not ${text}`);
  return seededRandom(seed);
}
