import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Overview } from '../../src/ui/page-data.ts';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook } from '../support/hooks.ts';
import { ask, startPage, type RunningPage } from '../support/page-server.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const APPROVAL = `name: ask
description: asks
steps:
  - {id: plan, type: action, instructions: plan}
  - {id: ok, type: approval, instructions: decide}
  - {id: build, type: action, instructions: build}
`;

/** How a run comes into each state in which the page offers commands. */
const STATES: Record<string, (box: Sandbox) => void> = {
  'that a live session holds': () => undefined,
  'whose session has ended': (box) =>
    void hook(box, 'sessionend-other', { session_id: 's1' }),
  'that nobody holds': (box) => void box.run(['release'], { session: 's1' }),
  'that is blocked': (box) =>
    void box.run(['fail', '--reason', 'no key'], { session: 's1' }),
  'that is paused': (box) =>
    void box.run(['pause', '--reason', 'lunch'], { session: 's1' }),
  'that is archived': (box) => void box.run(['complete'], { session: 's1' }),
  'whose file says completed': (box) => writeStatus(box, 'completed'),
};

function writeStatus(box: Sandbox, status: 'completed'): void {
  const [path = ''] = stateFiles(box.root);
  writeFileSync(
    join(box.root, path),
    JSON.stringify({ ...onlyRun(box.root), status }),
  );
}

/** What the page offers for the only run. */
async function offered(
  box: Sandbox,
  { port, url }: RunningPage,
): Promise<string[]> {
  const { text } = await ask(port, `${new URL(url).pathname}data/overview`);
  const { runs }: Overview = JSON.parse(text);
  expect(runs, box.root).toHaveLength(1);
  return (runs[0]?.commands ?? []).map(({ command }) => command);
}

/** Types a command where it is meant for: in a terminal, or at the prompt of a session that does not hold the run. */
function type(box: Sandbox, command: string): ReturnType<Sandbox['run']> {
  const inClient = command.startsWith('/holdfast:');
  const words =
    command.replace(/^\/holdfast:|^holdfast /, '').match(/"[^"]*"|\S+/g) ?? [];
  return box.run(
    words.map((word) => word.replaceAll('"', '')),
    inClient ? { session: 's2' } : {},
  );
}

/** Makes the run as often as there are commands, and types one of them each time. */
async function expectAllToWork(make: (box: Sandbox) => void): Promise<void> {
  const box = sandbox({ '.claude/holdfast/workflows/ask.yaml': APPROVAL });
  const page = await startPage(box);
  for (let index = 0, count = 1; index < count; index += 1) {
    rmSync(join(box.root, 'untracked'), { recursive: true, force: true });
    make(box);
    const commands = await offered(box, page);
    count = commands.length;
    expect(count).toBeGreaterThan(0);
    const command = commands[index] ?? '';
    expect({ command, ...type(box, command) }).toMatchObject({
      command,
      code: 0,
    });
  }
}

describe('the commands that the page offers work as they stand', () => {
  it.each(Object.keys(STATES))('for a run %s', (state) =>
    expectAllToWork((box) => {
      box.run(['start', 'Shop', '--phases', 'Design,Build'], { session: 's1' });
      STATES[state]?.(box);
    }),
  );

  it('for an approval', () =>
    expectAllToWork((box) => {
      box.run(['start', '--template', 'ask'], { session: 's1' });
      box.run(['advance', '--output', 'x'], { session: 's1' });
    }));
});
