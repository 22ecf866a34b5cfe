/**
 * Measures `holdfast sync` against a repository with many machines and runs, and the growth of the object store over
 * a year: `node scripts/sync-scale.mjs [--runs 10000] [--machines 1000]`. docs/internals/scale.md has the figures.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const RUNS = option('runs', 10_000);
const MACHINES = option('machines', 1_000);
/** Of all runs; the others have ended less than 90 days ago. */
const OPEN = Math.max(1, Math.round(RUNS / 100));
const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'holdfast-scale-'));
const hub = join(base, 'hub.git');
const home = join(base, 'home');
const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', TZ: 'UTC' };
mkdirSync(home);

const git = (folder, ...words) =>
  execFileSync('git', words, { cwd: folder, env, encoding: 'utf8', maxBuffer: 1e9 });
/** The processor time of the command and of all calls of git, which other programs on the machine do not change. */
const holdfast = (folder, ...words) => {
  const child = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', process.execPath, binary, ...words],
    {
      cwd: folder,
      env,
      encoding: 'utf8',
    },
  );
  if (child.status !== 0) throw new Error(`${words.join(' ')}: ${child.stderr}`);
  const times = child.stderr.trim().split('\n').at(-1) ?? '';
  const seconds = times.split(' ').reduce((sum, part) => sum + Number(part), 0);
  return Math.round(seconds * 1_000);
};
const row = (what, value) => process.stdout.write(`| ${what} | ${value} |\n`);
const kilobytes = (bytes) => `${Math.round(bytes / 1_000).toLocaleString('en')} KB`;
const hex = (number) => (number + 1).toString(16).padStart(8, '0');

function stateOf(index, isOpen, facts = {}) {
  return {
    context: { ticket: index, ...facts },
    created_at: '2026-01-01T08:00:00.000Z',
    key_reminders: ['keep the API stable', 'ask before a migration'],
    phase: { current: 2, name: 'Build', status: 'in_progress', total: 4 },
    phases: ['Design', 'Build', 'Review', 'Ship'],
    required_reading: ['@docs/spec.md', '@CLAUDE/PlanWorkflow.md'],
    run_id: `feature-${index}`,
    schema_version: 1,
    sessions: { current_session_id: null, session_history: [] },
    status: isOpen ? 'in_progress' : 'completed',
    workflow: `Feature ${index}`,
    workflow_type: 'implementation',
  };
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const eventLine = (n) =>
  `${JSON.stringify({ at: new Date(1_760_000_000_000 + n * 60_000).toISOString(), by: 'cli', changes: { set: true }, event: 'updated', session_id: '0199b8a4' })}\n`;

/** One commit for fast-import; it continues the last one of the same ref. */
function commit(ref, message, files) {
  const parts = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  return `commit ${ref}\ncommitter holdfast <holdfast@localhost> 1760000000 +0000\ndata ${message.length}\n${message}\n${parts.join('')}\n`;
}

function filesOf(index, isOpen) {
  const machine = hex(index % MACHINES);
  const run = {
    format: 1,
    machines: { [machine]: { at: '2026-01-01T08:00:00.000Z', version: '0.1.0', writes: 1 } },
    slug: 'feature',
    ...(isOpen ? {} : { ended_at: new Date().toISOString() }),
  };
  const journal = Array.from({ length: 40 }, (_, n) => eventLine(n)).join('');
  return {
    [`journal/${machine}.jsonl`]: journal,
    'run.json': json(run),
    'state.json': json(stateOf(index, isOpen)),
  };
}

function fillHub() {
  git(base, 'init', '-q', '--bare', '-b', 'main', hub);
  const stream = [];
  for (let index = 0; index < RUNS; index += 1) {
    const isOpen = index < OPEN;
    stream.push(
      commit(
        `refs/holdfast/runs/-/feature-${index}`,
        isOpen ? 'in_progress\n' : 'completed\n',
        filesOf(index, isOpen),
      ),
    );
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: hub, env, input: stream.join('') });
  git(hub, 'pack-refs', '--all');
}

