import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import fse from 'fs-extra';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandsIn } from '../../scripts/page-demo.mjs';
import { startPage, type PageFolders } from '../support/page-server.ts';
import {
  emptyProject,
  openPage,
  openWindow,
  useBrowser,
} from './support/browser.ts';

useBrowser('--host-resolver-rules=MAP *.test 127.0.0.1');

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"'\`\${1}</style></script>`;

/** A project in which every text that a repository or an agent can write tries to become markup. */
function hostileProject(): PageFolders & { id: string } {
  const folders = emptyProject();
  const id = 'hostile-20250101_000000';
  const template = {
    name: HOSTILE,
    description: HOSTILE,
    agents: { a: { description: HOSTILE } },
    steps: [
      {
        id: 'one',
        type: 'action',
        title: HOSTILE,
        agent: 'a',
        gate: HOSTILE,
        when: '1 == 1',
        instructions: HOSTILE,
        artefacts: [HOSTILE],
      },
      { id: 'two', type: 'loop', title: HOSTILE, loop: 'tasks' },
    ],
    loops: { tasks: [{ id: 'code', instructions: HOSTILE, gate: HOSTILE }] },
  };
  const state = {
    workflow: HOSTILE,
    workflow_type: HOSTILE,
    phase: { current: 1, total: 2, name: HOSTILE, status: 'blocked' },
    phases: [HOSTILE, HOSTILE],
    required_reading: ['@hostile.md', `@${HOSTILE}`],
    created_at: HOSTILE,
    status: 'in_progress',
    status_reason: HOSTILE,
    key_reminders: [HOSTILE],
    context: { [HOSTILE]: HOSTILE },
    artifacts: { [HOSTILE]: HOSTILE },
    feedback: [
      {
        from: HOSTILE,
        to: HOSTILE,
        text: HOSTILE,
        at: HOSTILE,
        tag: 'X_PIVOT_FEEDBACK',
      },
    ],
    todo: { path: 'TODO.md' },
    outputs: { '1': { text: HOSTILE, artefacts: [HOSTILE] } },
    template,
    machine: {
      status: 'running',
      step: 'one',
      stepType: 'action',
      tasks: { tasks: [{ id: 'T1', title: HOSTILE, status: 'pending' }] },
      outputs: { one: HOSTILE },
      artefacts: { one: [HOSTILE] },
      contextActionExecuted: false,
      summary: HOSTILE,
    },
    sessions: {
      current_session_id: HOSTILE,
      session_history: [
        {
          session_id: HOSTILE,
          started_at: '2025-01-01T00:00:00Z',
          end_reason: HOSTILE,
          ended_at: HOSTILE,
          handed_to: HOSTILE,
          phases_completed: [HOSTILE],
          environment: { hostname: HOSTILE },
        },
      ],
    },
    context_metadata: {
      artifacts_in_context: [
        { artifact_id: HOSTILE, loaded_at: HOSTILE, load_trigger: HOSTILE },
      ],
    },
  };
  const folder = join(folders.root, 'untracked/workflow-state/hostile');
  fse.outputFileSync(join(folder, `state-${id}.json`), JSON.stringify(state));
  const fields =
    'finished failed reason from to feedback output source given rule session_id'.split(
      ' ',
    );
  const events = [
    'advanced',
    'failed',
    'pivoted',
    'restored',
    'held',
    'paused',
    HOSTILE,
  ].map((event) => ({
    ...Object.fromEntries([...fields, HOSTILE].map((name) => [name, HOSTILE])),
    ...{
      at: '2025-01-01T00:00:00Z',
      event,
      sections: [[HOSTILE, 5]],
      characters: 5,
    },
  }));
  fse.outputFileSync(
    join(folder, `events-${id}.jsonl`),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
  writeFileSync(join(folders.root, 'hostile.md'), HOSTILE);
  const image = '<img src=x onerror="window.hacked=1">';
  writeFileSync(
    join(folders.root, 'CLAUDE.local.md'),
    `# Workflow State\nWorkflow: Later ${image}\nPhase: 1/2 - One ${image}\n`,
  );
  writeFileSync(
    join(folders.root, 'TODO.md'),
    `- [ ] ${HOSTILE}\n- [x] ${HOSTILE}\n`,
  );
  fse.outputFileSync(
    join(
      folders.root,
      'untracked/workflow-state/bad/state-bad-20250101_000000.json',
    ),
    HOSTILE,
  );
  return { ...folders, id };
}

async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(
    await page.locator('#app :is(img, script, style, iframe)').count(),
  ).toBe(0);
  expect(await page.locator('#app').innerText()).toContain(
    'onerror="window.hacked=1"',
  );
}

