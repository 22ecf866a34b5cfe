import { defineConfig } from 'vitest/config';

/** What takes minutes: kills, failing disks, crowds, long lives. HOLDFAST_SOAK_SCALE says how much of it. */
export default defineConfig({
  test: {
    name: 'soak',
    include: ['test/soak/**/*.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    // Each suite starts children of its own, as many as the machine can bear.
    fileParallelism: false,
  },
});
