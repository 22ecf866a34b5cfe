import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { LONG_PATTERN_CHARS, measureSources } from './source-measures.mjs';
import { measureTrips } from './trips.mjs';

// How large the project is and how its text reads: a report that no test holds. `--list` names the places.

const HOOK_BUNDLE = 'dist/hook.cjs';

const sources = measureSources(
  filesOf(/^src\/.*\.tsx?$/).filter((path) => !/generated/.test(path)),
);
const tests = measureSources(filesOf(/^test\/.*\.tsx?$/));
const trips = await measureTrips();
const { bytes, executedBytes } = trips.SessionStart;

print('tokens in src/', sources.tokens);
print('tokens a line of code', sources.tokensPerLine.toFixed(1));
print('comment lines, JSDoc included', percent(sources.commentShare));
print('files in src/', sources.files);
print(
  'lines of the median file, of the longest',
  `${sources.medianLines}, ${sources.longestLines}`,
);
print('functions', sources.functions);
print(
  'exported functions without a return type',
  sources.untypedExports.length,
);
print(
  `regular expressions over ${LONG_PATTERN_CHARS} characters`,
  sources.longPatterns.length,
);
print('nested ?:', sources.nestedConditionals.length);
print('tokens in test/', tests.tokens);
print('bytes of the hook bundle', statSync(HOOK_BUNDLE).size);
print(
  'executed by a SessionStart',
  `${percent(executedBytes / bytes)} of the code before minifying`,
);
for (const [trip, { called }] of Object.entries(trips))
  print(
    `functions called, files: ${trip}`,
    `${called.length}, ${new Set(called).size}`,
  );

if (process.argv.includes('--list')) {
  list('Exported functions without a return type', sources.untypedExports);
  list('Long regular expressions', sources.longPatterns);
  list('Nested ?:', sources.nestedConditionals);
}

function filesOf(pattern) {
  // A file that is deleted and not committed yet is still listed.
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => pattern.test(path) && existsSync(path));
}

function print(name, value) {
  console.log(`${name.padEnd(52)}${value}`);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function list(title, places) {
  console.log(`\n${title}:`);
  for (const place of places) console.log(`  ${place}`);
}
