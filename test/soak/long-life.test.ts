import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hookMemoryOf } from '../support/cli.ts';
import { readRun, stateFiles } from '../support/state.ts';
import { Box, command, hookCall } from './support/box.ts';
import { median, publish } from './support/figures.ts';
import { startHookDriver, type Answer } from './support/hook-driver.ts';
import { makeRandom } from './support/random.ts';
import { scaled } from './support/scale.ts';
import { logOf } from './support/scenarios.ts';

const CYCLES = scaled(10_000);
/** Each so manieth cycle is two real processes, and each so manieth is preceded by a command. */
const REAL_EVERY = 100;
const COMMAND_EVERY = 40;
const PHASES = 9;

const random = makeRandom();
const box = new Box();
const driver = startHookDriver(box);
afterAll(driver.end);

/** What the next restoration has to say. */
const expected = {
  session: 'session-0',
  phase: 1,
  fact: 0,
  reading: ['docs/spec.md'],
};
const counts = { real: 0, commands: 0, edits: 0, clears: 0 };
let extra = '';

function writeLocalFile(): void {
  const { phase, reading } = expected;
  const lines = reading.map((path) => `@${path}\n`).join('');
  box.write(
    'CLAUDE.local.md',
    `# Notes\n${extra}\n## Workflow State\n\nWorkflow: Long Life\nPhase: ${phase}/${PHASES} - Step ${phase}\n${lines}`,
  );
}

function writePlan(isDone: boolean, note: number): void {
  box.write(
    'CLAUDE/Plan/00003-side/PLAN.md',
    `# Plan 3: Side\n\n**Status**: 🔄 In Progress\n\nNote ${note}\n\n### Phase 1: One ${isDone ? '✅' : '🔄'}\n- [ ] a\n### Phase 2: Two\n`,
  );
}

const EDITS: readonly (() => void)[] = [
  () => {
    expected.phase = 1 + random.below(PHASES);
    writeLocalFile();
  },
  () => {
    extra = `Seen ${random.below(1_000_000)}.\n`;
    writeLocalFile();
  },
  () => {
    const path = `docs/part-${random.below(12)}.md`;
    box.write(path, `Part ${random.below(1_000_000)}.\n`);
    const { reading } = expected;
    if (reading.includes(path))
      expected.reading = reading.filter((known) => known !== path);
    else reading.push(path);
    writeLocalFile();
  },
  () => box.write('docs/spec.md', `Wanted: ${random.below(1_000_000)}.\n`),
  () => writePlan(random.below(2) === 0, random.below(1_000_000)),
];

async function giveCommand(cycle: number): Promise<void> {
  counts.commands += 1;
  const { session } = expected;
  if (random.below(3) === 0) {
    await box.must({
      ...command('todo', 'set', '-', '--force'),
      input: `- [ ] item ${cycle}\n`,
      session,
    });
    return;
  }
  expected.fact = cycle;
  await box.must({
    ...command('update', 'long-life', '--set', `fact=${cycle}`),
    session,
  });
}

async function hook(name: string, isReal: boolean): Promise<Answer> {
  const call = hookCall(box, name, expected.session);
  if (!isReal) return driver.call(JSON.stringify(JSON.parse(call.input ?? '')));
  return box.must(call);
}

async function clear(cycle: number, isReal: boolean): Promise<void> {
  counts.clears += 1;
  await hook('sessionend-clear', isReal);
  expected.session = `session-${cycle}`;
  await hook('sessionstart-clear', isReal);
}

/** What the restoration gets wrong. */
function mistakesIn(guidance: string): string[] {
  const { phase, reading, fact } = expected;
  const lines = [
    'Workflow: Long Life',
    `Phase: ${phase}/${PHASES} - Step ${phase} (`,
    ...reading.map((path) => `@${path}`),
    ...(fact === 0 ? [] : [`${fact}`]),
  ];
  return lines.filter((line) => !guidance.includes(line));
}

function sizeOf(path: string): number {
  return statSync(join(box.root, path), { throwIfNoEntry: false })?.size ?? 0;
}

test(`${CYCLES} compactions of one run: every restoration right, nothing grows, none takes longer`, async () => {
  box.write('docs/spec.md', 'What is wanted.\n');
  writeLocalFile();
  writePlan(false, 0);
  await box.must(hookCall(box, 'precompact-auto', expected.session));
  await box.must(command('resume', 'long-life', '--session', expected.session));
  const times: number[] = [];
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const isReal = cycle % REAL_EVERY === 0;
    if (random.below(3) > 0) {
      counts.edits += 1;
      random.pick(EDITS)();
    }
    if (cycle % COMMAND_EVERY === 0) await giveCommand(cycle);
    const saved = await hook('precompact-auto', isReal);
    const restored = await hook('sessionstart-compact', isReal);
    if (isReal) counts.real += 1;
    else times.push(saved.ms + restored.ms);
    expect(saved.stdout, `cycle ${cycle}`).toContain('Long Life');
    const guidance = JSON.parse(restored.stdout).hookSpecificOutput
      .additionalContext;
    const mistakes = mistakesIn(guidance);
    expect(
      mistakes,
      `seed ${random.seed}, cycle ${cycle}: ${guidance}`,
    ).toEqual([]);
    if (random.below(50) === 0) await clear(cycle, isReal);
  }
  const path =
    stateFiles(box.root).find((file) => file.includes('/long-life/')) ?? '';
  const tenth = Math.ceil(times.length / 10);
  const first = median(times.slice(0, tenth));
  const last = median(times.slice(-tenth));
  const folder = 'untracked/workflow-state';
  const sizes = {
    state_bytes: sizeOf(path),
    journal_bytes: sizeOf(
      path.replace('/state-', '/events-').replace(/json$/, 'jsonl'),
    ),
    hook_memory_bytes: statSync(hookMemoryOf(box)).size,
    sources_json_bytes: sizeOf(`${folder}/sources.json`),
    log_bytes: sizeOf(`${folder}/holdfast.log`),
  };
  publish('long-life', {
    seed: random.seed,
    cycles_all_restored_right: CYCLES,
    ...counts,
    last_to_first: Number((last / first).toFixed(2)),
    ...sizes,
  });
  expect(last / first).toBeLessThan(3);
  expect(sizes.state_bytes).toBeLessThan(100_000);
  // The journal keeps the newer half when it grows past this.
  expect(sizes.journal_bytes).toBeLessThan(257_000);
  expect(sizes.hook_memory_bytes).toBeLessThan(100_000);
  expect(sizes.sources_json_bytes).toBeLessThan(20_000);
  expect(logOf(box)).toBe('');
  expect(
    readRun(box.root, path).sessions?.session_history?.length ?? 0,
  ).toBeLessThanOrEqual(50);
  // Whether a todo list was set is up to chance.
  const names = readdirSync(join(box.root, folder)).filter(
    (name) => name !== 'todo.json',
  );
  expect(names.toSorted()).toEqual([
    '.gitignore',
    'long-life',
    'side',
    'sources.json',
  ]);
});
