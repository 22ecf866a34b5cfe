// How long the page of `holdfast ui` takes to open in a project with many runs. Needs Chromium.
//   --runs <n>    runs in the project, half of them archived (default 1000)
//   --rounds <n>  how often each is measured; the median counts (default 7)
import { spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const binary = fileURLToPath(
  new URL('../../bin/holdfast.cjs', import.meta.url),
);
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
  },
});
const [runs, rounds] = [Number(values.runs), Number(values.rounds)];

const median = (numbers) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const NODE_START =
  'const { user, system } = process.cpuUsage(); console.log(user + system)';

/** Milliseconds of processor time that these processes have used so far; null where the system does not tell. */
function cpuOf(pids) {
  try {
    return pids
      .map((pid) =>
        readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' '),
      )
      .reduce(
        (sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) * 10,
        0,
      );
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Alternates with a start of Node, so that a busy machine changes the times but hardly the ratio. The processor time is
 * that of the servers, a mean, because the system counts it in steps of 10 ms.
 */
async function measured(name, work) {
  const taken = [];
  const before = cpuOf(serverIds());
  for (let round = 0; round < rounds; round += 1) {
    const time = await timeOf(work);
    const started = performance.now();
    const env = { PATH: process.env.PATH };
    const { stdout } = spawnSync(process.execPath, ['-e', NODE_START], {
      env,
      encoding: 'utf8',
    });
    const node = performance.now() - started;
    taken.push({ time, ratio: time / node, nodeCpu: Number(stdout) / 1_000 });
  }
  const after = cpuOf(serverIds());
  const of = (key) => median(taken.map((round) => round[key]));
  const cpu =
    before === null || after === null ? null : (after - before) / rounds;
  const parts = [
    name.padEnd(22),
    `${of('time').toFixed(0).padStart(6)} ms`,
    `${of('ratio').toFixed(1).padStart(6)} starts of Node`,
    ...(cpu === null
      ? []
      : [
          `server ${(cpu / of('nodeCpu')).toFixed(1).padStart(5)} in processor time`,
        ]),
  ];
  console.log(`  ${parts.join('  ')}`);
}

function makeRuns(root) {
  const write = (path, content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  };
  for (let n = 0; n < runs; n += 1) {
    const id = `run-${n}-20250101_000000`;
    const isArchived = n % 2 === 1;
    write(
      isArchived
        ? `untracked/workflow-archive/${id}.json`
        : `untracked/workflow-state/run-${n}/state-${id}.json`,
      {
        workflow: `Run ${n} with a name of ordinary length`,
        workflow_type: 'implementation',
        phase: { current: 2, total: 5, name: 'Build', status: 'in_progress' },
        phases: ['Design', 'Build', 'Test', 'Review', 'Ship'],
        required_reading: ['@docs/spec.md', '@docs/style.md'],
        created_at: '2025-01-01T00:00:00Z',
        status: isArchived ? 'completed' : 'in_progress',
        key_reminders: ['keep the API stable'],
        sessions: {
          current_session_id: `session-${n}`,
          session_history: [
            { session_id: `session-${n}`, started_at: '2025-01-01T00:00:00Z' },
          ],
        },
      },
    );
  }
}

function serve(root, home) {
  const child = spawn(process.execPath, [binary, 'ui', '--no-open', '--json'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve({ child, url: JSON.parse(text).url });
    });
  });
}

const base = mkdtempSync(join(tmpdir(), 'holdfast-bench-page-'));
const [root, home] = [join(base, 'project'), join(base, 'home')];
mkdirSync(join(root, '.git'), { recursive: true });
mkdirSync(home);
makeRuns(root);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const servers = [];
const serverIds = () => servers.map(({ child }) => child.pid);
try {
  console.log(
    `\`holdfast ui\` with ${runs} runs, half of them archived; median of ${rounds}`,
  );
  await measured('start to address', async () => {
    servers.push(await serve(root, home));
  });
  const { url } = servers[0];
  await measured('data of the list', async () =>
    (await fetch(`${url}data/overview`)).text(),
  );
  const page = await browser.newPage();
  await measured('page opened', async () => {
    await page.goto(url);
    await page.locator('.card').first().waitFor();
  });
  await measured('run found by search', async () => {
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').fill(`run ${runs - 1}`);
    await page.getByText(`Run ${runs - 1} with`).waitFor();
  });
} finally {
  await browser.close();
  for (const { child } of servers) child.kill('SIGINT');
  rmSync(base, { recursive: true, force: true });
}