/** Bytes and refs that the remote sends before the first object, by git's own trace. */
function advertisement(folder, version, refspec) {
  const trace = join(base, `trace-${version}-${Math.random()}`);
  execFileSync(
    'git',
    ['-c', `protocol.version=${version}`, 'fetch', '--dry-run', '--no-tags', 'origin', refspec],
    { cwd: folder, env: { ...env, GIT_TRACE_PACKET: trace }, stdio: 'ignore' },
  );
  const lines = readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => /fetch< ([0-9a-f]{40} refs\/.*)$/.exec(line)?.[1] ?? []);
  return { refs: lines.length, bytes: lines.reduce((sum, line) => sum + line.length + 5, 0) };
}

function measureRemote() {
  fillHub();
  const a = join(base, 'a');
  git(base, 'clone', '-q', `file://${hub}`, a);
  process.stdout.write(`\n${RUNS} runs of ${MACHINES} machines, ${OPEN} of them open\n\n`);
  row('size of the bare repository', kilobytes(sizeOf(hub)));
  row('first `sync on` in a fresh clone', `${holdfast(a, 'sync', 'on', 'origin')} ms`);
  row('size of `.git` after it', kilobytes(sizeOf(join(a, '.git'))));
  row('`sync`, nothing changed', `${holdfast(a, 'sync')} ms`);
  row(
    '`update` of one run, with its local commit',
    `${holdfast(a, 'update', 'feature-0', '--set', 'x=1')} ms`,
  );
  row('`sync`, one run changed', `${holdfast(a, 'sync')} ms`);
  for (const [version, refspec, what] of [
    [2, 'refs/holdfast/runs/-/*:refs/x/*', 'protocol v2, runs of this project'],
    [2, 'refs/holdfast/runs/0123456789ab/*:refs/x/*', 'protocol v2, runs of another project'],
    [0, 'refs/holdfast/runs/-/*:refs/x/*', 'protocol v0'],
  ]) {
    const { refs, bytes } = advertisement(a, version, refspec);
    row(`advertised, ${what}`, `${refs.toLocaleString('en')} refs, ${kilobytes(bytes)}`);
  }
}

function sizeOf(folder) {
  const [line] = execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t');
  return Number(line);
}

/** One person's year: 25 runs of 10 days, 40 writes a day, each a commit. */
function measureYear() {
  const folder = join(base, 'year.git');
  git(base, 'init', '-q', '--bare', folder);
  const [runs, writes] = [Math.min(25, RUNS), 400];
  let loose = 0;
  const stream = [];
  for (let run = 0; run < runs; run += 1) {
    const ref = `refs/holdfast/runs/-/feature-${run}`;
    let journal = '';
    for (let write = 0; write < writes; write += 1) {
      journal += eventLine(run * writes + write);
      const entry = { at: '2026-01-01T08:00:00.000Z', version: '0.1.0', writes: write };
      const files = {
        'journal/0199b8a4.jsonl': journal,
        'run.json': json({ format: 1, machines: { '0199b8a4': entry }, slug: 'feature' }),
        'state.json': json(stateOf(run, write < writes - 1, { write })),
      };
      for (const text of Object.values(files)) loose += deflateSync(text).length + 20;
      // The two trees and the commit.
      loose += 3 * 180;
      stream.push(commit(ref, 'in_progress\n', files));
    }
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, env, input: stream.join('') });
  const year = `${runs} runs of ${writes} writes`;
  process.stdout.write(`\nA year of one person: ${year}\n\n`);
  row('as loose objects, before `git gc`', kilobytes(loose));
  // fast-import stores whole files; `git gc` finds the differences of objects that were loose.
  git(folder, 'repack', '-adfq');
  row('after `git gc`', kilobytes(sizeOf(join(folder, 'objects'))));
  const kept = Math.round((runs * 90) / 365);
  for (let run = 0; run < runs - kept; run += 1)
    git(folder, 'update-ref', '-d', `refs/holdfast/runs/-/feature-${run}`);
  git(folder, 'gc', '-q', '--prune=now');
  row('after `holdfast sync prune` and `git gc`', kilobytes(sizeOf(join(folder, 'objects'))));
}

try {
  measureRemote();
  measureYear();
} finally {
  rmSync(base, { recursive: true, force: true });
}
