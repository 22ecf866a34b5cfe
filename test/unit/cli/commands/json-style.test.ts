import { afterEach, expect, it, vi } from 'vitest';
import { advance } from '../../../../src/cli/commands/advance.ts';
import { complete } from '../../../../src/cli/commands/complete.ts';
import { contextAction } from '../../../../src/cli/commands/context.ts';
import { dashboard } from '../../../../src/cli/commands/dashboard.ts';
import { guidance } from '../../../../src/cli/commands/guidance.ts';
import { history } from '../../../../src/cli/commands/history.ts';
import { list } from '../../../../src/cli/commands/list.ts';
import { newTemplate } from '../../../../src/cli/commands/new-template.ts';
import { pause } from '../../../../src/cli/commands/pause.ts';
import { prime } from '../../../../src/cli/commands/prime.ts';
import { start } from '../../../../src/cli/commands/start.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { templates } from '../../../../src/cli/commands/templates.ts';
import { addItem, showList } from '../../../../src/cli/commands/todo.ts';
import { validate } from '../../../../src/cli/commands/validate.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { isObject } from '../../../../src/util/json.ts';
import { screen } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const TEMPLATE = `name: Polish
description: Repeats until a check passes.
steps:
  - id: polish
    type: ralph
    n: 3
    instructions: Improve it.
  - id: ship
    type: action
    instructions: Ship it.
`;

/** What a user has written, and what MCP returns as well, has names of its own. */
const FOREIGN = new Set(['step', 'machine', 'template', 'context', 'artifacts', 'exists', 'env']);

function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    FOREIGN.has(key) ? [key] : [key, ...keysIn(inner)],
  );
}

const commands: Record<string, (cli: CommandContext) => void | Promise<void>> = {
  'start --template': (cli) => start(cli, 'gloss', { template: 'polish' }),
  'holdfast alone': dashboard,
  status: (cli) => status(cli, 'user-auth', {}),
  advance: (cli) => advance(cli, 'user-auth', {}),
  context: (cli) => contextAction(cli, undefined, {}),
  complete: (cli) => complete(cli, undefined, {}),
  pause: (cli) => pause(cli, undefined, {}),
  list: (cli) => list(cli, { all: true }),
  history: (cli) => history(cli, undefined),
  'guidance --explain': (cli) => guidance(cli, undefined, { source: 'compact', explain: true }),
  prime: (cli) => prime(cli, {}),
  'prime --dry-run': (cli) => prime(cli, { dryRun: true }),
  templates: (cli) => templates(cli, 'templates'),
  'templates new': (cli) => newTemplate(cli, 'release'),
  'todo add': (cli) => addItem(cli, ['write', 'tests']),
  todo: showList,
  validate: (cli) => validate(cli, []),
};

it.each(Object.entries(commands))('%s prints its keys in snake_case', async (_name, call) => {
  const { cli, data } = screen({
    'docs/spec.md': 'spec',
    '.claude/holdfast/workflows/polish.yaml': TEMPLATE,
  });
  start(cli(), 'User Auth', { phases: 'Design,Build', read: ['docs/spec.md'] });
  await call(cli({ json: true }));
  const keys = keysIn(data());
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(key))).toEqual([]);
});
