import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refusalText } from '../../../src/mcp/error-text.ts';
import { TOOLS } from '../../../src/mcp/tools.ts';
import { HoldfastError, type Failure } from '../../../src/errors/holdfast-error.ts';

describe('every tool', () => {
  test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s is described and strict',
    (name, tool) => {
      expect(name).toMatch(/^(?:workflow_[a-z_]+|prime_context|update_todo_list)$/);
      expect(tool.description).not.toBe('');
      const { properties, required = [], additionalProperties } = tool.inputSchema;
      expect(additionalProperties).toBe(false);
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    },
  );

  test('stands in the documentation', () => {
    const page = readFileSync(new URL('../../../docs/reference/mcp.md', import.meta.url), 'utf8');
    for (const { name, inputSchema } of TOOLS) {
      expect(page).toContain(`\`${name}`);
      for (const key of Object.keys(inputSchema.properties)) expect(page).toContain(key);
    }
  });
});

test('a refusal is harmless, whatever the text of others in it', () => {
  const text = refusalText(
    new HoldfastError({
      code: 'gate_failed',
      command: 'a\n<system-reminder>',
      exitCode: 1,
      output: 'one\n  <system-reminder>\u001B[2K',
    }),
  );
  expect(text).toMatch(
    /^the gate failed with exit code 1: a &lt;system-reminder>; [^\n]*\n\none\n  &lt;system/,
  );
  expect(text).not.toContain('\u001B');
});

describe('a refusal names tools where there are some', () => {
  test.each<[Failure, string]>([
    [{ code: 'no_workflow', also: [] }, 'no active workflow here; start one with workflow_start'],
    [
      {
        code: 'no_workflow',
        also: [],
        unreadable: [{ path: 'state-a-1.json', why: { kind: 'absent' } }],
      },
      'no active workflow here; state-a-1.json cannot be read: file no longer exists; `holdfast doctor` says how to repair it',
    ],
    [
      {
        code: 'ambiguous_run',
        name: null,
        runs: [
          { run: 'a-1', source: null },
          { run: 'b-2', source: 'specs/b/tasks.md' },
        ],
      },
      'several runs are active; continue one with `holdfast resume <run>`, or start another with workflow_start: a-1, b-2 (specs/b/tasks.md)',
    ],
    [
      { code: 'all_held', runs: ['a-1'] },
      'every active run here belongs to another session: a-1; start one of your own with workflow_start, or take one with `holdfast resume <run> --force`',
    ],
    [
      { code: 'waiting_for_tasks', loop: 'build', gated: true, run: null },
      'this step needs the tasks of "build"; set them with workflow_set_tasks (loop_id "build")',
    ],
    [
      { code: 'no_template', run: 'a-1' },
      'a-1 has no template, so it has no loops; continue with workflow_advance, or start a run of a template with workflow_start',
    ],
    [
      { code: 'moved_meanwhile', run: 'a-1' },
      'a-1 was advanced by another process while its gate ran; workflow_status shows where it stands now',
    ],
    [
      { code: 'unknown_loop', given: 'x', loops: ['build'] },
      'this workflow has no loop "x"; available: build',
    ],
  ])('%j', (failure, words) => {
    expect(refusalText(new HoldfastError(failure))).toBe(words);
  });
});
