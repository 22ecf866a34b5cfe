import { expect, test } from 'vitest';
import { Box, type Ended, type Fault } from './support/box.ts';
import { median, publish } from './support/figures.ts';
import { filesIn } from './support/files.ts';
import { inParallel } from './support/parallel.ts';
import { makeRandom } from './support/random.ts';
import { scale, scaled, WORKERS } from './support/scale.ts';
import { SCENARIOS, type Scenario } from './support/scenarios.ts';
import { courseOf, damageIn, type Course } from './support/wholeness.ts';

/** Over all scenarios; what the calls to be killed at do not make up is killed after a delay. */
const KILLS = 2_500;
/** The longest that a command waits for another one (docs/reference/state-files.md), and more for a slow machine. */
const WAIT = 10_000 * 5;

const random = makeRandom();
const totals = { points: 0, delayed: 0, tooLate: 0, calls: 0, slowestNext: 0 };
const boxes = Array.from({ length: WORKERS }, () => new Box());

interface Ready {
  box: Box;
  course: Course;
  /** How long it takes undisturbed. */
  ms: number;
}

async function ready(box: Box, scenario: Scenario): Promise<Ready> {
  box.backTo('empty');
  await scenario.prepare(box);
  box.keepAs('prepared');
  await scenario.before?.(box);
  const course = await courseOf(box, scenario.call(box));
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await restore(box, scenario);
    times.push((await box.must(scenario.call(box))).ms);
  }
  return { box, course, ms: median(times) };
}

async function restore(box: Box, scenario: Scenario): Promise<void> {
  box.backTo('prepared');
  await scenario.before?.(box);
}

/** One attempt that ends too early; returns what is wrong after it. */
async function attempt(
  { box, course }: Ready,
  scenario: Scenario,
  interrupted: (box: Box) => Promise<Ended>,
): Promise<{ isKilled: boolean; wrong: string[] }> {
  await restore(box, scenario);
  const before = filesIn(box.tree);
  const { signal } = await interrupted(box);
  const damage = damageIn(box.tree, before, course);
  try {
    const next = await scenario.after(box);
    totals.slowestNext = Math.max(totals.slowestNext, ...next.map(({ ms }) => ms));
    return { isKilled: signal === 'SIGKILL', wrong: damage };
  } catch (error) {
    return { isKilled: signal === 'SIGKILL', wrong: [...damage, String(error)] };
  }
}

/** Before every call, which is after the one before it; half-way through those that write; after the last. */
function pointsOf({ calls }: Course): Fault[] {
  const points = calls.flatMap((name, index): Fault[] => {
    const at = index + 1;
    const before: Fault = { kind: 'kill', at, when: 'before' };
    return name.startsWith('write') ? [before, { kind: 'kill', at, when: 'half' }] : [before];
  });
  const all: Fault[] = [...points, { kind: 'kill', at: calls.length, when: 'after' }];
  return scale >= 1 ? all : random.shuffled(all).slice(0, scaled(all.length));
}

for (const box of boxes) box.keepAs('empty');

test.for(SCENARIOS)(
  '$name, killed at any step, leaves whole files and stands in nobody’s way',
  async (scenario) => {
    const prepared = await Promise.all(boxes.map((box) => ready(box, scenario)));
    const [first] = prepared;
    if (first === undefined) throw new Error('there is no box');
    totals.calls += first.course.calls.length;
    const points = pointsOf(first.course);
    const atPoints = await inParallel(points, prepared, async (fault, { box, ...rest }) => {
      const call = scenario.call(box);
      const { isKilled, wrong } = await attempt({ box, ...rest }, scenario, () =>
        box.run(call, fault),
      );
      const name = `${fault.when} call ${fault.at} (${first.course.calls[(fault.at ?? 1) - 1]})`;
      return { isKilled, wrong: wrong.map((what) => `${name}: ${what}`) };
    });
    expect(atPoints.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(atPoints.filter(({ isKilled }) => !isKilled)).toEqual([]);
    totals.points += points.length;
  },
);

test.for(SCENARIOS)(
  '$name, killed from outside at any moment, leaves whole files',
  async (scenario) => {
    const prepared = await Promise.all(boxes.map((box) => ready(box, scenario)));
    const missing = scaled(KILLS) - totals.points;
    const count = Math.max(5, Math.ceil(missing / SCENARIOS.length));
    const turns = Array.from({ length: count }, (_, index) => index / count);
    const results = await inParallel(turns, prepared, async (part, { box, course, ms }) => {
      // The first part of its life is Node's own, in which it writes nothing.
      const delay = ms * (0.4 + 0.6 * part);
      const call = scenario.call(box);
      const { isKilled, wrong } = await attempt({ box, course, ms }, scenario, async () => {
        const running = box.start(call);
        const timer = setTimeout(() => running.kill('SIGKILL'), delay);
        const ended = await running.ended;
        clearTimeout(timer);
        return ended;
      });
      return { isKilled, wrong: wrong.map((what) => `after ${Math.round(delay)} ms: ${what}`) };
    });
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    const killed = results.filter(({ isKilled }) => isKilled).length;
    totals.delayed += killed;
    totals.tooLate += results.length - killed;
  },
);

test('that is enough of them, and the next command waited no longer than for a lock', () => {
  const { points, delayed, tooLate, calls, slowestNext } = totals;
  publish('crash', {
    seed: random.seed,
    kills: points + delayed,
    at_a_call: points,
    after_a_delay: delayed,
    ended_before_the_signal: tooLate,
    commands: SCENARIOS.length,
    calls,
    slowest_next_ms: Math.round(slowestNext),
  });
  expect(points + delayed).toBeGreaterThanOrEqual(Math.floor(2_000 * Math.min(scale, 1)));
  expect(slowestNext).toBeLessThan(WAIT);
});
