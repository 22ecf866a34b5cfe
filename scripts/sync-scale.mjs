/**
 * Measures `holdfast sync` against a repository with many machines and runs, and the growth of the object store over
 * a year: `node scripts/sync-scale.mjs [--runs 10000] [--machines 1000]`. docs/internals/scale.md has the figures.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
/** Of all runs; the others have ended. */
const OPEN = Math.max(1, Math.round(RUNS / 100));
const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'holdfast-scale-'));
const home = join(base, 'home');
const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', TZ: 'UTC' };
mkdirSync(home);

const git = (folder, ...words) =>
  execFileSync('git', words, { cwd: folder, env, encoding: 'utf8', maxBuffer: 1e9 });
/** The processor time of the command and of all calls of git, which other programs on the machine do not change. */
const holdfast = (folder, words, path = process.env.PATH) => {
  const child = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', process.execPath, binary, ...words],
    {
      cwd: folder,
      env: { ...env, PATH: path },
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
const runId = (index) => `feature-${index}-20260101_080000`;
const hex = (number) => (number + 1).toString(16).padStart(8, '0');

function stateOf(index, isOpen, facts = {}) {
  return {
    context: { ticket: index, ...facts },
    created_at: '2026-01-01T08:00:00.000Z',
    key_reminders: ['keep the API stable', 'ask before a migration'],
    phase: { current: 2, name: 'Build', status: 'in_progress', total: 4 },
    phases: ['Design', 'Build', 'Review', 'Ship'],
    required_reading: ['@docs/spec.md', '@CLAUDE/PlanWorkflow.md'],
    run_id: runId(index),
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

function fillHub(hub) {
  git(base, 'init', '-q', '--bare', '-b', 'main', hub);
  const stream = [];
  for (let index = 0; index < RUNS; index += 1) {
    const isOpen = index < OPEN;
    const ref = `refs/holdfast/runs/-/${runId(index)}`;
    stream.push(commit(ref, isOpen ? 'in_progress\n' : 'completed\n', filesOf(index, isOpen)));
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: hub, env, input: stream.join('') });
  git(hub, 'pack-refs', '--all');
}

/** Runs a command with git's own trace of what it asks for and what the remote lists before the first object. */
function traced(folder, words) {
  const bin = join(base, 'traced');
  const trace = join(base, 'trace');
  mkdirSync(bin, { recursive: true });
  rmSync(trace, { force: true });
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\nexport GIT_TRACE_PACKET=${trace}\nexec ${real} "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const milliseconds = holdfast(folder, words, `${bin}:${process.env.PATH}`);
  const lines = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n') : [];
  const listedBy = (command) =>
    lines
      .filter((line) => line.includes(` ${command}< `))
      .flatMap((line) => /< ([0-9a-f]{40} refs\/.*)$/.exec(line)?.[1] ?? []);
  const bytes = (all) => all.reduce((sum, line) => sum + line.length + 5, 0);
  const listed = (command) => {
    const refs = listedBy(command);
    return `${refs.length.toLocaleString('en')} refs, ${kilobytes(bytes(refs))}`;
  };
  return {
    milliseconds,
    fetched: listed('fetch'),
    pushed: listed('push'),
  };
}

function measureRemote() {
  const hub = join(base, 'hub.git');
  fillHub(hub);
  const a = join(base, 'clone');
  git(base, 'clone', '-q', `file://${hub}`, a);
  process.stdout.write(
    `\n${RUNS} runs of ${MACHINES} machines, ${OPEN} open, the others ended\n\n`,
  );
  row('size of the bare repository', kilobytes(sizeOf(hub)));
  const first = traced(a, ['sync', 'on', 'origin']);
  row('first `sync on` in a fresh clone', `${first.milliseconds} ms`);
  row('size of `.git` after it', kilobytes(sizeOf(join(a, '.git'))));
  row('`sync`, nothing changed', `${holdfast(a, ['sync'])} ms`);
  holdfast(a, ['update', runId(0), '--set', 'x=1']);
  const ref = `refs/holdfast/runs/-/${runId(0)}`;
  const before = git(a, 'rev-parse', ref).trim();
  const changed = traced(a, ['sync']);
  row('`sync`, one run changed', `${changed.milliseconds} ms`);
  row('objects sent by it', packSize(a, ref, before));
  row('listed by the remote for its fetch', changed.fetched);
  row('listed by the remote for its push', changed.pushed);
}

/** What a push of `ref` to a remote that has `before` consists of. */
function packSize(folder, ref, before) {
  const words = ['pack-objects', '--thin', '--revs', '--stdout', '--quiet'];
  const pack = execFileSync('git', words, { cwd: folder, env, input: `${ref}\n^${before}\n` });
  return `${pack.readUInt32BE(8)} objects, ${kilobytes(pack.length)}`;
}

/** The packed size of all objects of each type. */
function sizesByType(folder) {
  const format = '--batch-check=%(objecttype) %(objectsize:disk)';
  const sizes = { commit: 0, tree: 0, blob: 0 };
  for (const line of git(folder, 'cat-file', '--batch-all-objects', format).trim().split('\n')) {
    const [type, size] = line.split(' ');
    sizes[type] += Number(size);
  }
  return Object.entries(sizes)
    .map(([type, size]) => `${type}s ${kilobytes(size)}`)
    .join(', ');
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** One person's year: 25 runs of 10 days, 4 syncs a day, each a commit with 10 events more. */
function measureYear() {
  const folder = join(base, 'year.git');
  git(base, 'init', '-q', '--bare', folder);
  const [runs, syncs, events] = [Math.min(25, RUNS), 40, 10];
  let loose = 0;
  const stream = [];
  for (let run = 0; run < runs; run += 1) {
    const ref = `refs/holdfast/runs/-/${runId(run)}`;
    let journal = '';
    for (let sync = 0; sync < syncs; sync += 1) {
      for (let event = 0; event < events; event += 1)
        journal += eventLine((run * syncs + sync) * events + event);
      const entry = { at: '2026-01-01T08:00:00.000Z', version: '0.1.0', writes: sync };
      const files = {
        'journal/0199b8a4.jsonl': journal,
        'run.json': json({ format: 1, machines: { '0199b8a4': entry }, slug: 'feature' }),
        'state.json': json(stateOf(run, sync < syncs - 1, { sync })),
      };
      for (const text of Object.values(files)) loose += deflateSync(text).length + 20;
      // The two trees and the commit.
      loose += 3 * 180;
      stream.push(commit(ref, 'in_progress\n', files));
    }
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, env, input: stream.join('') });
  const year = `${runs} runs of ${syncs} syncs`;
  process.stdout.write(`\nA year of one person: ${year}\n\n`);
  row('as loose objects, before `git gc`', kilobytes(loose));
  // fast-import stores whole files; `git gc` finds the differences of objects that were loose.
  git(folder, 'repack', '-adfq');
  row('after `git gc`', kilobytes(sizeOf(join(folder, 'objects'))));
  row('of which', sizesByType(folder));
  const kept = Math.round((runs * 30) / 365);
  for (let run = 0; run < runs - kept; run += 1)
    git(folder, 'update-ref', '-d', `refs/holdfast/runs/-/${runId(run)}`);
  git(folder, 'gc', '-q', '--prune=now');
  row('after `holdfast sync prune` and `git gc`', kilobytes(sizeOf(join(folder, 'objects'))));
}

try {
  measureRemote();
  measureYear();
} finally {
  rmSync(base, { recursive: true, force: true });
}
