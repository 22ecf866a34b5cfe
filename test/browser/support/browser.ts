import axe, { type AxeResults } from 'axe-core';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import {
  makeDemoProject,
  type DemoProject,
} from '../../../scripts/page-demo.mjs';
import {
  startPage,
  type PageFolders,
  type RunningPage,
} from '../../support/page-server.ts';

let browser: Browser | null = null;

/** Call it once in a file: its tests share one browser. */
export function useBrowser(...args: string[]): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      // The tests may run as root, where Chromium has no sandbox. Nothing but our own page is opened.
      args: ['--no-sandbox', ...args],
    });
  });
  afterAll(async () => {
    await browser?.close();
    browser = null;
  });
}

export interface WindowOptions extends BrowserContextOptions {
  /** The browser logs that it has stopped something. */
  isAttack?: boolean;
}

/** A window of its own. The test fails if the page logs an error or asks another server for anything. */
export async function openWindow({
  isAttack = false,
  ...options
}: WindowOptions = {}): Promise<Page> {
  if (browser === null) throw new Error('call useBrowser() first');
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'UTC',
    ...options,
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // A request that is refused or fails is logged by the browser itself; the tests look at what the page makes of it.
    if (isAttack || message.type() !== 'error') return;
    if (!message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isOwn =
      ['data:', 'file:'].includes(protocol) || hostname === '127.0.0.1';
    if (!isOwn && !hostname.endsWith('.test'))
      faults.push(`request: ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  return page;
}

/** An empty project and a home folder, removed after the test. */
export function emptyProject(): PageFolders {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-browser-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return foldersIn(base);
}

function foldersIn(base: string): PageFolders {
  const root = join(base, 'shop');
  const home = join(base, 'home');
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(home);
  return { root, home };
}

export interface Demo extends DemoProject, PageFolders {}

/** The project of the pictures, made once for the tests of a file, which must not change it. */
export function useDemo(): () => Demo {
  let demo: Demo | null = null;
  beforeAll(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-browser-')));
    const folders = foldersIn(base);
    demo = { ...folders, ...makeDemoProject(folders.root, folders.home) };
    return () => rmSync(base, { recursive: true, force: true });
  });
  return () => {
    if (demo === null) throw new Error('the project is made before the tests');
    return demo;
  };
}

/** Serves the project and opens its page. */
export async function openPage(
  folders: PageFolders,
  options: WindowOptions = {},
  words: string[] = [],
): Promise<{ page: Page; server: RunningPage }> {
  const server = await startPage(folders, ['--no-open', ...words]);
  const page = await openWindow(options);
  await page.goto(server.url);
  await page.locator('h1').waitFor();
  return { page, server };
}

/** What axe-core finds on the page, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run(document, {resultTypes: ["violations"]})',
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${target.join(' ')}: ${failureSummary}`,
    ),
  );
}

/** How many pixels of the page are beyond the right edge of the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth',
  );
}
