import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  emptyProject,
  openPage,
  useBrowser,
  useDemo,
} from './support/browser.ts';

useBrowser();
const demo = useDemo();

const LOGIN = 'Log in with a magic link';

async function openRun(page: Page, name: string, tab = 'Steps'): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  if (tab !== 'Steps') await page.getByRole('tab', { name: tab }).click();
}

describe('the runs of a project', () => {
  it('are shown by what they are, those that need a person first', async () => {
    const { page } = await openPage(demo());
    const names = (group: string): Promise<string[]> =>
      page
        .getByRole('region', { name: group })
        .locator('.card-link')
        .allTextContents();
    expect(await names('Needs you')).toEqual([
      'Move to Postgres 17',
      'Rename the basket to cart',
    ]);
    expect((await names('In progress')).toSorted()).toEqual([
      LOGIN,
      'Shop relaunch',
    ]);
    expect(await names('Stopped')).toEqual(['Newsletter sign-up']);
    expect((await names('Archive')).toSorted()).toEqual([
      'Cookie banner',
      'Invoice PDF',
      'Search index',
      'Upgrade to Node 22',
    ]);
    const card = page.locator('.card', { hasText: 'Rename the basket' });
    await card.getByText('Waits for your approval').waitFor();
    await card.getByText('Small change').waitFor();
    expect(await page.title()).toBe('(2) shop · holdfast');
  });

  it('are found by words of their name, id, template, phase or status', async () => {
    const { page } = await openPage(demo());
    const search = page.getByRole('searchbox', { name: 'Search runs' });
    const found = (): Promise<string[]> =>
      page.locator('.card-link').allTextContents();
    for (const [words, expected] of [
      ['postgres', ['Move to Postgres 17']],
      ['SMALL change', ['Rename the basket to cart']],
      ['cancelled', ['Cookie banner']],
      ['catalogue', ['Shop relaunch']],
      ['nothing like it', []],
    ] as const) {
      await search.fill(words);
      await expect.poll(found).toEqual(expected);
    }
    await page.getByText('No run matches “nothing like it”.').waitFor();
    await search.press('Escape');
    await expect.poll(async () => (await found()).length).toBe(9);
  });
});

describe('one run', () => {
  it('shows its steps, what to do now, what to read and the todo list', async () => {
    const { page } = await openPage(demo());
    await openRun(page, LOGIN);
    const steps = page.locator('.diagram > li');
    expect(await steps.count()).toBe(7);
    const current = page.locator('[aria-current="step"]');
    expect(await current.count()).toBe(1);
    await current.getByText('Build it', { exact: true }).waitFor();
    await current.getByText('for each task').waitFor();
    await current
      .getByText('1 of 4 tasks done, now: "Send the mail"')
      .waitFor();
    expect(await current.locator('.sub-step-now').innerText()).toContain(
      'implement',
    );
    await steps.nth(0).getByText('done').waitFor();
    await steps.nth(2).getByText('of at most 5').waitFor();
    await steps.nth(3).getByText('/clear').waitFor();
    await steps.nth(3).getByText('Gate').waitFor();
    await steps.nth(5).getByText('You decide').waitFor();
    await page.getByText('Never log a link, not even in tests').waitFor();
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByText('Task 2: Send the mail. Test first.').waitFor();
    await now.getByText('holdfast release log-in-with-a-magic-link').waitFor();
    const reading = page.getByRole('region', { name: 'Required reading' });
    expect(await reading.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/docs\/spec\.md\s+unread/),
      expect.stringMatching(/docs\/style\.md\s+in context/),
      expect.stringMatching(/docs\/threats\.md\s+missing/),
    ]);
    await page
      .getByRole('region', { name: 'Todo' })
      .getByText('1 of 3 done')
      .waitFor();
  });

  it('shows skipped phases, a blocked one and its reason', async () => {
    const { page } = await openPage(demo());
    await openRun(page, 'Shop relaunch');
    await page.getByRole('img', { name: 'phase 2 of 5, 1 skipped' }).waitFor();
    expect(await page.locator('.segment-skipped').count()).toBe(1);
    const payment = page.locator('.diagram > li', { hasText: 'Payment' });
    await payment.getByText('skipped').waitFor();
    await payment.getByText('the bank is not ready').waitFor();
    await page.getByRole('link', { name: 'All runs' }).click();
    await openRun(page, 'Move to Postgres 17');
    await page
      .getByRole('alert')
      .getByText('ran out of disk on the replica')
      .waitFor();
    await page.locator('.step-blocked').waitFor();
  });

  it('that is archived says so and how to bring it back', async () => {
    const { page } = await openPage(demo());
    await openRun(page, 'Cookie banner');
    await page.getByText('This run is in the archive, as cancelled.').waitFor();
    await page.getByText(/^holdfast reopen cookie-banner/).waitFor();
    await page.getByRole('tab', { name: 'Guidance' }).click();
    await page.getByText('archived runs are never restored').waitFor();
  });
});

it('the timeline shows compactions, restores, reading, pivots and gates; the details outputs and facts', async () => {
  const { page } = await openPage(demo());
  await openRun(page, LOGIN, 'Timeline');
  await page.getByText('Went back from build to specify').waitFor();
  await page.getByText('Rule 7 contradicts rule 2').waitFor();
  expect(await page.getByText('Restored after compact').count()).toBe(3);
  await page
    .locator('.event-restore')
    .getByText('characters')
    .first()
    .waitFor();
  await page.getByText('Read docs/style.md').waitFor();
  await page
    .getByText(/passed "sh check\.sh"/)
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByText('rule 7 counts; rule 2 is reworded').first().waitFor();
  await page
    .getByRole('region', { name: 'Feedback' })
    .getByText('build → specify')
    .waitFor();
  await page
    .getByRole('region', { name: 'Context' })
    .getByText('SHOP-412')
    .waitFor();
});

it('the guidance is what `holdfast guidance` prints, with the share of each section', async () => {
  const { page } = await openPage(demo());
  await openRun(page, LOGIN, 'Guidance');
  await page.getByText('As the next session would get it').waitFor();
  const exact = demo().holdfast([
    'guidance',
    'log-in-with-a-magic-link',
    '--json',
  ]);
  const { text, sections }: { text: string; sections: unknown[] } =
    JSON.parse(exact);
  const shown = await page.locator('.guidance-sections pre').allTextContents();
  // Minutes may pass between the page and the command.
  const timeless = (guidance: string): string =>
    guidance.replaceAll(/just now|\d+ minutes? ago/g, 'then');
  expect(timeless(shown.join('\n\n'))).toBe(timeless(text));
  expect(shown).toHaveLength(sections.length);
  await page
    .getByText(/^[\d,]+ of 8,000 characters, about [\d,]+ tokens\./)
    .waitFor();
});

it('an empty project shows how to begin, and what is only declared', async () => {
  const folders = emptyProject();
  writeFileSync(
    join(folders.root, 'CLAUDE.local.md'),
    '# Workflow State\nWorkflow: Later\nPhase: 1/2 - One\n',
  );
  const { page } = await openPage(folders);
  await page.getByText('Found in your files').waitFor();
  await page.getByText('phase 1/2 One, in CLAUDE.local.md').waitFor();
  await page.getByText('holdfast init', { exact: true }).waitFor();
  await page.getByText(/^holdfast start --template feature/).waitFor();
});
