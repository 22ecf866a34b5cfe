import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { archived, stateFiles } from '../support/state.ts';
import {
  Box,
  command,
  hookCall,
  type Ended,
  type Fault,
} from './support/box.ts';
import { publish } from './support/figures.ts';
import { filesIn } from './support/files.ts';
import { inParallel } from './support/parallel.ts';
import { makeRandom } from './support/random.ts';
import { scale, scaled, WORKERS } from './support/scale.ts';
import { logOf, SCENARIOS, type Scenario } from './support/scenarios.ts';
import { courseOf, damageIn, type Course } from './support/wholeness.ts';

/** Each refused once, and refused from some call on. */
const CODES = ['ENOSPC', 'EACCES', 'EROFS', 'EMFILE'] as const;

const STATE = 'untracked/workflow-state';
const random = makeRandom();
const totals = { refusals: 0, clocks_devices_and_swaps: 0 };
afterAll(() => publish('faults', { seed: random.seed, ...totals }));
const boxes = Array.from({ length: WORKERS }, () => new Box());
for (const box of boxes) box.keepAs('empty');

async function prepare(box: Box, scenario: Scenario): Promise<void> {
  box.backTo('empty');
  await scenario.prepare(box);
  box.keepAs('prepared');
}

async function restore(box: Box, scenario: Scenario): Promise<void> {
  box.backTo('prepared');
  await scenario.before?.(box);
}

/** What is wrong with how it ended; files apart. */
function misbehaviour(
  box: Box,
  isHook: boolean,
  ended: Ended,
  logBefore: string,
): string[] {
  const { code, signal, stdout, stderr } = ended;
  const wrong: string[] = [];
  if (signal !== null) wrong.push(`it ended by ${signal}`);
  if (/\n\s+at |should not happen|TypeError/.test(stderr))
    wrong.push(`a trace: ${stderr}`);
  if (isHook) {
    if (code !== 0) wrong.push(`a hook ended with ${code}: ${stderr}`);
    if (stdout.startsWith('{') && !isJson(stdout))
      wrong.push(`half a reply: ${stdout}`);
    const log = logOf(box).slice(logBefore.length);
    if (stdout === '' && log === '' && stderr === '')
      wrong.push('a hook failed and told nobody');
    if (/\n\s+at /.test(log)) wrong.push(`a trace in the log: ${log}`);
    return wrong;
  }
  if (code !== 0 && code !== 1) wrong.push(`exit ${code}: ${stderr}`);
  if (code === 1 && !/^holdfast: \S/m.test(stderr))
    wrong.push(`no sentence: ${stderr}`);
  return wrong;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Refused = { scenario: Scenario; fault: Fault; course: Course };

async function refused(
  box: Box,
  { scenario, fault, course }: Refused,
): Promise<string[]> {
  await restore(box, scenario);
  const before = filesIn(box.tree);
  const log = logOf(box);
  const call = scenario.call(box);
  const ended = await box.run(call, fault);
  totals.refusals += 1;
  const wrong = [
    ...misbehaviour(box, call.words[0] === 'hook', ended, log),
    ...damageIn(box.tree, before, course),
  ];
  try {
    await scenario.after(box);
  } catch (error) {
    wrong.push(String(error));
  }
  return wrong.map(
    (what) =>
      `${fault.code} at ${fault.at}${fault.lasting ? ' and on' : ''}: ${what}`,
  );
}

/** What a command with an effect that has no undoing may not refuse quietly: no hook has an output to miss. */
const REFUSABLE = SCENARIOS.filter(({ name }) => name !== 'SessionEnd(clear)');

test.for(REFUSABLE)(
  '$name on a disk that refuses: told in a sentence, nothing lost',
  async (scenario) => {
    for (const box of boxes) await prepare(box, scenario);
    const [box] = boxes;
    if (box === undefined) throw new Error('there is no box');
    const faults: Fault[] = [];
    for (const code of CODES) {
      await restore(box, scenario);
      const { calls } = await courseOf(box, scenario.call(box), code);
      faults.push(
        ...calls.flatMap((_, index): Fault[] =>
          [false, true].map((lasting) => ({
            kind: 'fail',
            code,
            at: index + 1,
            lasting,
          })),
        ),
      );
    }
    const courses = new Map<Box, Course>();
    for (const each of boxes) {
      await restore(each, scenario);
      courses.set(each, await courseOf(each, scenario.call(each)));
    }
    const tried =
      scale >= 1
        ? faults
        : random.shuffled(faults).slice(0, scaled(faults.length));
    const wrong = await inParallel(tried, boxes, (fault, each) => {
      const course = courses.get(each);
      if (course === undefined) throw new Error('there is no course');
      return refused(each, { scenario, fault, course });
    });
    expect(wrong.flat()).toEqual([]);
  },
);

function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  return found;
}

