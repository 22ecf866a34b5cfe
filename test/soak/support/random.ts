export interface Random {
  /** Printed with the figures: the same seed gives the same choices. */
  seed: number;
  /** From 0 up to, not including, `limit`. */
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T;
  shuffled: <T>(items: readonly T[]) => T[];
}

/** Seeded by HOLDFAST_SOAK_SEED, otherwise differently each time. */
export function makeRandom(): Random {
  const text = process.env['HOLDFAST_SOAK_SEED'];
  const seed = text === undefined || text === '' ? Date.now() % 2 ** 31 : Number(text);
  if (!Number.isSafeInteger(seed))
    throw new Error(`HOLDFAST_SOAK_SEED must be a whole number, not ${text}`);
  const next = mulberry32(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