describe('hostile texts', () => {
  it('are only text, wherever they are shown', async () => {
    const project = hostileProject();
    const { page, server } = await openPage(project);
    await page.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    await page.getByText('One file is not a usable run.').waitFor();
    await page.getByText('Found in your files').waitFor();
    for (const tab of ['', '/timeline', '/guidance', '/details']) {
      if (tab !== '') await page.goto(`${server.url}#/`);
      else await expectOnlyText(page);
      await page.goto(`${server.url}#/runs/${project.id}${tab}`);
      await page.locator('h1').getByText(HOSTILE, { exact: true }).waitFor();
      await page.locator('.tab-panel :is(.panel, .event)').first().waitFor();
      for (const summary of await page.locator('summary').all())
        await summary.click();
      await expectOnlyText(page);
    }
  });

  it('lead nowhere in the address', async () => {
    const { page, server } = await openPage(emptyProject());
    for (const id of [
      'javascript:alert(1)',
      '%3Cimg src=x onerror=alert(1)%3E',
      '../x',
      '%',
    ]) {
      await page.goto(`${server.url}#/runs/${id}`);
      await page
        .getByRole('heading', { name: 'This run no longer exists' })
        .waitFor();
      await page.goto(`${server.url}#/`);
      await page.getByRole('heading', { name: 'No runs here yet' }).waitFor();
    }
  });

  it('could not run even if they became markup: the policy of the page forbids it', async () => {
    const { page } = await openPage(emptyProject(), { isAttack: true });
    const outcome = await page.evaluate(`(async () => {
      const refused = [];
      document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
      const script = document.createElement('script');
      try { script.textContent = 'window.hacked = 1'; document.body.append(script); } catch { refused.push('trusted types'); }
      try { document.body.innerHTML = '<img src=x onerror="window.hacked = 1">'; } catch { refused.push('trusted types'); }
      // The tools of the tests may call eval, but only until the first await.
      await new Promise((resolve) => setTimeout(resolve));
      try { eval('window.hacked = 1'); } catch { refused.push('eval'); }
      try { await fetch('https://example.test/'); } catch { refused.push('fetch'); }
      const image = new Image();
      image.src = 'http://example.test/x.png';
      while (!['connect-src', 'img-src'].every((name) => refused.includes(name)))
        await new Promise((resolve) => setTimeout(resolve, 20));
      return { refused, hacked: window.hacked };
    })()`);
    expect(outcome).toMatchObject({
      hacked: undefined,
      refused: expect.arrayContaining([
        'trusted types',
        'eval',
        'fetch',
        'connect-src',
        'img-src',
      ]),
    });
  });
});

it('the file that a browser is started with leads to the page', async () => {
  const folders = emptyProject();
  const program = join(folders.home, 'browser.sh');
  writeFileSync(program, `#!/bin/sh\necho "$1" >'${folders.home}/opened'\n`, {
    mode: 0o755,
  });
  await startPage(folders, [], { BROWSER: program });
  const opened = (): string =>
    fse.readFileSync(join(folders.home, 'opened'), 'utf8').trim();
  await expect
    .poll(() => fse.existsSync(join(folders.home, 'opened')))
    .toBe(true);
  await expect.poll(opened).not.toBe('');
  const page = await openWindow();
  await page.goto(`file://${opened()}`);
  await page.getByRole('heading', { name: 'No runs here yet' }).waitFor();
});

describe('another site that knows the address', () => {
  async function otherSite(): Promise<{ page: Page; url: string }> {
    const folders = emptyProject();
    commandsIn(folders.root, folders.home).holdfast(['start', 'Shop']);
    const { url } = await startPage(folders);
    const other: Server = createServer((_, response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<p>another site</p>');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port =
      typeof address === 'object' && address !== null ? address.port : 0;
    const page = await openWindow({ isAttack: true });
    await page.goto(`http://other.test:${port}/`);
    return { page, url };
  }

  it('can neither read its data nor listen to its events', async () => {
    const { page, url } = await otherSite();
    const outcome = await page.evaluate(`(async () => {
      const tryFetch = (mode) => fetch('${url}data/overview', { mode }).then((r) => r.text(), () => 'refused');
      const script = document.createElement('script');
      script.src = '${url}data/overview';
      const loaded = new Promise((resolve) => { script.onload = () => resolve('loaded'); script.onerror = () => resolve('refused'); });
      document.head.append(script);
      const source = new EventSource('${url}events');
      const listening = new Promise((resolve) => { source.onerror = () => resolve('refused'); source.addEventListener('data', () => resolve('listening')); });
      return [await tryFetch('cors'), await tryFetch('no-cors'), await loaded, await listening];
    })()`);
    expect(outcome).toEqual(['refused', 'refused', 'refused', 'refused']);
  });

  it('cannot put it into a frame', async () => {
    const { page, url } = await otherSite();
    await page.evaluate(`(() => {
      const frame = document.createElement('iframe');
      frame.src = '${url}';
      document.body.append(frame);
      return new Promise((resolve) => { frame.onload = resolve; });
    })()`);
    const frame = page.frames().at(-1);
    expect(await frame?.locator('#app').count()).toBe(0);
  });
});
