import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { expect, it } from 'vitest';
import { commandsIn, type Commands } from '../../scripts/page-demo.mjs';
import type { PageFolders } from '../support/page-server.ts';
import {
  emptyProject,
  openPage,
  openWindow,
  useBrowser,
} from './support/browser.ts';

useBrowser();

const session = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

function shop(): PageFolders & Commands {
  const folders = emptyProject();
  const commands = commandsIn(folders.root, folders.home);
  commands.holdfast(['start', 'Shop', '--phases', 'Design,Build,Ship'], {
    session,
  });
  return { ...folders, ...commands };
}

it('a run that moves is shown where it is, on every page, without a reload', async () => {
  const box = shop();
  const { page, server } = await openPage(box);
  const second = await openWindow();
  await second.goto(server.url);
  await page.evaluate('window.isSamePage = true');
  for (const each of [page, second])
    await each.locator('.card').getByText('1/3 Design').waitFor();
  box.holdfast(['advance'], { session });
  for (const each of [page, second])
    await each.locator('.card').getByText('2/3 Build').waitFor();
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page
    .locator('[aria-current="step"]')
    .getByText('Build', { exact: true })
    .waitFor();
  box.holdfast(['advance', '--output', 'it is built'], { session });
  await page
    .locator('[aria-current="step"]')
    .getByText('Ship', { exact: true })
    .waitFor();
  await page.getByText('it is built').waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

it('what the reader has opened, chosen and focused stays when something changes', async () => {
  const box = shop();
  box.hook('SessionStart', session, { source: 'compact' });
  const { page } = await openPage(box);
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.getByRole('tab', { name: 'Guidance' }).click();
  const part = page.locator('details summary').last();
  await part.click();
  const focused = 'document.activeElement.textContent';
  const [open, text] = [
    await page.locator('details[open]').count(),
    await page.evaluate(focused),
  ];
  box.holdfast(['advance'], { session });
  await page.locator('.guidance').getByText('2/3').first().waitFor();
  expect(await page.locator('details[open]').count()).toBe(open);
  expect(await page.evaluate(focused)).toBe(text);
});

it('a new run, a file that was read and a todo item appear by themselves', async () => {
  const box = shop();
  writeFileSync(join(box.root, 'spec.md'), 'x\n');
  const { page } = await openPage(box);
  box.holdfast(['start', 'Second run']);
  await page.getByRole('link', { name: 'Second run' }).waitFor();
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  box.holdfast(['update', '--read', 'spec.md'], { session });
  await page.getByText('unread').waitFor();
  box.hook('PostToolUse', session, {
    tool_name: 'Read',
    tool_input: { file_path: join(box.root, 'spec.md') },
    tool_response: {
      file: { content: 'x\n', numLines: 2, startLine: 1, totalLines: 2 },
    },
  });
  await page.getByText('in context', { exact: true }).waitFor();
  writeFileSync(join(box.root, 'spec.md'), 'something else\n');
  await page.getByText('changed since it was read').waitFor();
  box.holdfast(['todo', 'set', '-'], { session, input: '- [ ] First thing\n' });
  await page
    .getByRole('region', { name: 'Todo' })
    .getByText('First thing')
    .waitFor();
});

it('a run that ends while it is shown stays on the screen, as ended; one that is purged is said to be gone', async () => {
  const box = shop();
  const { page } = await openPage(box);
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.locator('[aria-current="step"]').waitFor();
  box.holdfast(['complete'], { session });
  await page.getByText('This run is in the archive, as completed.').waitFor();
  await page.getByText(/^holdfast reopen shop-/).waitFor();
  expect(await page.locator('[aria-current="step"]').count()).toBe(0);
  box.holdfast(['reopen', 'shop']);
  await page.locator('[aria-current="step"]').waitFor();
  box.holdfast(['complete', 'shop', '--purge']);
  await page
    .getByRole('heading', { name: 'This run no longer exists' })
    .waitFor();
  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByRole('heading', { name: 'No runs here yet' }).waitFor();
  box.holdfast(['start', 'First']);
  await page.getByRole('link', { name: 'First' }).waitFor();
});

it('a state file that is damaged is named, and its repair is seen', async () => {
  const box = shop();
  const { page } = await openPage(box);
  const folder = join(box.root, 'untracked/workflow-state/shop');
  const file =
    readdirSync(folder).find((name) => /^state-.+\.json$/.test(name)) ?? '';
  const text = fse.readFileSync(join(folder, file), 'utf8');
  writeFileSync(join(folder, file), text.slice(0, 40));
  await page.getByText('One file is not a usable run.').waitFor();
  writeFileSync(join(folder, file), text);
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
  await expect
    .poll(() => page.getByText('One file is not a usable run.').count())
    .toBe(0);
});

it('a server that stops is reported, and what was shown stays', async () => {
  const box = shop();
  const { page, server } = await openPage(box);
  expect(await server.stop()).toBe(0);
  await page.getByRole('alert').getByText('does not answer').waitFor();
  await page.getByText('Not connected').waitFor();
  expect(await page.locator('.card').count()).toBe(1);
});

it('a thousand runs are listed in portions, and all of them are searched', async () => {
  const box = shop();
  const state = {
    workflow_type: 'custom',
    phase: { current: 1, total: 3, name: 'Design', status: 'in_progress' },
    required_reading: [],
    created_at: '2025-01-01T00:00:00Z',
  };
  for (let n = 0; n < 1_000; n += 1) {
    const isArchived = n % 2 === 0;
    const id = `run-${n}-20250101_000000`;
    const path = isArchived
      ? `workflow-archive/${id}.json`
      : `workflow-state/run-${n}/state-${id}.json`;
    fse.outputFileSync(
      join(box.root, 'untracked', path),
      JSON.stringify({
        ...state,
        workflow: `Run ${n}`,
        ...(isArchived ? { status: 'completed' } : {}),
      }),
    );
  }
  const { page } = await openPage(box);
  await page.locator('.card').first().waitFor();
  expect(await page.locator('.card').count()).toBe(2 * 48);
  await page
    .getByRole('region', { name: 'In progress' })
    .getByRole('button', { name: /^Show 48 more/ })
    .click();
  expect(await page.locator('.card').count()).toBe(3 * 48);
  await page.getByRole('searchbox').fill('run 998');
  await expect
    .poll(() => page.locator('.card-link').allTextContents())
    .toEqual(['Run 998']);
});
