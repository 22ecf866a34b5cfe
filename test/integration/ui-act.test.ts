import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../src/ui/page-data.ts';
import { binary, sandbox, type Sandbox } from '../support/cli.ts';
import {
  ask,
  startPage,
  type Reply,
  type RunningPage,
} from '../support/page-server.ts';
import { onlyRun } from '../support/state.ts';

const ASK = `name: ask
description: asks
steps:
  - {id: plan, type: action, instructions: plan}
  - {id: ok, type: approval, instructions: decide}
  - {id: build, type: action, instructions: build}
`;

/** A run that waits for an approval, held by s1, and a page that may act. */
async function waiting(
  words = ['--act'],
): Promise<{ box: Sandbox; page: RunningPage }> {
  const box = sandbox({ '.claude/holdfast/workflows/ask.yaml': ASK });
  box.run(['start', '--template', 'ask'], { session: 's1' });
  box.run(['advance', '--output', 'x'], { session: 's1' });
  return { box, page: await startPage(box, ['--no-open', ...words]) };
}

function post(
  { port, url }: RunningPage,
  body: object,
  headers: Record<string, string> = {},
  path = new URL(url).pathname,
): Promise<Reply> {
  return ask(port, `${path}act`, {
    method: 'POST',
    headers: {
      Origin: new URL(url).origin,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** What the page would send for an action, as it is drawn now: an answer names what waits. */
async function drawn(
  box: Sandbox,
  { port, url }: RunningPage,
  action: Action,
): Promise<object> {
  const act = { action, project: 'runs', id: onlyRun(box.root).run_id };
  if (action !== 'approve' && action !== 'reject') return act;
  const { text } = await ask(
    port,
    `${new URL(url).pathname}data/run?id=${act.id}`,
  );
  return { ...act, wait: JSON.parse(text).card.wait.id };
}

/** Asks for the action; the function that is returned confirms it. */
async function asked(
  box: Sandbox,
  page: RunningPage,
  action: Action,
): Promise<(text?: string) => Promise<Reply>> {
  const act = await drawn(box, page, action);
  const { confirm } = JSON.parse((await post(page, act)).text);
  return (text = '') => post(page, { ...act, text, confirm });
}

const events = (box: Sandbox): { event: string }[] =>
  (box.json(['history']) as { events: { event: string }[] }).events;

describe('a person acts on the page as in a terminal', () => {
  it.each<[Action, text: string, said: RegExp, state: object]>([
    ['approve', 'ship it', /^Approved .*ok/, { machine: { step: 'build' } }],
    [
      'reject',
      'no tests',
      /^Rejected ok: the work goes back/,
      { machine: { step: 'plan' } },
    ],
    [
      'pause',
      'lunch',
      /^Paused ask-.*: lunch/,
      { status: 'paused', status_reason: 'lunch' },
    ],
    [
      'release',
      '',
      /^Released ask-/,
      { sessions: { current_session_id: null } },
    ],
  ])('%s', async (action, text, said, state) => {
    const { box, page } = await waiting();
    if (action === 'reject') {
      const blank = await (await asked(box, page, action))('  ');
      expect([blank.status, blank.text]).toEqual([
        409,
        expect.stringContaining('blank_feedback'),
      ]);
    }
    const confirm = await asked(box, page, action);
    expect(onlyRun(box.root)).toMatchObject({
      machine: { step: 'ok' },
      status: 'in_progress',
    });
    const { status, text: reply } = await confirm(text);
    expect({ status, reply }).toMatchObject({ status: 200 });
    const { done } = JSON.parse(reply) as { done: string[] };
    expect(done[0]).toMatch(said);
    expect(done[1]).toMatch(
      /session s1 (?:holds|held) ask-.*it is told of this change/,
    );
    expect(onlyRun(box.root)).toMatchObject(state);
    expect(events(box).at(-1)).not.toHaveProperty('session_id');
    const told = box.run(['status', '--json'], { session: 's1' }).stderr;
    expect(told).toMatch(
      /`holdfast ui --act`, by the user, (?:changed|released) ask/,
    );
  });
});

describe('nobody else acts', () => {
  it('neither another site, nor a request without token or Origin, nor one that is sent again', async () => {
    const { box, page } = await waiting();
    const before = onlyRun(box.root);
    const act = await drawn(box, page, 'approve');
    const { confirm } = JSON.parse((await post(page, act)).text);
    const whole = { ...act, confirm };
    for (const headers of [
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { Host: 'evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Content-Type': 'text/plain' },
    ])
      expect((await post(page, whole, headers)).status).toBe(403);
    expect((await post(page, whole, {}, '/')).status).toBe(403);
    expect((await post(page, whole, {}, '/wrong-token/')).status).toBe(403);
    expect((await post(page, { ...act, confirm: 'guessed' })).status).toBe(403);
    expect(
      (await post(page, { ...whole, text: 'x'.repeat(2_000_000) })).status,
    ).toBe(413);
    // The server outlives a request that is never complete.
    expect((await post(page, whole, { 'Content-Length': '999' })).status).toBe(
      408,
    );
    const unseen = { ...act, wait: undefined };
    for (const bad of [
      [],
      { ...act, action: 'cancel' },
      { action: 'approve' },
      unseen,
    ])
      expect((await post(page, bad)).status).toBe(400);
    expect((await post(page, { ...act, id: '../x' })).status).toBe(404);
    expect((await post(page, { ...act, project: box.root })).status).toBe(404);
    const pause = { ...act, action: 'pause' };
    const { confirm: other } = JSON.parse((await post(page, pause)).text);
    expect((await post(page, { ...act, confirm: other })).status).toBe(409);
    expect(onlyRun(box.root)).toEqual(before);
    expect((await post(page, whole)).status).toBe(200);
    // What it answers does not wait any more.
    expect((await post(page, whole)).status).toBe(409);
    const release = await drawn(box, page, 'release');
    const again = {
      ...release,
      confirm: JSON.parse((await post(page, release)).text).confirm,
    };
    expect((await post(page, again)).status).toBe(200);
    expect((await post(page, again)).status).toBe(403);
    expect(
      events(box).filter(({ event }) => event === 'approved'),
    ).toHaveLength(1);
  });

  it('without --act everything but reading is refused, and an agent cannot start it', async () => {
    const { box, page } = await waiting([]);
    expect((await post(page, { action: 'approve' })).status).toBe(405);
    for (const options of [{ session: 's2' }, { env: { CLAUDECODE: '1' } }]) {
      const { stderr } = box.run(['ui', '--act', '--no-open'], {
        ...options,
        code: 1,
      });
      expect(stderr).toContain('only a person can act on the page');
    }
  });
});

describe('an answer is for what the page has drawn', () => {
  const again = (box: Sandbox, output: string): void => {
    box.run(['pivot', 'plan', '--feedback', 'better'], { session: 's1' });
    box.run(['advance', '--output', output], { session: 's1' });
  };
  const refusal = {
    code: 'wait_changed',
    message: expect.stringMatching(/ok@.* waits, as ok@/),
  };

  it('the agent has exchanged its output between the drawing and the first click', async () => {
    const { box, page } = await waiting();
    const act = await drawn(box, page, 'approve');
    again(box, 'delete everything');
    const { status, text } = await post(page, act);
    expect([status, JSON.parse(text).error]).toMatchObject([409, refusal]);
    expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'ok' } });
  });

  it('or between the two clicks, also with an equal one', async () => {
    const { box, page } = await waiting();
    const confirm = await asked(box, page, 'reject');
    again(box, 'x');
    const { status, text } = await confirm('no tests');
    expect([status, JSON.parse(text).error]).toMatchObject([409, refusal]);
    expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'ok' } });
    expect((await (await asked(box, page, 'reject'))('no tests')).status).toBe(
      200,
    );
  });
});

