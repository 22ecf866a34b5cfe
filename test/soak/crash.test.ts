import { afterAll, expect, test } from 'vitest';
import { Box, type Fault } from './support/box.ts';
import { publish } from './support/figures.ts';
import { filesIn } from './support/files.ts';
import { inParallel } from './support/parallel.ts';
import { makeRandom } from './support/random.ts';
import { scale, scaled, WORKERS } from './support/scale.ts';
import { SCENARIOS, type Scenario } from './support/scenarios.ts';
import { courseOf, damageIn, type Course } from './support/wholeness.ts';

/** The longest that a command waits for another one (docs/reference/state-files.md), and more for a slow machine. */
const WAIT = 10_000 * 5;

const random = makeRandom();
const totals = { kills: 0, slowest_next_ms: 0 };
const boxes = Array.from({ length: WORKERS }, () => new Box());
for (const box of boxes) box.keepAs('empty');

async function restore(box: Box, scenario: Scenario): Promise<void> {
  box.backTo('prepared');
  await scenario.before?.(box);
}

/** Before every call, which is after the one before it; half-way through those that write; after the last. */
function pointsOf({ calls }: Course): Fault[] {
  const points = calls.flatMap((name, index): Fault[] => {
    const at = index + 1;
    const before: Fault = { kind: 'kill', at, when: 'before' };
    return name.startsWith('write')
      ? [before, { kind: 'kill', at, when: 'half' }]
      : [before];
  });
  const all: Fault[] = [
    ...points,
    { kind: 'kill', at: calls.length, when: 'after' },
  ];
  return scale >= 1 ? all : random.shuffled(all).slice(0, scaled(all.length));
}

/** Kills it there; returns what is wrong after it. */
async function killAt(
  fault: Fault,
  { box, course }: { box: Box; course: Course },
  scenario: Scenario,
): Promise<string[]> {
  await restore(box, scenario);
  const before = filesIn(box.tree);
  const { signal } = await box.run(scenario.call(box), fault);
  const wrong = damageIn(box.tree, before, course);
  if (signal !== 'SIGKILL') wrong.push('it was not killed');
  try {
    const next = await scenario.after(box);
    const times = next.map(({ ms }) => Math.round(ms));
    totals.slowest_next_ms = Math.max(totals.slowest_next_ms, ...times);
  } catch (error) {
    wrong.push(String(error));
  }
  const name = course.calls[(fault.at ?? 1) - 1];
  return wrong.map(
    (what) => `${fault.when} call ${fault.at} (${name}): ${what}`,
  );
}

test.for(SCENARIOS)(
  '$name, killed at any step, leaves whole files and stands in nobody’s way',
  async (scenario) => {
    const prepared: { box: Box; course: Course }[] = [];
    for (const box of boxes) {
      box.backTo('empty');
      await scenario.prepare(box);
      box.keepAs('prepared');
      await scenario.before?.(box);
      prepared.push({ box, course: await courseOf(box, scenario.call(box)) });
    }
    const points =
      prepared[0] === undefined ? [] : pointsOf(prepared[0].course);
    const wrong = await inParallel(points, prepared, (fault, at) =>
      killAt(fault, at, scenario),
    );
    expect(wrong.flat()).toEqual([]);
    expect(totals.slowest_next_ms).toBeLessThan(WAIT);
    totals.kills += points.length;
  },
);

afterAll(() =>
  publish('crash', {
    seed: random.seed,
    commands: SCENARIOS.length,
    ...totals,
  }),
);
