import { join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { commandsIn } from '../../scripts/page-demo.mjs';
import type { Overview } from '../../src/ui/page-data.ts';
import { onlyRun } from '../support/state.ts';
import {
  accessibilityProblems,
  emptyProject,
  openPage,
  overflow,
  useBrowser,
} from './support/browser.ts';
import type { PageFolders } from '../support/page-server.ts';

useBrowser();

const ASK = `name: ask
description: asks
steps:
  - {id: plan, type: action, instructions: plan}
  - {id: ok, type: approval, title: Go live?, instructions: decide}
  - {id: build, type: action, instructions: build}
`;

/** A run that waits for an approval, with one step done. */
function waiting(): PageFolders {
  const folders = emptyProject();
  fse.outputFileSync(
    join(folders.root, '.claude/holdfast/workflows/ask.yaml'),
    ASK,
  );
  const { holdfast } = commandsIn(folders.root, folders.home);
  holdfast(['start', '--template', 'ask', 'Log in'], { session: 's1' });
  holdfast(['advance', '--output', 'x'], { session: 's1' });
  return folders;
}

const HOSTILE = `<img src=x onerror="window.hacked=1">`;

/** A hundred projects with ten runs each, as the registry of sessions knows them; one of them has a hostile name. */
function hundredProjects(): PageFolders {
  const folders = emptyProject();
  for (let number = 0; number < 100; number += 1) {
    const name = number === 7 ? HOSTILE : `project-${number}`;
    const root = join(folders.home, 'work', name);
    fse.ensureDirSync(join(root, '.git'));
    const entry = { session: `s${number}`, project: root, version: 1 };
    fse.outputJsonSync(
      join(folders.home, `.claude/holdfast/sessions/s${number}.json`),
      entry,
    );
    for (let run = 0; run < 10; run += 1) {
      const isBlocked = run === 0 && number % 10 === 7;
      fse.outputJsonSync(
        join(
          root,
          `untracked/workflow-state/run-${run}/state-run-${run}-20250101_000000.json`,
        ),
        {
          workflow: `Run ${run} of ${number}`,
          workflow_type: 'custom',
          phase: {
            current: 1,
            total: 2,
            name: 'A',
            status: isBlocked ? 'blocked' : 'in_progress',
          },
          phases: ['A', 'B'],
          required_reading: [],
          created_at: '2025-01-01T00:00:00Z',
          status: 'in_progress',
        },
      );
    }
  }
  return folders;
}

describe('all projects', () => {
  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'a hundred of them with a thousand runs, in %s, %i wide',
    async (scheme, width) => {
      const folders = hundredProjects();
      const options = { colorScheme: scheme, viewport: { width, height: 800 } };
      const { page, server } = await openPage(folders, options, [
        '--everywhere',
      ]);
      await page.locator('.card').first().waitFor();
      expect(await page.title()).toBe('(10) All projects · holdfast');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('#app img').count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page
        .getByRole('region', { name: 'Needs you' })
        .getByText(HOSTILE)
        .waitFor();
      const start = Date.now();
      const reply = await fetch(`${server.url}data/overview`);
      const { runs }: Overview = JSON.parse(await reply.text());
      expect(runs).toHaveLength(1_000);
      expect(Date.now() - start).toBeLessThan(10_000);
      await page.getByRole('searchbox').fill('project-42 3');
      await page.getByRole('link', { name: 'Run 3 of 42' }).click();
      await page
        .getByRole('heading', { level: 1, name: 'Run 3 of 42' })
        .waitFor();
      await page.getByText('/work/project-42').waitFor();
      await page.getByRole('tab', { name: 'Guidance' }).click();
      await page.locator('.guidance-sections').waitFor();
      // A project that is removed disappears, and a run that needs somebody moves to the top.
      fse.removeSync(join(folders.home, 'work/project-17'));
      await page.getByRole('link', { name: 'All runs' }).click();
      await expect.poll(() => page.title()).toBe('(9) All projects · holdfast');
    },
  );
});

describe('acting', () => {
  it.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)(
    'an approval is asked for and confirmed, in %s, %i wide',
    async (scheme, width) => {
      const folders = waiting();
      const options = {
        colorScheme: scheme,
        viewport: { width, height: 1000 },
      };
      const { page } = await openPage(folders, options, ['--act']);
      await page.getByRole('link', { name: 'Log in' }).click();
      await page
        .getByRole('button', { name: 'Send back', exact: true })
        .click();
      const send = page.getByRole('button', { name: 'Send back now' });
      await send.click();
      expect(onlyRun(folders.root)).toMatchObject({ machine: { step: 'ok' } });
      await page.getByRole('textbox').fill('The tests are missing.');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await send.click();
      await page
        .getByText('Rejected ok: the work goes back to plan.')
        .waitFor();
      expect(onlyRun(folders.root)).toMatchObject({
        machine: { step: 'plan' },
        feedback: [{ text: 'The tests are missing.' }],
      });
      const { holdfast } = commandsIn(folders.root, folders.home);
      const approve = page.getByRole('button', {
        name: 'Approve',
        exact: true,
      });
      // A button that the page drew for the wait that was just answered would be for that one.
      await approve.waitFor({ state: 'hidden' });
      holdfast(['advance', '--output', 'y'], { session: 's1' });
      await approve.click();
      const confirm = page.getByRole('button', { name: 'Approve now' });
      await confirm.waitFor();
      // Somebody else answers before the person confirms.
      holdfast(['approve']);
      await confirm.click();
      await page.getByText(/ok@\w+ was approved, and nothing waits/).waitFor();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByRole('button', { name: 'Pause now' }).click();
      await page.getByText('Paused').first().waitFor();
      await expect.poll(() => onlyRun(folders.root).status).toBe('paused');
    },
  );

  it('is not offered without --act', async () => {
    const { page } = await openPage(waiting());
    await page.getByText('Read-only.').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.locator('.tab-panel').waitFor();
    expect(
      await page.getByRole('button', { name: /Approve|Pause|Release/ }).count(),
    ).toBe(0);
  });
});
