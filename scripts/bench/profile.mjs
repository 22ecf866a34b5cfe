// Where the CPU time of SessionStart after a compaction goes, beyond that of `node -e 0`. The hook is built with the names
// of its functions, and each of PARTS is timed; `load` is what passes until its code runs. Timing itself costs a little,
// so compare the parts with each other; `npm run bench -- hooks` measures the total.
// Usage: npm run bench -- profile [--runs 1] [--rounds 25]
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const PARTS =
  'main readInput createHookContext detectAndSync readSources listRuns planSync makeFolder acquire decideUnderLock chooseRestoration renderRestoration record replaceFile'.split(
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

/** Builds the hook like build.mjs does, but with function names and timers, in a package that has the real loader. */
async function timedHook() {
  const { outputFiles } = await build({
    bundle: true,
    platform: 'node',
    target: 'node20',
    define: { 'process.env.HOLDFAST_BUILD': '"profile"' },
    format: 'cjs',
    write: false,
    entryPoints: ['src/hooks/main.ts'],
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const main = outputFiles[0].text;
  const timer = `const atLoad = process.cpuUsage();
  const timings = ['load ' + (atLoad.user + atLoad.system) / 1000];
  const timed = (name, work) => function (...args) {
    const began = process.cpuUsage();
    try { return work.apply(this, args); } finally {
      const { user, system } = process.cpuUsage(began);
      timings.push(name + ' ' + (user + system) / 1000);
    }
  };
  process.on('exit', () =>
    require('node:fs').writeFileSync(${JSON.stringify(report)}, timings.join('\\n')));\n`;
  // Function declarations are hoisted, so they can be replaced before the bundle's first statement.
  const renamed = PARTS.filter((name) => !main.includes(`function ${name}(`));
  if (renamed.length > 0)
    throw new Error(`the hook has no function ${renamed.join(', ')}`);
  const wrapped = PARTS.map(
    (name) => `${name} = timed('${name}', ${name});`,
  ).join('\n');
  for (const folder of ['bin', 'dist'])
    mkdirSync(join(base, 'package', folder), { recursive: true });
  writeFileSync(
    join(base, 'package/dist/hook.cjs'),
    `${timer}${wrapped}\n${main.replace(/^"use strict";/, '')}`,
  );
  const program = join(base, 'package/bin/holdfast.cjs');
  copyFileSync('bin/holdfast.cjs', program);
  return program;
}

function projectWith(count) {
  const root = join(base, 'project');
  mkdirSync(join(root, '.git'), { recursive: true });
  for (let index = 1; index <= count; index += 1) {
    const folder = join(
      root,
      `CLAUDE/Plan/${String(index).padStart(5, '0')}-work`,
    );
    mkdirSync(folder, { recursive: true });
    const text = `# Plan ${index}: Work ${index}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A 🔄\n- [ ] a\n### Phase 2: B\n- [ ] b\n`;
    writeFileSync(join(folder, 'PLAN.md'), text);
  }
  return root;
}

const median = (values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
let calls = 0;
function call(program, root, event, fields) {
  calls += 1;
  const payload = {
    session_id: 's',
    cwd: root,
    prompt_id: String(calls),
    ...fields,
  };
  const input = JSON.stringify({ hook_event_name: event, ...payload });
  const words = [program, 'hook', event];
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    env,
    input,
  });
  if (status !== 0) throw new Error(String(stderr));
}

/** Median CPU time of each part per call of the hook. */
function timesOf(program, root) {
  const each = Array.from({ length: rounds }, () => {
    rmSync(report, { force: true });
    call(program, root, 'SessionStart', { source: 'compact' });
    const sums = new Map();
    for (const line of readFileSync(report, 'utf8').trim().split('\n')) {
      const [name, ms] = line.split(' ');
      sums.set(name, (sums.get(name) ?? 0) + Number(ms));
    }
    return sums;
  });
  return (name) => median(each.map((sums) => sums.get(name) ?? 0));
}

/** CPU time of `node -e` until it runs. */
function startOfNode() {
  const script =
    'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)';
  return median(
    Array.from({ length: rounds }, () =>
      Number(
        spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })
          .stdout,
      ),
    ),
  );
}

try {
  const program = await timedHook();
  const root = projectWith(runs);
  const wait = (ms) =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // Files changed within the last two seconds are always read again, which is not the usual case.
  wait(2_100);
  for (let made = 0; made <= runs; made += 200)
    call(program, root, 'PreCompact', { trigger: 'auto' });
  wait(2_100);
  call(program, root, 'PreCompact', { trigger: 'auto' });
  // The sessions are recorded, so holdfast has its folder, and the first call keeps the code that V8 compiles.
  call(program, root, 'SessionStart', { source: 'compact' });
  const cached = timesOf(program, root);
  const start = startOfNode();
  console.log(
    `SessionStart compact, ${runs} runs, CPU time in ms, medians of ${rounds}`,
  );
  console.log(
    `${'load'.padEnd(20)} ${(cached('load') - start).toFixed(2).padStart(7)}`,
  );
  for (const name of PARTS)
    console.log(`${name.padEnd(20)} ${cached(name).toFixed(2).padStart(7)}`);
  // A file in place of the folder: nothing can be kept.
  const caches = join(base, '.claude/holdfast/cache');
  rmSync(caches, { recursive: true });
  writeFileSync(caches, '');
  const compiled = timesOf(program, root);
  const added = ['load', 'main'].map((name) => compiled(name) - cached(name));
  console.log(
    `without the code that is kept: ${(added[0] + added[1]).toFixed(2)} more`,
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}
