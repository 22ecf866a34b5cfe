import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';

const PLAN = `# Foo

**Status**: In Progress

## Phase 1: Build

- [ ] x

## Phase 2: Ship

- [ ] y
`;

test('a run that was archived because its plan is gone is held by nobody and can be reopened', () => {
  const box = sandbox({ 'CLAUDE/Plan/001-foo/PLAN.md': PLAN });
  preCompact(box, 's1');
  sessionStart(box, 's1', 'compact');
  rmSync(join(box.root, 'CLAUDE'), { recursive: true });
  preCompact(box, 's1');
  const { stdout } = box.run(['status', 'foo']);
  expect(stdout).toMatch(/^Status +cancelled$/m);
  expect(stdout).toMatch(/^Held by +nobody$/m);
  expect(stdout).not.toContain('holdfast complete');
  const next = /^Next: holdfast (reopen \S+)/m.exec(stdout)?.[1] ?? '';
  expect(box.run(next.split(' '))).toMatchObject({ code: 0 });
});

test('the tool names a file that does not exist', async () => {
  const box = sandbox({ 'docs/made.md': 'x' });
  const { reply } = await openServer(box, { session: 's1' });
  await reply('workflow_start', { template: 'default' });
  expect(
    await reply('workflow_advance', {
      artefacts: ['docs/gone.md', 'docs/made.md'],
    }),
  ).toMatchObject({ doesNotExist: ['docs/gone.md'] });
});

test('a start without a name is wrong usage', () => {
  const { run } = sandbox();
  const refused = run(['start', '--json'], { code: 2 });
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: {
      code: 'usage',
      hint: expect.stringContaining('--template <name>'),
    },
  });
});
