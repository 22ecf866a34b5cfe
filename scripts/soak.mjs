// Runs the long suites. Usage: npm run test:soak [-- --scale 1/50] [-- --seed 7] [-- <test file> …]
// A scale below 1 runs that part of each suite and, unless a seed is given, always the same part, so that a failure in
// CI is due to the change and not to other random choices. At full scale every run has a new seed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const repository = fileURLToPath(new URL('..', import.meta.url));
const FIXED_SEED = '1588345780';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: process.env.HOLDFAST_SOAK_SCALE ?? '1' },
    seed: { type: 'string', default: process.env.HOLDFAST_SOAK_SEED },
  },
});
process.exitCode = runSuites();

function runSuites() {
  const [part, whole = 1] = values.scale.split('/').map(Number);
  const scale = part / whole;
  if (!(scale > 0))
    throw new Error(
      `--scale must be a number such as 0.1 or 1/50, not ${values.scale}`,
    );
  const seed = values.seed ?? (scale < 1 ? FIXED_SEED : undefined);
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'soak*',
      ...positionals,
    ],
    {
      cwd: repository,
      stdio: 'inherit',
      env: {
        ...process.env,
        HOLDFAST_SOAK_SCALE: String(scale),
        ...(seed !== undefined && { HOLDFAST_SOAK_SEED: seed }),
      },
    },
  );
  return status ?? 1;
}
