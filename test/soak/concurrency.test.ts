import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { letTimePass } from '../support/lock.ts';
import { openServer } from '../support/mcp.ts';
import { archived, readRun, stateFiles } from '../support/state.ts';
import {
  Box,
  command,
  hookCall,
  type Call,
  type Ended,
} from './support/box.ts';
import { publish } from './support/figures.ts';
import { filesIn, isPassing } from './support/files.ts';
import { inParallel } from './support/parallel.ts';
import { makeRandom } from './support/random.ts';
import { scale, scaled, WORKERS } from './support/scale.ts';
import { logOf } from './support/scenarios.ts';
import { isStopped } from './support/stopped.ts';
import { courseOf } from './support/wholeness.ts';

const AT_ONCE = 50;
const ROUNDS = scaled(10);
const random = makeRandom();
const totals = {
  processes: 0,
  edits_all_kept: 0,
  looks_of_the_watcher: 0,
  hooks_that_gave_way: 0,
  stopped_writers: 0,
};
afterAll(() =>
  publish('concurrency', { seed: random.seed, rounds: ROUNDS, ...totals }),
);

/** Reads every state file again and again while others write; what it could not read is wrong. */
function watch(box: Box): { stop: () => string[] } {
  const wrong: string[] = [];
  let isOver = false;
  const look = (): void => {
    if (isOver) return;
    for (const path of stateFiles(box.root)) {
      try {
        readRun(box.root, path);
        totals.looks_of_the_watcher += 1;
      } catch (error) {
        // Between the listing and the look a run may be ended.
        if (!String(error).includes('ENOENT'))
          wrong.push(`${path}: ${String(error)}`);
      }
    }
    setTimeout(look, 2);
  };
  look();
  return {
    stop: () => {
      isOver = true;
      return wrong;
    },
  };
}

async function atOnce(box: Box, calls: readonly Call[]): Promise<Ended[]> {
  totals.processes += calls.length;
  return Promise.all(calls.map((call) => box.run(call)));
}

function failuresIn(results: readonly Ended[]): string[] {
  return results.flatMap(({ code, stderr }) =>
    code === 0 ? [] : [`exit ${code}: ${stderr}`],
  );
}

/** A hook that waited its second in vain says so, and does nothing. */
function giveWays(box: Box): number {
  const lines = logOf(box)
    .split('\n')
    .filter((line) => line !== '');
  expect(
    lines.filter((line) => !line.includes('another holdfast process has held')),
  ).toEqual([]);
  return lines.length;
}

function checkTidy(box: Box): void {
  expect([...filesIn(box.tree).keys()].filter(isPassing)).toEqual([]);
}

test('fifty processes at once on one run: all edits kept, whole files throughout', async () => {
  const box = new Box();
  await box.must(
    command(
      'start',
      'Busy',
      '--phases',
      Array.from({ length: 900 }, (_, n) => `P${n}`).join(','),
    ),
  );
  box.keepAs('started');
  for (let round = 0; round < ROUNDS; round += 1) {
    box.backTo('started');
    const server = await openServer(box);
    const watcher = watch(box);
    const numbers = Array.from({ length: AT_ONCE - 1 }, (_, index) => index);
    const calls = numbers.map((index): Call => {
      switch (index % 5) {
        case 0:
          return command('todo', 'add', `item ${index}`);
        case 1:
          return command('advance', 'busy');
        case 2:
          return hookCall(
            box,
            index % 2 === 0 ? 'precompact-auto' : 'sessionstart-startup',
            `s-${index}`,
          );
        default:
          return command(
            'update',
            'busy',
            '--set',
            `k${index}=${index}`,
            '--remind',
            `reminder ${index}`,
          );
      }
    });
    const byTool = Promise.all(
      Array.from({ length: 5 }, () =>
        server.call('workflow_advance', { output: 'done' }),
      ),
    );
    const results = await atOnce(box, calls);
    const told = await byTool;
    expect(failuresIn(results)).toEqual([]);
    expect(told.filter(({ isError }) => isError)).toEqual([]);
    expect(watcher.stop()).toEqual([]);
    const [path = ''] = stateFiles(box.root);
    const state = readRun(box.root, path);
    const kinds = (kind: number): number[] =>
      numbers.filter((index) => index % 5 === kind);
    const updates = [...kinds(3), ...kinds(4)];
    expect(
      updates.filter((index) => state.context?.[`k${index}`] !== index),
    ).toEqual([]);
    expect(
      updates.filter(
        (index) => !state.key_reminders?.includes(`reminder ${index}`),
      ),
    ).toEqual([]);
    const list = readFileSync(join(box.root, 'TODO.md'), 'utf8').split('\n');
    expect(
      kinds(0).filter((index) => !list.includes(`- [ ] item ${index}`)),
    ).toEqual([]);
    expect(state.phase.current).toBe(1 + kinds(1).length + told.length);
    totals.edits_all_kept +=
      updates.length * 2 + kinds(0).length + kinds(1).length + told.length;
    totals.hooks_that_gave_way += giveWays(box);
    await server.end();
    checkTidy(box);
  }
});

