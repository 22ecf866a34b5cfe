import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { planFixtures } from '../support/plan-fixtures.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const running = planFixtures().filter(({ state }) => state === 'under-way');

describe.each(running)('a project of $format', ({ format, files, expected }) => {
  const [path = ''] = Object.keys(expected);
  const declared = Object.values(expected).find(({ state }) => state === 'active');
  const said = declared?.state === 'active' ? declared.said : undefined;

  it('is restored after a compaction, with its phase, its next item and its documents', () => {
    const box = sandbox(files);
    expect(preCompact(box, 's1').stdout).toContain(`Workflow: ${said?.workflow}`);
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain(`${said?.phase?.current}/${said?.phase?.total}`);
    expect(context).toContain(`next_item: ${String(said?.context['next_item'])}`);
    for (const entry of said?.required_reading ?? []) expect(context).toContain(entry);
    expect(onlyRun(box.root).source).toMatchObject({ kind: 'plan', path, format });
    expect(box.run(['status']).stdout).toContain(`${path} (${format})`);
  });

  it('is named with its format before it is stored, and by doctor afterwards', () => {
    const box = sandbox(files);
    expect(box.run(['status']).stdout).toContain(`declared in ${path} (${format})`);
    expect(box.json(['status'])).toMatchObject({ run: null, detected: [{ source: path, format }] });
    preCompact(box, 's1');
    expect(box.json(['status'])).toMatchObject({ run: { source: { path, format } } });
    expect(box.run(['doctor', '--verbose'], { code: 1 }).stdout).toContain(
      `from ${path} (${format})`,
    );
  });

  it('has its files left as they were', () => {
    const box = sandbox(files);
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    box.run(['advance'], { session: 's1' });
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(box.root, name), 'utf8')).toBe(text);
  });
});

describe.each(running)(
  'a run of a $format plan that was advanced by hand',
  ({ files, expected }) => {
    const [declared] = Object.values(expected).flatMap((each) =>
      each.state === 'active' ? [each.said] : [],
    );
    const current = declared?.phase?.current ?? 0;
    const itemOf = (phase: number): string => String(declared?.next_items?.[phase]);
    const next = itemOf(current + 1);

    it('names the next item of the phase that it is in, everywhere', () => {
      expect(next).not.toBe('undefined');
      const box = sandbox(files);
      preCompact(box, 's1');
      box.run(['advance'], { session: 's1' });
      expect(onlyRun(box.root)).toMatchObject({
        phase: { current: current + 1 },
        context: { next_item: next },
      });
      const texts = [
        box.run(['status'], { session: 's1' }).stdout,
        preCompact(box, 's1').stdout,
        sessionStart(box, 's1', 'compact').context,
      ];
      for (const text of texts) {
        expect(text).toContain(`next_item: ${next}`);
        expect(text).not.toContain(`next_item: ${itemOf(current)}`);
      }
    });

    it('keeps a next item that somebody set', () => {
      const box = sandbox(files);
      preCompact(box, 's1');
      box.run(['update', '--set', 'next_item=call the vendor'], { session: 's1' });
      box.run(['advance'], { session: 's1' });
      preCompact(box, 's1');
      expect(sessionStart(box, 's1', 'compact').context).toContain('next_item: call the vendor');
    });

    it('is not completed by its last phase while items are open, and ends early by complete', () => {
      const box = sandbox(files);
      preCompact(box, 's1');
      const file = Object.keys(files).find((path) => path.endsWith('ROADMAP.md'));
      const path = file ?? Object.keys(expected)[0];
      for (let left = declared?.phase?.total ?? 0; left > current; left -= 1)
        box.run(['advance'], { session: 's1' });
      const open = String.raw`\d+ open items? in ${path}`;
      const { stderr } = box.run(['advance'], { session: 's1', code: 1 });
      expect(stderr).toMatch(new RegExp(`its plan is not done: ${open}; nothing was changed`));
      const { stdout } = box.run(['complete'], { session: 's1' });
      expect(stdout).toMatch(new RegExp(`^Ended .* early at .*left: ${open}\\.$`, 'm'));
    });
  },
);

describe.each(planFixtures().filter(({ state }) => state === 'fresh' || state === 'finished'))(
  'a $state project of $format',
  ({ files }) => {
    it('makes no run', () => {
      const box = sandbox(files);
      expect(preCompact(box, 's1').stdout).toBe('');
      expect(sessionStart(box, 's1', 'compact').context).toBe('');
      expect(stateFiles(box.root)).toEqual([]);
    });
  },
);

describe('a thousand spec folders', () => {
  const TASKS = '## Phase 1: Setup\n\n- [ ] T001 Begin\n- [ ] T002 Go on\n';
  const project = (tasksOf: (index: number) => string): Sandbox =>
    sandbox(
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [
          `specs/${String(index).padStart(4, '0')}-a/tasks.md`,
          `# Tasks: Feature ${index}\n\n${tasksOf(index)}`,
        ]),
      ),
    );

  it('of which one is under way: that one is restored', () => {
    const box = project((index) =>
      index === 500
        ? TASKS.replace('[ ]', '[x]')
        : TASKS.replaceAll('[ ]', index % 2 === 0 ? '[x]' : '[ ]'),
    );
    preCompact(box, 's1');
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain('Workflow: Feature 500\n');
    expect(context).toContain('next_item: T002 Go on');
    expect(stateFiles(box.root)).toHaveLength(1);
  });

  it('that are all under way: none is taken, and the list stays short', () => {
    const box = project(() => TASKS.replace('[ ]', '[x]'));
    const { stdout } = preCompact(box, 's1');
    expect(stdout).toContain('nothing shows whether this conversation works on any of these');
    expect(stdout.length).toBeLessThanOrEqual(2_000);
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain('holdfast resume');
    expect(context.length).toBeLessThanOrEqual(8_000);
    expect(context).not.toContain('ACTION REQUIRED');
  });
});

describe('a spec-kit feature', () => {
  const [files] = running.flatMap((each) => (each.format === 'spec-kit' ? [each.files] : []));

  it('that the run is ahead of is not to be edited by phase number', () => {
    const box = sandbox(files);
    preCompact(box, 's1');
    box.run(['update', '--phase', '3']);
    const { stdout } = box.run(['doctor'], { code: 1 });
    expect(stdout).toContain('name different phases');
    expect(stdout).toContain('tick the items that are done in specs/003-passkey/tasks.md');
    expect(stdout).not.toContain('write phase 3 into');
  });

  const plan = 'specs/003-passkey/tasks.md';
  const tick = ({ root }: Sandbox, task: string): void => {
    const text = readFileSync(join(root, plan), 'utf8');
    writeFileSync(join(root, plan), text.replace(`- [ ] ${task}`, `- [X] ${task}`));
  };

  it('moves on with its boxes', () => {
    const box = sandbox(files);
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    tick(box, 'T004');
    preCompact(box, 's1');
    expect(sessionStart(box, 's1', 'compact').context).toContain('next_item: T005');
    tick(box, 'T005');
    preCompact(box, 's1');
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain('3/3 - Polish & Cross-Cutting Concerns');
    expect(context).toContain('next_item: T006');
  });
});
