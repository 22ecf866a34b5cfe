// Runs the long suites. Usage: npm run test:soak [-- --scale 1/50] [-- --seed 7] [-- <test file> …]
// A scale below 1 runs that part of each suite and, unless a seed is given, always the same part, so that a failure in
// CI is due to the change and not to other random choices. At full scale every run has a new seed.
// With --figures nothing is run: the results of the last runs (untracked/soak/*.json) are written into the documents,
// between `<!-- figures: suite -->` and `<!-- /figures -->`. A suite without results keeps its figures.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const repository = fileURLToPath(new URL('..', import.meta.url));
const FIXED_SEED = '1588345780';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: process.env.HOLDFAST_SOAK_SCALE ?? '1' },
    seed: { type: 'string', default: process.env.HOLDFAST_SOAK_SEED },
    figures: { type: 'boolean', default: false },
  },
});
if (values.figures) writeFigures();
else process.exitCode = runSuites();

function runSuites() {
  const [part, whole = 1] = values.scale.split('/').map(Number);
  const scale = part / whole;
  if (!(scale > 0))
    throw new Error(`--scale must be a number such as 0.1 or 1/50, not ${values.scale}`);
  const seed = values.seed ?? (scale < 1 ? FIXED_SEED : undefined);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'soak*', ...positionals],
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

function writeFigures() {
  const folder = join(repository, 'docs');
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of pages.filter((file) => file.endsWith('.md'))) {
    const path = join(folder, name);
    const before = readFileSync(path, 'utf8');
    const after = withFigures(before);
    if (after === before) continue;
    writeFileSync(path, after);
    console.log(`docs/${name}`);
  }
}

function withFigures(text) {
  return text.replaceAll(
    /(<!-- figures: ([\w-]+) -->\n)[^<]*(<!-- \/figures -->)/g,
    (unchanged, start, suite, end) => {
      const path = join(repository, `untracked/soak/${suite}.json`);
      if (!existsSync(path)) return unchanged;
      const { seed: _, ...figures } = JSON.parse(readFileSync(path, 'utf8'));
      return `${start}\n${tableOf(figures)}\n\n${end}`;
    },
  );
}

function tableOf(figures) {
  const rows = Object.entries(figures).map(
    ([name, value]) => `| ${name.replaceAll('_', ' ')} | ${value.toLocaleString('en')} |`,
  );
  return ['| | |', '| --- | --- |', ...rows].join('\n');
}
