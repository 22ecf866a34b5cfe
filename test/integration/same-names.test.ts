import { describe, expect, it } from 'vitest';
import { sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';

const TASKS =
  '# Tasks\n\n## Phase 1: Setup\n- [x] T001 a\n\n## Phase 2: Core\n- [ ] T002 b\n\n## Phase 3: End\n- [ ] T003 c\n';
const PLAN =
  '# Tasks\n\n**Status**: In Progress\n\n## Phase 1: Setup ✅\n\n## Phase 2: Core 🔄\n';
const section = (workflow: string): string =>
  `## Workflow State\nWorkflow: ${workflow}\nPhase: 1/3 - Design\n\n`;

type Case = {
  what: string;
  files: Record<string, string>;
  options: CallOptions;
};

/** Several files that declare a workflow called "Tasks", and one whose path needs quotes. */
const CASES: Case[] = [
  {
    what: 'three plans, in a terminal',
    files: {
      'CLAUDE/Plan/001-a/PLAN.md': PLAN,
      'CLAUDE/Plan/002-b/PLAN.md': PLAN,
      'CLAUDE/Plan/003 c/PLAN.md': PLAN,
    },
    options: {},
  },
  {
    what: 'the local file beside plans of both kinds, in a session',
    files: {
      'CLAUDE.local.md': `${section('Tasks')}${section('Shop')}`,
      'CLAUDE/Plan/001-a/PLAN.md': PLAN,
      'specs/001-a/tasks.md': TASKS,
    },
    options: { session: 's1' },
  },
];

interface Listing {
  runs: { run_id: string }[];
  detected: { run_id: string; source: string }[];
}

describe.each(CASES)('$what', ({ files, options }) => {
  const listed = (box: Sandbox): Listing =>
    box.json(['list'], options) as Listing;

  it('have ids that stay when they are stored', () => {
    const box = sandbox(files);
    const before = listed(box).detected.map(({ run_id: id }) => id);
    expect(new Set(before).size).toBe(before.length);
    expect(before.length).toBeGreaterThan(1);
    box.run(['update', before[0] ?? '', '--remind', 'x'], options);
    const after = listed(box);
    expect(after.detected).toEqual([]);
    expect(after.runs.map(({ run_id: id }) => id).toSorted()).toEqual(
      before.toSorted(),
    );
  });

  it('are changed by the command that the status and the dashboard name', () => {
    for (const words of [['status'], []]) {
      const box = sandbox(files);
      const { stdout } = box.run(words, options);
      const [, name = ''] =
        /Next: holdfast advance (\S+), or/.exec(stdout) ?? [];
      expect(stdout).toContain(`holdfast resume ${name}`);
      expect(box.run(['status', name], options)).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect(box.run(['guidance', name], options)).toMatchObject({
        code: 0,
        stderr: '',
      });
      if (options.session !== undefined)
        expect(box.run(['resume', name], options).stdout).toContain(
          'Workflow: Tasks',
        );
      expect(box.run(['advance', name], options).stdout).toContain(
        'Finished phase',
      );
    }
  });

  it('are listed by a refusal, each with its file, by names that work', () => {
    const box = sandbox(files);
    for (const words of [['advance'], ['skip', 'tasks', '--reason', 'x']]) {
      const { stderr } = box.run(words, { code: 1, ...options });
      const named = [...stderr.matchAll(/(tasks-\d+_\d+) \(([^)]+)\)/g)];
      expect(named.length).toBeGreaterThan(1);
      for (const [, id = '', source = ''] of named) {
        expect(listed(box).detected).toContainEqual(
          expect.objectContaining({
            run_id: id,
            source: expect.stringContaining(source.replaceAll('"', '')),
          }),
        );
        expect(box.run(['status', id], options).stdout).toContain(
          `declared in ${source}`,
        );
      }
    }
    expect(listed(box).runs).toEqual([]);
  });
});
