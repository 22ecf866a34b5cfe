import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  repository,
  sandbox,
  type CallOptions,
  type Sandbox,
} from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';

/** From the call with this number on, every call that writes fails. */
function failing(code: string, at: number): CallOptions {
  return {
    env: {
      NODE_OPTIONS: `--require ${join(repository, 'test/soak/support/faults.cjs')}`,
      HOLDFAST_SOAK_FAULT: JSON.stringify({
        kind: 'fail',
        code,
        at,
        lasting: true,
      }),
    },
  };
}

/** All files of the project with their content. */
function contentOf(box: Sandbox): Record<string, string> {
  const entries = readdirSync(box.root, {
    recursive: true,
    withFileTypes: true,
  });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== 'holdfast.log')
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

test.each([
  ['EROFS', 1],
  ['ENOSPC', 2],
  ['EACCES', 4],
])(
  'if the disk refuses with %s from write %i on, a compaction keeps and restores the run',
  (code, at) => {
    const box = sandbox({ 'docs/spec.md': 'THE-SPECIFICATION\n' });
    box.run(
      ['start', 'Shop', '--phases', 'Design,Build', '--read', 'docs/spec.md'],
      {
        session: 's1',
      },
    );
    const kept = preCompact(box, 's1', failing(code, at));
    expect(kept.code).toBe(0);
    expect(kept.stdout).toContain('Shop');
    const { code: exit, context } = sessionStart(
      box,
      's1',
      'compact',
      failing(code, at),
    );
    expect(exit).toBe(0);
    expect(context).toContain('WORKFLOW RESTORED');
    expect(context).toContain('THE-SPECIFICATION');
  },
);

test('a workflow that is only declared is restored although its run cannot be stored', () => {
  const box = sandbox({
    'CLAUDE.local.md':
      '## Workflow State\nWorkflow: Shop\nPhase: 2/3 - Build\n',
  });
  const before = contentOf(box);
  expect(preCompact(box, 's1', failing('EROFS', 1)).stdout).toContain('Shop');
  const { context } = sessionStart(box, 's1', 'compact', failing('EROFS', 1));
  expect(context).toContain('Phase: 2/3 - Build');
  expect(contentOf(box)).toEqual(before);
});
