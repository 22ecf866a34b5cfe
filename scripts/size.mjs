import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { measureTrips } from './trips.mjs';

// How large the project is, beside the size that it must reach. `--lower` writes what is measured as the new limits;
// test/integration/size.test.ts holds the project to them. A limit is never raised.

const LIMITS = new URL('size-limits.json', import.meta.url);

/** Each measure with its target. */
const TARGETS = {
  'lines of TypeScript in src/': 36_000,
  'files in src/': 400,
  'lines in test/': 40_000,
  'hook bundle, KB': 140,
  'files that a SessionStart passes through': 60,
  'files that an advance passes through': 60,
  'words in README and docs': 18_000,
  'commands shown by --help': 10,
};

export const limits = () => JSON.parse(readFileSync(LIMITS, 'utf8'));

export async function measureSize() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && isThere(path));
  const source = files.filter(
    (path) => /^src\/.*\.tsx?$/.test(path) && !/\.generated\./.test(path),
  );
  const tests = files.filter((path) => /^test\/.*\.tsx?$/.test(path));
  const docs = files.filter((path) => /^(?:README|docs\/.*)\.md$/.test(path));
  const trips = await measureTrips();
  const measured = [
    count(source, /\n/g),
    source.length,
    count(tests, /\n/g),
    Math.ceil((await hookBundle()).length / 1000),
    new Set(trips.SessionStart).size,
    new Set(trips.advance).size,
    count(docs, /\S+/g),
    shownCommands(),
  ];
  return Object.fromEntries(Object.keys(TARGETS).map((name, index) => [name, measured[index]]));
}

function isThere(path) {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    // Deleted, and not committed yet.
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function count(paths, pattern) {
  return paths.reduce(
    (sum, path) => sum + (readFileSync(path, 'utf8').match(pattern)?.length ?? 0),
    0,
  );
}

async function hookBundle() {
  const { outputFiles } = await build({
    entryPoints: ['src/hooks/main.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    write: false,
  });
  return outputFiles[0].contents;
}

function shownCommands() {
  const help = execFileSync(process.execPath, ['bin/holdfast.cjs', '--help'], { encoding: 'utf8' });
  return help.split('\n').filter((line) => /^ {2}[a-z]/.test(line)).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = await measureSize();
  const before = limits();
  const rows = Object.entries(measured).map(([name, value]) => [
    name,
    value,
    before[name],
    TARGETS[name],
  ]);
  for (const row of [['', 'now', 'limit', 'target'], ...rows])
    console.log(
      row.map((cell, at) => (at === 0 ? cell.padEnd(42) : String(cell).padStart(8))).join(''),
    );
  if (process.argv.includes('--lower')) {
    const lowered = Object.entries(measured).map(([name, value]) => [
      name,
      Math.min(value, before[name] ?? value),
    ]);
    writeFileSync(LIMITS, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  }
}
