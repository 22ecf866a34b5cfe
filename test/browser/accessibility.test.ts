import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  accessibilityProblems,
  emptyProject,
  openPage,
  overflow,
  useBrowser,
  useDemo,
} from './support/browser.ts';

useBrowser();
const demo = useDemo();

const LOGIN = 'Log in with a magic link';

/** Opens every view in turn, and everything that can be unfolded in it. */
async function visitAll(
  page: Page,
  look: (view: string) => Promise<void>,
): Promise<void> {
  await page.locator('.card').first().waitFor();
  await look('list');
  await page.getByRole('link', { name: LOGIN }).click();
  for (const tab of ['Steps', 'Timeline', 'Guidance', 'Details']) {
    await page.getByRole('tab', { name: tab }).click();
    await page
      .locator(tab === 'Timeline' ? '.event' : '.panel')
      .first()
      .waitFor();
    const closed = page.locator('details:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    await look(tab);
  }
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it.each([1280, 360])(
    'at a width of %i pixels axe-core finds nothing',
    async (width) => {
      const { page } = await openPage(demo(), {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await visitAll(page, async (view) => {
        expect(await accessibilityProblems(page), view).toEqual([]);
        expect(await overflow(page), view).toBeLessThanOrEqual(0);
      });
    },
  );

  it('axe-core finds nothing in an empty project, and the page has that brightness', async () => {
    const { page } = await openPage(emptyProject(), { colorScheme });
    await page.getByRole('heading', { name: 'No runs here yet' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const color = await page.evaluate<string>(
      'getComputedStyle(document.body).backgroundColor',
    );
    const [red = 128] = (color.match(/\d+/g) ?? []).map(Number);
    expect(red > 128).toBe(colorScheme === 'light');
  });
});

it.each([
  [320, 16],
  [720, 32],
])(
  'no view is wider than %i pixels with a font size of %i',
  async (width, size) => {
    const { page } = await openPage(demo(), {
      viewport: { width, height: 600 },
    });
    await page.evaluate(
      `document.documentElement.style.fontSize = '${size}px'`,
    );
    await visitAll(page, async (view) => {
      expect(await overflow(page), view).toBeLessThanOrEqual(0);
    });
  },
);

describe('with the keyboard', () => {
  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>(
      `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? ''`,
    );

  it('everything is reached in the order of the page, and a link opens a run', async () => {
    const { page } = await openPage(demo());
    await page.locator('.card').first().waitFor();
    for (const name of [
      'Skip to the content',
      'holdfast',
      '',
      'Move to Postgres 17',
      'Copy command that continues Move to Postgres 17',
    ]) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe(name);
    }
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { level: 1, name: 'Move to Postgres 17' })
      .waitFor();
    await expect.poll(() => focused(page)).toBe('Move to Postgres 17');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    await expect.poll(() => focused(page)).toBe('shop');
  });

  it('the first link jumps over the head, Tab reaches the search, Escape empties it', async () => {
    const { page } = await openPage(demo());
    await page.locator('.card').first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(page.url()).not.toContain('#main');
    await page.keyboard.press('Tab');
    await page.keyboard.type('cookie');
    await expect
      .poll(() => page.locator('.card-link').allTextContents())
      .toEqual(['Cookie banner']);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('arrows move between the tabs, Home and End go to the ends', async () => {
    const { page } = await openPage(demo());
    await page.getByRole('link', { name: LOGIN }).click();
    await page.getByRole('tab', { name: 'Steps' }).focus();
    for (const [key, tab] of [
      ['ArrowRight', 'tab-timeline'],
      ['ArrowLeft', 'tab-steps'],
      ['ArrowLeft', 'tab-details'],
      ['ArrowRight', 'tab-steps'],
      ['End', 'tab-details'],
      ['Home', 'tab-steps'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`#${tab}[aria-selected=true]`).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe(tab);
    }
  });

  it('a command is copied; if it cannot be, it can be selected', async () => {
    const { page, server } = await openPage(demo());
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write'], {
        origin: new URL(server.url).origin,
      });
    await page.getByRole('link', { name: LOGIN }).click();
    const button = page.getByRole('button', {
      name: /^Copy the command holdfast release log-in/,
    });
    await button.focus();
    await page.keyboard.press('Enter');
    await button.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^holdfast release log-in-with-a-magic-link-\d{8}_\d{6}$/,
    );
    await page.evaluate(
      `navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))`,
    );
    await button.click();
    await button.getByText('Select and copy it').waitFor();
  });
});
