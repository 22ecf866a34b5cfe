import { defineConfig } from 'vitest/config';

/** The real client against a stand-in of its model; slow, and fetched from npm once, so apart from `npm test`. */
export default defineConfig({
  test: {
    name: 'host',
    include: ['test/host/**/*.test.ts'],
    globalSetup: ['test/host/support/global-setup.ts'],
    // Above the deadline inside the rig, whose error says more than vitest's.
    testTimeout: 240_000,
    // The clients do the work, in processes of their own: the tests of a file may overlap.
    sequence: { concurrent: true },
    maxConcurrency: 3,
  },
});
