// Makes the pictures of the page in docs/guide/ from real runs in a temporary project. Usage: npm run page-pictures
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { makeDemoProject } from './page-demo.mjs';

const binary = fileURLToPath(new URL('../bin/holdfast.cjs', import.meta.url));
const folder =
  process.argv[2] ?? fileURLToPath(new URL('../docs/guide', import.meta.url));
const WIDE = { width: 1280, height: 860 };

/** Each picture: its file, what it shows, and for whom. */
const PICTURES = [
  { file: 'ui-runs.png', hash: '#/', size: WIDE, scheme: 'light' },
  {
    file: 'ui-steps.png',
    hash: 'steps',
    size: { ...WIDE, height: 1180 },
    scheme: 'light',
  },
  {
    file: 'ui-timeline.png',
    hash: 'timeline',
    size: { ...WIDE, height: 1000 },
    scheme: 'dark',
  },
];

const base = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
const home = join(base, 'home');
const root = join(home, 'shop');
mkdirSync(join(root, '.git'), { recursive: true });
let server = null;
let browser = null;
try {
  makeDemoProject(root, home);
  server = spawn(process.execPath, [binary, 'ui', '--no-open', '--json'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.once('error', reject);
    server.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve(JSON.parse(text).url);
    });
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  for (const { file, hash, size, scheme } of PICTURES) {
    const page = await browser.newPage({
      viewport: size,
      colorScheme: scheme,
      timezoneId: 'UTC',
    });
    await page.goto(url);
    await page.locator('.card').first().waitFor();
    if (hash !== '#/') {
      await page
        .getByRole('link', { name: 'Log in with a magic link' })
        .click();
      await page.getByRole('tab', { name: new RegExp(hash, 'i') }).click();
      await page
        .locator('.tab-panel :is(.step, .event, .guidance-sections)')
        .first()
        .waitFor();
    }
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, file) });
    await page.close();
  }
} finally {
  await browser?.close();
  server?.kill('SIGINT');
  rmSync(base, { recursive: true, force: true });
}
