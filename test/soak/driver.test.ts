import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Driven,
  drivenProject,
  journal,
  runId,
  START,
  template,
} from '../support/driven.ts';
import { scaled } from './support/scale.ts';

const STEPS = ['plan', 'build', 'check', 'ship'];

const FOUR = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: build, type: action, context: clear, instructions: BUILD, gate: "grep -qx build work"}
  - {id: check, type: action, context: compact, instructions: CHECK}
  - {id: ship, type: action, instructions: SHIP}
`);

/** The agent leaves a line for its step, once, and finishes it. */
const WORK =
  's=$(holdfast status --look --json | sed -n \'s/^ *"step": "\\([a-z]*\\)",$/\\1/p\' | head -1); grep -qx $s work || echo $s >> work; holdfast advance';

function workingProject(): Driven {
  const box = drivenProject({ ...FOUR, work: '' });
  box.run(['trust', 'release', '--yes']);
  box.script(Array.from({ length: 40 }, () => [{ run: WORK }]));
  return box;
}

async function killAt(
  box: Driven,
  words: string[],
  line: number,
  who: 'driver' | 'client',
): Promise<void> {
  const running = box.begin([...words, '--json']);
  const count = (): number => running.output().split('\n').length - 1;
  let over = false;
  const ended = running.ended.then(() => {
    over = true;
  });
  const tick = (): Promise<void> =>
    new Promise((settle) => setTimeout(settle, 2));
  while (count() < line) {
    await Promise.race([ended, tick()]);
    if (over) return;
  }
  if (who === 'driver') running.child.kill('SIGKILL');
  else {
    const file = join(
      box.root,
      'untracked/workflow-logs',
      runId(box),
      'driver.json',
    );
    const pid = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8')).client?.pid
      : undefined;
    try {
      if (typeof pid === 'number') process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  await ended;
}

describe('a driven run that is killed', () => {
  const places = Array.from({ length: scaled(20) }, (_, n) => n + 1);

  it.each(places)(
    'after event %d of its driver does every step once',
    async (line) => {
      const box = workingProject();
      await killAt(box, START, line, 'driver');
      const name = runId(box);
      const rest = box.drive([name]);
      const isDone = rest.code === 0 || rest.stderr.includes('is completed');
      expect({ isDone, ...rest }).toMatchObject({ isDone: true });
      expect(
        journal(box).filter(({ event }) => event === 'advanced'),
      ).toHaveLength(STEPS.length);
      expect(readFileSync(join(box.root, 'work'), 'utf8')).toBe(
        `${STEPS.join('\n')}\n`,
      );
    },
  );

  it.each(places)(
    'in its client after event %d does every step once',
    async (line) => {
      const box = workingProject();
      await killAt(box, START, line, 'client');
      expect(
        journal(box).filter(({ event }) => event === 'advanced'),
      ).toHaveLength(STEPS.length);
      expect(readFileSync(join(box.root, 'work'), 'utf8')).toBe(
        `${STEPS.join('\n')}\n`,
      );
    },
  );
});

it('a driver does not grow over a hundred steps', async () => {
  const count = Math.max(scaled(100), 20);
  const box = drivenProject(
    template(
      `  - {id: polish, type: ralph, n: ${count}, instructions: POLISH}\n`,
    ),
  );
  const running = box.begin([...START, '--json']);
  const memory = (): number => {
    const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  };
  const at = async (iteration: number): Promise<number> => {
    await running.says(`iteration ${iteration} of ${count}`);
    return memory();
  };
  const early = await at(Math.ceil(count / 4));
  const late = await at(count);
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(box.calls('prompt')).toHaveLength(count);
  // The heap grows until it is collected; what is kept for each step would go on growing.
  expect(late).toBeLessThan(early * 1.5);
});
