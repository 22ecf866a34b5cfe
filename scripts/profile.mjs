// Where the processor time of SessionStart after a compaction goes, beyond what `node -e 0` takes: its code with the
// names of its functions, each of those below timed, and a code cache as `init` makes it. The timing itself costs a
// little, so the parts are for comparison; the whole is what `npm run bench` measures.
// Usage: npm run profile [-- --runs 1] [-- --rounds 25]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const PARTS =
  'main surroundingsOf detect readSources listRuns planSync makeFolder acquire settled prepareRestoration record replaceFile appendLine'.split(
    ' ',
  );
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return Number(at < 0 ? otherwise : process.argv[at + 1]);
};
const runs = option('runs', 1);
const rounds = option('rounds', 25);
const base = mkdtempSync(join(tmpdir(), 'holdfast-profile-'));
const env = { PATH: process.env.PATH, HOME: base };
const told = join(base, 'told');
const shared = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', write: false };

async function bundled(path, more = {}) {
  const { outputFiles } = await build({ ...shared, entryPoints: [path], ...more });
  return outputFiles[0].text;
}

/** The loader as it is built, but for names, and for what it tells of itself. */
async function timedHook() {
  const cacheCode = await bundled('src/install/runtime/code-cache.ts', { format: 'esm' });
  const { cacheName, literalOf, makeCodeCache } = await import(
    `data:text/javascript,${encodeURIComponent(cacheCode)}`
  );
  const main = await bundled('src/hooks/main.ts', {
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const entry = await bundled('src/hooks/entry.ts', { minify: true });
  const timer = `const timed = (name, work) => function (...given) {
    const began = process.cpuUsage();
    try { return work.apply(this, given); } finally {
      const { user, system } = process.cpuUsage(began);
      (globalThis.told ??= []).push(name + ' ' + (user + system) / 1000);
    }
  };\n`;
  const wrapped = PARTS.map((name) => `${name} = timed('${name}', ${name});`).join('\n');
  const body = main.replace(/setDescribe\((?=[^()]*\);main\()/, `${wrapped}\nsetDescribe(`);
  if (body === main) throw new Error('the end of main.ts has another form now');
  const code = `(function (require, call, __dirname) {${timer}${body}\n})`;
  const loader = readFileSync('scripts/hook-loader.cjs', 'utf8')
    .replace('__DIGEST__', cacheName(code).split('-')[1])
    .replace('/* __ENTRY__ */', () => entry)
    .replace('__CODE__', () => literalOf(code))
    .replace('const call = readCall();', () => `${timer}const call = timed('entry', readCall)();`)
    .replace(/new Script\(.*\)/, (made) => `timed('code', () => ${made})()`)
    .replace(
      'process.exit();',
      () =>
        `require('fs').appendFileSync(${JSON.stringify(told)}, globalThis.told.join('\\n') + '\\n');`,
    );
  const folder = join(base, 'hooks');
  mkdirSync(folder);
  writeFileSync(join(folder, 'hook.cjs'), loader);
  const cache = join(folder, cacheName(code));
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
  const { status, stderr } = spawnSync(process.execPath, [hook], { cwd: root, env, input });
  if (status !== 0) throw new Error(String(stderr));
}

/** The median of what each part took in one call, all its turns together. */
function timesOf(hook, root) {
  const each = Array.from({ length: rounds }, () => {
    rmSync(told, { force: true });
    call(hook, root, 'SessionStart', { source: 'compact' });
    const sums = new Map();
    for (const line of readFileSync(told, 'utf8').trim().split('\n')) {
      const [name, ms] = line.split(' ');
      sums.set(name, (sums.get(name) ?? 0) + Number(ms));
    }
    return sums;
  });
  return (name) => median(each.map((sums) => sums.get(name) ?? 0));
}

/** What it takes to reach the first line of a file in the form that `init` registers, beyond that of `node -e`. */
function costOfForm() {
  const file = join(base, 'start');
  const tell = `const { user, system } = process.cpuUsage();
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String((user + system) / 1000));`;
  const script = join(base, 'tell.cjs');
  writeFileSync(script, tell);
  const startOf = (words) => {
    spawnSync(process.execPath, words, { env });
    return Number(readFileSync(file, 'utf8'));
  };
  const registered = ['-e', 'try{require(process.argv.splice(1)[1])}catch{}', 'x', script];
  return median(Array.from({ length: rounds }, () => startOf(registered) - startOf(['-e', tell])));
}

try {
  const { hook, cache } = await timedHook();
  const root = projectWith(runs);
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // What was written in the last two seconds is read again, which is not the usual case.
  wait(2_100);
  for (let made = 0; made <= runs; made += 200) call(hook, root, 'PreCompact', { trigger: 'auto' });
  wait(2_100);
  call(hook, root, 'PreCompact', { trigger: 'auto' });
  const withCache = timesOf(hook, root);
  rmSync(cache);
  const without = timesOf(hook, root);
  console.log(`SessionStart compact, ${runs} runs, processor time in ms, medians of ${rounds}`);
  console.log(`${'form'.padEnd(20)} ${costOfForm().toFixed(2).padStart(7)}`);
  for (const name of ['entry', 'code', ...PARTS])
    console.log(`${name.padEnd(20)} ${withCache(name).toFixed(2).padStart(7)}`);
  const added = ['code', 'main'].map((name) => without(name) - withCache(name));
  console.log(`without a code cache: ${(added[0] + added[1]).toFixed(2)} more`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
