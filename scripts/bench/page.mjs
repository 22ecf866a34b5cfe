// How long the page of `holdfast ui` takes to open in a project with many runs. Needs Chromium.
//   --runs <n>    runs in the project, half of them archived (default 1000)
//   --rounds <n>  how often each is measured; the median counts (default 7)
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const binary = fileURLToPath(new URL('../../bin/holdfast.cjs', import.meta.url));
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
  },
});
const [runs, rounds] = [Number(values.runs), Number(values.rounds)];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Alternates with a start of Node, so that a busy machine changes the times but hardly the ratio. */
async function measured(name, work) {
  const taken = [];
  for (let round = 0; round < rounds; round += 1) {
    const time = await timeOf(work);
    const node = await timeOf(() =>
      spawnSync(process.execPath, ['-e', '0'], { env: { PATH: process.env.PATH } }),
    );
    taken.push({ time, ratio: time / node });
  }
  const time = median(taken.map((round) => round.time)).toFixed(0);
  const ratio = median(taken.map((round) => round.ratio)).toFixed(1);
  console.log(`  ${name.padEnd(22)} ${time.padStart(6)} ms ${ratio.padStart(6)} starts of Node`);
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
          session_history: [{ session_id: `session-${n}`, started_at: '2025-01-01T00:00:00Z' }],
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
try {
  console.log(`\`holdfast ui\` with ${runs} runs, half of them archived; median of ${rounds}`);
  await measured('start to address', async () => {
    servers.push(await serve(root, home));
  });
  const { url } = servers[0];
  await measured('data of the list', async () => (await fetch(`${url}data/overview`)).text());
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
