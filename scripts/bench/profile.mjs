// Where the CPU time of SessionStart after a compaction goes, beyond that of `node -e 0`. The hook is built with the names
// of its functions, each of PARTS is timed, and a code cache is used as after `init`. Timing itself costs a little, so
// compare the parts with each other; `npm run bench -- hooks` measures the total.
// Usage: npm run bench -- profile [--runs 1] [--rounds 25]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { minify } from 'terser';

const PARTS =
  'main readCall createHookContext detectAndSync readSources listRuns planSync makeFolder acquire decideUnderLock chooseRestoration renderRestoration recordRestoration replaceFile appendLine'.split(
    ' ',
  );
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return Number(at < 0 ? fallback : process.argv[at + 1]);
};
const runs = option('runs', 1);
const rounds = option('rounds', 25);
const base = mkdtempSync(join(tmpdir(), 'holdfast-profile-'));
const env = { PATH: process.env.PATH, HOME: base };
const report = join(base, 'report');
/** As in bin/hook.sh. */
const OPTIONS = ['--preserve-symlinks-main', '--v8-pool-size=1', '--no-rehash-snapshot'];
const shared = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', write: false };

async function bundled(path, more = {}) {
  const { outputFiles } = await build({ ...shared, entryPoints: [path], ...more });
  return outputFiles[0].text;
}

/** Builds the hook like build.mjs does, but with function names and timers. */
async function timedHook() {
  const cacheCode = await bundled('src/install/runtime/code-cache.ts', { format: 'esm' });
  const { cacheName, makeCodeCache, withDigest } = await import(
    `data:text/javascript,${encodeURIComponent(cacheCode)}`
  );
  const main = await bundled('src/hooks/main.ts', {
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const timer = `const timed = (name, work) => function (...args) {
    const began = process.cpuUsage();
    try { return work.apply(this, args); } finally {
      const { user, system } = process.cpuUsage(began);
      (globalThis.timings ??= []).push(name + ' ' + (user + system) / 1000);
    }
  };\n`;
  // Function declarations are hoisted, so they can be replaced before the bundle's first statement.
  const renamed = PARTS.filter((name) => !main.includes(`function ${name}(`));
  if (renamed.length > 0) throw new Error(`the hook has no function ${renamed.join(', ')}`);
  const wrapped = PARTS.map((name) => `${name} = timed('${name}', ${name});`).join('\n');
  const named = { compress: false, mangle: false, parse: { bare_returns: true } };
  const { code: line } = await minify(`${timer}${wrapped}\n${main}`, named);
  const code = withDigest(`(function (require, process, __dirname) {${line}})`);
  const loader = readFileSync('scripts/hook-loader.cjs', 'utf8')
    .replace("'use strict';", (first) => `${first}\n${timer}`)
    .replace(/new Script\(.*\)/, (made) => `timed('code', () => ${made})()`)
    .replace(
      'process.exit();',
      () =>
        `require('fs').appendFileSync(${JSON.stringify(report)}, globalThis.timings.join('\\n') + '\\n');`,
    );
  const folder = join(base, 'hooks');
  mkdirSync(folder);
  writeFileSync(join(folder, 'hook.cjs'), loader);
  writeFileSync(join(folder, 'hook-code.cjs'), code);
  const cache = join(folder, cacheName('hook', code));
  writeFileSync(cache, makeCodeCache(code, createRequire(join(process.cwd(), 'dist/x')), base));
  return { hook: join(folder, 'hook.cjs'), cache };
}

function projectWith(count) {
  const root = join(base, 'project');
  mkdirSync(join(root, '.git'), { recursive: true });
  for (let index = 1; index <= count; index += 1) {
    const folder = join(root, `CLAUDE/Plan/${String(index).padStart(5, '0')}-work`);
    mkdirSync(folder, { recursive: true });
    const text = `# Plan ${index}: Work ${index}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A 🔄\n- [ ] a\n### Phase 2: B\n- [ ] b\n`;
    writeFileSync(join(folder, 'PLAN.md'), text);
  }
  return root;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
let calls = 0;
function call(hook, root, event, fields) {
  calls += 1;
  const payload = { session_id: 's', cwd: root, prompt_id: String(calls), ...fields };
  const input = JSON.stringify({ hook_event_name: event, ...payload });
  const { status, stderr } = spawnSync(process.execPath, [...OPTIONS, hook], {
    cwd: root,
    env,
    input,
  });
  if (status !== 0) throw new Error(String(stderr));
}

/** Median CPU time of each part per call of the hook. */
function timesOf(hook, root) {
  const each = Array.from({ length: rounds }, () => {
    rmSync(report, { force: true });
    call(hook, root, 'SessionStart', { source: 'compact' });
    const sums = new Map();
    for (const line of readFileSync(report, 'utf8').trim().split('\n')) {
      const [name, ms] = line.split(' ');
      sums.set(name, (sums.get(name) ?? 0) + Number(ms));
    }
    return sums;
  });
  return (name) => median(each.map((sums) => sums.get(name) ?? 0));
}

/** CPU time until the first line of a script runs, started as bin/hook.sh starts hooks, compared with `node -e`. */
function costOfCommand() {
  const file = join(base, 'start');
  const reporter = `const { user, system } = process.cpuUsage();
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String((user + system) / 1000));`;
  const script = join(base, 'report.cjs');
  writeFileSync(script, reporter);
  const startOf = (words) => {
    spawnSync(process.execPath, words, { env });
    return Number(readFileSync(file, 'utf8'));
  };
  const started = [...OPTIONS, script];
  return median(Array.from({ length: rounds }, () => startOf(started) - startOf(['-e', reporter])));
}

try {
  const { hook, cache } = await timedHook();
  const root = projectWith(runs);
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // Files changed within the last two seconds are always read again, which is not the usual case.
  wait(2_100);
  for (let made = 0; made <= runs; made += 200) call(hook, root, 'PreCompact', { trigger: 'auto' });
  wait(2_100);
  call(hook, root, 'PreCompact', { trigger: 'auto' });
  const withCache = timesOf(hook, root);
  rmSync(cache);
  const without = timesOf(hook, root);
  console.log(`SessionStart compact, ${runs} runs, CPU time in ms, medians of ${rounds}`);
  console.log(`${'command'.padEnd(20)} ${costOfCommand().toFixed(2).padStart(7)}`);
  for (const name of ['code', ...PARTS])
    console.log(`${name.padEnd(20)} ${withCache(name).toFixed(2).padStart(7)}`);
  const added = ['code', 'main'].map((name) => without(name) - withCache(name));
  console.log(`without a code cache: ${(added[0] + added[1]).toFixed(2)} more`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
