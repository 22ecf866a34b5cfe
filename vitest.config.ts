import { defineConfig } from 'vitest/config';

// Node reads these certificates at every start, which makes each child process several times slower. Only npm needs
// them, when the host tests fetch the client.
const certificates = process.env['NODE_EXTRA_CA_CERTS'];
if (certificates !== undefined)
  process.env['NPM_EXTRA_CA_CERTS'] = certificates;
delete process.env['NODE_EXTRA_CA_CERTS'];

const SHARED_WORKERS = {
  setupFiles: ['test/support/fixed-seed.ts'],
  // Loading the modules anew for each file would take longer than the tests. Integration tests also keep the process that
  // runs their commands: see test/support/resident.ts.
  isolate: false,
  unstubEnvs: true,
  unstubGlobals: true,
  restoreMocks: true,
  // Also on two cores: a test that waits for a child process leaves its core to others.
  maxWorkers: 4,
};

// Only a real failure should reach a deadline: a busy machine can be twenty times as slow as a quiet one.
const PATIENT = {
  testTimeout: 600_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

const LONG = { testTimeout: 3_600_000, hookTimeout: 600_000 };
const COMPARING_TIMES = ['growth', 'long-life'].map(
  (suite) => `test/soak/${suite}.test.ts`,
);

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          globalSetup: ['scripts/validators.mjs'],
          ...SHARED_WORKERS,
          ...PATIENT,
        },
      },
      {
        // Spawns the built program, git or other processes.
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: [
            'scripts/validators.mjs',
            'test/support/shared-folder.ts',
          ],
          ...SHARED_WORKERS,
          ...PATIENT,
        },
      },
      {
        // The real client against a stand-in for its model; fetches the client from npm once.
        test: {
          name: 'host',
          include: ['test/host/**/*.test.ts'],
          globalSetup: ['test/host/support/global-setup.ts'],
          // Longer than the deadline of the tests' own driver, whose error says more than vitest's.
          ...PATIENT,
          // The clients do the work, in processes of their own, so two files and the tests of a file may overlap. The
          // latter has to be said on the command line, `--sequence.concurrent`: vitest ignores it in a project.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          maxConcurrency: 2,
        },
      },
      {
        // Other agents against a stand-in for their models; fetches them from npm once.
        test: {
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          ...PATIENT,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // The page of `holdfast ui` in Chromium.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          ...PATIENT,
          // Each file starts a browser of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Kills, failing disks, many processes. `scripts/soak.mjs` sets the scale.
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          exclude: COMPARING_TIMES,
          ...LONG,
          // Most suites start one child after another.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Suites that compare times, so nothing runs beside them.
        test: {
          name: 'soak alone',
          include: COMPARING_TIMES,
          ...LONG,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
