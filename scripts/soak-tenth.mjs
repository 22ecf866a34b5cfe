// A tenth of the long suites, for CI: the same tenth each time, because a change is not to blame for another choice.
// New choices are for `npm run test:soak`.
// An environment variable before a command is not portable.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'vitest.soak.config.ts',
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    env: { HOLDFAST_SOAK_SEED: '1588345780', ...process.env, HOLDFAST_SOAK_SCALE: '0.1' },
  },
);
process.exitCode = status ?? 1;
