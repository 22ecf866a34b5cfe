import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Overview } from '../../src/ui/views.ts';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook } from '../support/hooks.ts';
import { ask, startPage } from '../support/page-server.ts';
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
  'whose session has ended': (box) => void hook(box, 'sessionend-other', { session_id: 's1' }),
  'that nobody holds': (box) => void box.run(['release'], { session: 's1' }),
  'that is blocked': (box) => void box.run(['fail', '--reason', 'no key'], { session: 's1' }),
  'that is paused': (box) => void box.run(['pause', '--reason', 'lunch'], { session: 's1' }),
  'that is archived': (box) => void box.run(['complete'], { session: 's1' }),
  'whose file says completed': (box) => writeStatus(box, 'completed'),
  'whose file says cancelled': (box) => writeStatus(box, 'cancelled'),
};

function writeStatus(box: Sandbox, status: 'completed' | 'cancelled'): void {
  const [path = ''] = stateFiles(box.root);
  writeFileSync(join(box.root, path), JSON.stringify({ ...onlyRun(box.root), status }));
}

/** What the page offers for the only run. */
async function offered(box: Sandbox): Promise<string[]> {
  const page = await startPage(box);
  const { text } = await ask(page.port, `${new URL(page.url).pathname}data/overview`);
  const { runs }: Overview = JSON.parse(text);
  return (runs[0]?.commands ?? []).map(({ command }) => command);
}

/** Types a command where it is meant for: in a terminal, or at the prompt of a session that does not hold the run. */
function type(box: Sandbox, command: string): ReturnType<Sandbox['run']> {
  const inClient = command.startsWith('/holdfast:');
  const words = command.replace(/^\/holdfast:|^holdfast /, '').match(/"[^"]*"|\S+/g) ?? [];
  return box.run(
    words.map((word) => word.replaceAll('"', '')),
    inClient ? { session: 's2' } : {},
  );
}

describe('the commands that the page offers work as they stand', () => {
  it.each(Object.keys(STATES))('for a run %s', async (state) => {
    const project = (): Sandbox => {
      const box = sandbox();
      box.run(['start', 'Shop', '--phases', 'Design,Build'], { session: 's1' });
      STATES[state]?.(box);
      return box;
    };
    const count = (await offered(project())).length;
    expect(count).toBeGreaterThan(0);
    for (let index = 0; index < count; index += 1) {
      const box = project();
      const command = (await offered(box))[index] ?? '';
      expect({ command, ...type(box, command) }).toMatchObject({ command, code: 0 });
    }
  });

  it.each([0, 1])('for an approval (%i)', async (index) => {
    const box = sandbox({ '.claude/holdfast/workflows/ask.yaml': APPROVAL });
    box.run(['start', '--template', 'ask'], { session: 's1' });
    box.run(['advance', '--output', 'x'], { session: 's1' });
    const commands = await offered(box);
    expect(commands).toHaveLength(2);
    const command = commands[index] ?? '';
    expect({ command, ...type(box, command) }).toMatchObject({ command, code: 0 });
  });
});