async function boxWith(name: string): Promise<Box> {
  const [box] = boxes;
  if (box === undefined) throw new Error('there is no box');
  await prepare(box, scenarioNamed(name));
  totals.clocks_devices_and_swaps += 1;
  return box;
}

test('an archive on another device gets the run, too', async () => {
  const box = await boxWith('complete');
  const device = join(box.root, 'untracked/workflow-archive');
  const ended = await box.run(command('complete', 'user-auth'), {
    kind: 'fail',
    code: 'EXDEV',
    at: 1,
    lasting: true,
    device,
  });
  expect(ended).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^holdfast: .* is told/),
  });
  expect(stateFiles(box.root)).toEqual([]);
  expect(archived(box.root)).toHaveLength(2);
  await scenarioNamed('complete').after(box);
});

test.for([-3_600_000, 3_600_000, -400 * 86_400_000])(
  'a clock that is %i ms off for one call harms nothing',
  async (clockShift) => {
    const box = await boxWith('PreCompact');
    for (const name of ['precompact-auto', 'sessionstart-compact']) {
      const ended = await box.run(hookCall(box, name, 'session-a'), {
        clockShift,
      });
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain('User Auth');
    }
    expect(
      (
        await box.run(command('update', 'user-auth', '--set', 'odd=1'), {
          clockShift,
        })
      ).code,
    ).toBe(0);
    await scenarioNamed('PreCompact').after(box);
    expect(logOf(box)).toBe('');
  },
);

test('a lock from a clock that was an hour ahead, of a process that is gone, blocks nobody', async () => {
  const box = await boxWith('PreCompact');
  const killed = await box.run(hookCall(box, 'precompact-auto', 'session-a'), {
    kind: 'kill',
    when: 'before',
    at: 6,
    clockShift: 3_600_000,
  });
  expect(killed.signal).toBe('SIGKILL');
  await scenarioNamed('PreCompact').after(box);
});

/** What somebody else does meanwhile to a path; without a text it is deleted. */
const SWAPS: readonly {
  what: string;
  path: (box: Box) => string;
  text?: string;
}[] = [
  { what: 'the state file is deleted', path: stateOf },
  {
    what: 'an agent writes half a state file',
    path: stateOf,
    text: '{"workflow": "Us',
  },
  { what: 'the state folder is deleted', path: (box) => join(box.root, STATE) },
  {
    what: 'the lock is deleted',
    path: (box) => join(box.root, STATE, '.lock'),
  },
  {
    what: 'the local file is deleted',
    path: (box) => join(box.root, 'CLAUDE.local.md'),
  },
];

function stateOf(box: Box): string {
  return join(box.root, stateFiles(box.root)[0] ?? '');
}

test.for(SWAPS)(
  'under the feet of a hook or a command, $what',
  async (swap) => {
    for (const name of ['PreCompact', 'advance', 'complete', 'todo set']) {
      const scenario = scenarioNamed(name);
      const box = await boxWith(name);
      const { calls } = await courseOf(box, scenario.call(box));
      const places = random
        .shuffled(calls.map((_, index) => index + 1))
        .slice(0, scaled(calls.length));
      for (const at of places) {
        await restore(box, scenario);
        const log = logOf(box);
        const call = scenario.call(box);
        const { path, text } = swap;
        const fault: Fault = {
          kind: 'swap',
          at,
          swapped: { path: path(box), text },
        };
        const ended = await box.run(call, fault);
        totals.clocks_devices_and_swaps += 1;
        const isHook = name === 'PreCompact';
        // The work of a hook may be done before the change.
        const wrong = misbehaviour(box, isHook, ended, log).filter(
          (what) => !what.includes('told nobody'),
        );
        expect(wrong, `${name}, call ${at} (${calls[at - 1]})`).toEqual([]);
        for (const file of stateFiles(box.root)) {
          const isWhole = isJson(readFileSync(join(box.root, file), 'utf8'));
          expect(isWhole || text !== undefined, file).toBe(true);
        }
      }
    }
  },
);