const STOPPED: readonly { name: string; call: (box: Box) => Call }[] = [
  { name: 'update', call: () => command('update', 'busy', '--set', 'late=1') },
  { name: 'advance', call: () => command('advance', 'busy') },
  { name: 'complete', call: () => command('complete', 'busy') },
  { name: 'todo add', call: () => command('todo', 'add', 'late') },
  {
    name: 'PreCompact',
    call: (box) => hookCall(box, 'precompact-auto', 'session-a'),
  },
  {
    name: 'SessionStart(compact)',
    call: (box) => hookCall(box, 'sessionstart-compact', 'session-a'),
  },
];

/** What the others wrote is in the run, or in the record of it. */
function knows(box: Box, key: string): boolean {
  const records = archived(box.root)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `untracked/workflow-archive/${name}`);
  return [...stateFiles(box.root), ...records].some(
    (path) => readRun(box.root, path).context?.[key] !== undefined,
  );
}

test.for(STOPPED)(
  '$name, stopped at any step beyond the bound, freezes nobody and harms nothing when it wakes',
  async ({ name, call }) => {
    const boxes = Array.from({ length: WORKERS }, () => new Box());
    let calls: string[] = [];
    for (const box of boxes) {
      await box.must(command('start', 'Busy', '--phases', 'A,B,C,D'));
      await box.must(command('resume', 'busy', '--session', 'session-a'));
      await box.must(command('todo', 'add', 'first'));
      box.write(
        'CLAUDE.local.md',
        '## Workflow State\n\nWorkflow: Busy\nPhase: 2/4 - B\n',
      );
      box.keepAs('started');
      ({ calls } = await courseOf(box, call(box)));
    }
    const all = calls.map((_, index) => index + 1);
    const points =
      scale >= 1 ? all : random.shuffled(all).slice(0, scaled(all.length));
    const wrong = await inParallel(
      points,
      boxes,
      async (at, box): Promise<string[]> => {
        box.backTo('started');
        const late = box.start(call(box), { kind: 'stop', at, when: 'before' });
        if (!(await isStopped(late.pid)))
          return [`call ${at}: it was not stopped`];
        totals.stopped_writers += 1;
        const lock = join(box.root, 'untracked/workflow-state/.lock');
        try {
          letTimePass(lock, 6);
        } catch {
          // It is stopped without the lock.
        }
        const updated = await box.run(
          command('update', 'busy', '--set', 'other=1'),
        );
        const added = await box.run(command('todo', 'add', 'other'));
        late.kill('SIGCONT');
        const { code, signal, stderr } = await late.ended;
        const told: string[] = [];
        if (signal !== null || /\n\s+at /.test(stderr))
          told.push(`it ended badly: ${stderr}`);
        if (name.includes('Compact') && code !== 0)
          told.push(`a hook ended with ${code}`);
        // A run that the stopped one had ended already may be refused; nothing may be lost that was not.
        if (updated.code === 0 && !knows(box, 'other'))
          told.push('the edit of another is lost');
        if (updated.code !== 0 && name !== 'complete')
          told.push(`another was refused: ${updated.stderr}`);
        if (added.code !== 0)
          told.push(`the list was refused: ${added.stderr}`);
        const list = readFileSync(join(box.root, 'TODO.md'), 'utf8');
        if (!list.includes('first') || !list.includes('other'))
          told.push(`the list lost: ${list}`);
        for (const path of stateFiles(box.root)) readRun(box.root, path);
        await box.must(command('todo', 'add', 'last'));
        const left = [...filesIn(box.tree).keys()].filter(isPassing);
        if (left.length > 0) told.push(`left behind: ${left.join(', ')}`);
        return told.map((what) => `call ${at} (${calls[at - 1]}): ${what}`);
      },
    );
    expect(wrong.flat()).toEqual([]);
  },
);

test('the bound itself: a holder that is stopped for good is waited for no longer than that', async () => {
  const box = new Box();
  await box.must(command('start', 'Busy'));
  const { calls } = await courseOf(
    box,
    command('update', 'busy', '--set', 'late=1'),
  );
  const at = calls.indexOf('fsyncSync') + 1;
  const late = box.start(command('update', 'busy', '--set', 'late=2'), {
    kind: 'stop',
    at,
    when: 'before',
  });
  expect(await isStopped(late.pid)).toBe(true);
  const { code } = await box.run(command('update', 'busy', '--set', 'other=1'));
  expect(code).toBe(0);
  late.kill('SIGCONT');
  expect((await late.ended).code).toBe(0);
  const [path = ''] = stateFiles(box.root);
  expect(readRun(box.root, path).context).toMatchObject({ late: 2, other: 1 });
});