it('nobody acts on a run that has moved on, and of several answers at once one is carried out', async () => {
  const { box, page } = await waiting();
  const [late, pause] = [
    await asked(box, page, 'approve'),
    await asked(box, page, 'pause'),
  ];
  box.run(['reject', '--feedback', 'no tests']);
  for (const [confirm, why] of [
    [late, 'was rejected, and nothing waits for an answer'],
    [pause, 'has changed since you were asked'],
  ] as const) {
    const { status, text } = await confirm();
    expect([status, text]).toEqual([409, expect.stringContaining(why)]);
  }
  box.run(['advance', '--output', 'y'], { session: 's1' });
  const confirm = await asked(box, page, 'approve');
  const terminals = ['a', 'b'].map(async (note) => {
    const child = spawn(process.execPath, [binary, 'approve', '--note', note], {
      cwd: box.root,
      env: { PATH: process.env['PATH'], HOME: box.home },
    });
    let stderr = '';
    child.stderr
      .setEncoding('utf8')
      .on('data', (part: string) => (stderr += part));
    await once(child, 'close');
    return child.exitCode === 0 || stderr;
  });
  const reply = await confirm('c');
  const outcomes = [
    reply.status === 200 || reply.text,
    ...(await Promise.all(terminals)),
  ];
  // The same answer again is no failure, where it is for the same.
  for (const outcome of outcomes)
    if (outcome !== true)
      expect(outcome).toMatch(/changed since|not an approval|was approved/);
  expect(events(box).filter(({ event }) => event === 'approved')).toHaveLength(
    1,
  );
  expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'build' } });
});

it('with --port the address stays the same, its token readable by the user alone; with --act none is kept', async () => {
  const box = sandbox();
  const kept = join(box.home, '.claude/holdfast/sessions/page-token');
  const first = await startPage(box);
  const port = String(first.port);
  await first.stop();
  const acting = await startPage(box, ['--no-open', '--act', '--port', port]);
  await acting.stop();
  expect(existsSync(kept)).toBe(false);
  const urls: string[] = [];
  for (let start = 0; start < 2; start += 1) {
    const page = await startPage(box, [
      '--no-open',
      '--everywhere',
      '--port',
      port,
    ]);
    urls.push(page.url);
    await page.stop();
  }
  expect(urls[1]).toBe(urls[0]);
  expect(urls).not.toContain(acting.url);
  expect(urls[0]).toContain(readFileSync(kept, 'utf8'));
  expect(statSync(kept).mode & 0o777).toBe(0o600);
});
