import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { measureTrips } from './trips.mjs';

// How large the project is: a report that no test holds.

async function measureSize() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && isThere(path));
  const source = files.filter(
    (path) => /^src\/.*\.tsx?$/.test(path) && !/\.generated\./.test(path),
  );
  const tests = files.filter((path) => /^test\/.*\.tsx?$/.test(path));
  const docs = files.filter((path) => /^(?:README|docs\/.*)\.md$/.test(path));
  const trips = await measureTrips();
  return {
    'lines of TypeScript in src/': count(source, /\n/g),
    'files in src/': source.length,
    'lines in test/': count(tests, /\n/g),
    'hook bundle, KB': Math.ceil((await hookBundle()).length / 1000),
    'files that a SessionStart passes through': new Set(trips.SessionStart).size,
    'files that an advance passes through': new Set(trips.advance).size,
    'words in README and docs': count(docs, /\S+/g),
    'commands shown by --help': shownCommands(),
  };
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

const measured = await measureSize();
for (const [name, value] of Object.entries(measured))
  console.log(`${name.padEnd(42)}${String(value).padStart(8)}`);
