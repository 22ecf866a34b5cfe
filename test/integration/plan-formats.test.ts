import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { planFixtures } from '../support/plan-fixtures.ts';
import { onlyRun } from '../support/state.ts';

const running = planFixtures().filter(({ state }) => state === 'under-way');

const S1 = { session: 's1' };

describe.each(running)(
  'a project of $format',
  ({ format, files, expected }) => {
    const [path = ''] = Object.keys(expected);
    const [said] = Object.values(expected).flatMap((each) =>
      each.state === 'active' ? [each.said] : [],
    );
    const { current = 0, total = 0 } = said?.phase ?? {};
    // Of GSD, whose boxes lag behind, no item is named: what the state says of its plan is given as it stands.
    const itemOf = (phase: number): string =>
      `next_item: ${String(said?.next_items?.[phase])}`;
    const hasItems = said?.next_items !== undefined;

    it('is named, restored, moved on and ended; its files stay as they were', () => {
      const box = sandbox(files);
      expect(box.run(['status']).stdout).toContain(
        `declared in ${path} (${format})`,
      );
      expect(box.json(['status'])).toMatchObject({
        run: null,
        detected: [{ source: path, format }],
      });

      expect(preCompact(box, 's1').stdout).toContain(
        `Workflow: ${said?.workflow}`,
      );
      const { context } = sessionStart(box, 's1', 'compact');
      expect(context).toContain(`${current}/${total}`);
      for (const [name, fact] of Object.entries(said?.context ?? {}))
        expect(context).toContain(`${name}: ${String(fact)}`);
      for (const entry of said?.required_reading ?? [])
        expect(context).toContain(entry);
      expect(onlyRun(box.root).source).toMatchObject({
        kind: 'plan',
        path,
        format,
      });
      expect(box.run(['status']).stdout).toContain(`${path} (${format})`);
      expect(box.json(['status'])).toMatchObject({
        run: { source: { path, format } },
      });
      const { stdout: checks } = box.run(['doctor', '--verbose'], { code: 1 });
      expect(checks).toContain(`from ${path} (${format})`);

      expect(hasItems).toBe(format !== 'gsd');
      box.run(['advance'], S1);
      expect(onlyRun(box.root).phase.current).toBe(current + 1);
      for (const text of [
        box.run(['status'], S1).stdout,
        sessionStart(box, 's1', 'compact').context,
      ]) {
        if (hasItems) expect(text).toContain(itemOf(current + 1));
        expect(text).not.toContain(itemOf(current));
      }

      for (let left = total; left > current + 1; left -= 1)
        box.run(['advance'], S1);
      const place =
        Object.keys(files).find((name) => name.endsWith('ROADMAP.md')) ?? path;
      const open = String.raw`\d+ open items? in ${place}`;
      expect(box.run(['advance'], { ...S1, code: 1 }).stderr).toMatch(
        new RegExp(`its plan is not done: ${open}; nothing was changed`),
      );
      expect(box.run(['complete'], S1).stdout).toMatch(
        new RegExp(`^Ended .* early at .*left: "${open}"\\.$`, 'm'),
      );
      for (const [name, text] of Object.entries(files))
        expect(readFileSync(join(box.root, name), 'utf8')).toBe(text);
    });
  },
);

it('of many plans that are all under way none is taken, and the list stays short', () => {
  const tasks = '## Phase 1: Setup\n\n- [x] T001 Begin\n- [ ] T002 Go on\n';
  const names = Array.from(
    { length: 100 },
    (_, index) => `specs/${1000 + index}-a/tasks.md`,
  );
  const box = sandbox(
    Object.fromEntries(
      names.map((name, at) => [name, `# Tasks: Feature ${at}\n\n${tasks}`]),
    ),
  );
  const startup = sessionStart(box, 's1', 'startup').context;
  expect(startup).toBe(
    '100 plans are open here; `holdfast status` lists them.',
  );
  const { stdout } = preCompact(box, 's1');
  expect(stdout).toContain(
    'nothing shows whether this conversation works on any of these',
  );
  expect(stdout.length).toBeLessThanOrEqual(2_000);
  const { context } = sessionStart(box, 's1', 'compact');
  expect(context).toContain('holdfast resume');
  expect(context.length).toBeLessThanOrEqual(8_000);
  expect(context).not.toContain('ACTION REQUIRED');
});

it('of a run that only a file declares nobody says when it was started', () => {
  const tasks = '## Phase 1: Setup\n- [x] T1 a\n- [ ] T2 b\n';
  const box = sandbox({
    'specs/001-a/tasks.md': `# Tasks: A\n\n${tasks}`,
    'specs/002-b/tasks.md': `# Tasks: B\n\n${tasks}`,
  });
  // Nothing shows which of the two the session works on, so that both become runs that nobody holds.
  preCompact(box, 's1');
  expect(box.json(['list'])).toMatchObject({ runs: [{}, {}] });
  const { context } = sessionStart(box, 's2', 'startup');
  expect(context).toContain('declared in specs/001-a/tasks.md, held by nobody');
  expect(context).not.toContain('just now');
});

describe('a spec-kit feature', () => {
  const [files] = running.flatMap((each) =>
    each.format === 'spec-kit' ? [each.files] : [],
  );

  const plan = 'specs/003-passkey/tasks.md';
  const tick = ({ root }: Sandbox, task: string): void => {
    const text = readFileSync(join(root, plan), 'utf8');
    writeFileSync(
      join(root, plan),
      text.replace(`- [ ] ${task}`, `- [X] ${task}`),
    );
  };

  it('moves on with its boxes, and keeps a next item that somebody set', () => {
    const box = sandbox(files);
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    tick(box, 'T004');
    preCompact(box, 's1');
    expect(sessionStart(box, 's1', 'compact').context).toContain(
      'next_item: T005',
    );
    tick(box, 'T005');
    preCompact(box, 's1');
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain('3/3 - Polish & Cross-Cutting Concerns');
    expect(context).toContain('next_item: T006');
    box.run(['update', '--set', 'next_item=call the vendor'], S1);
    tick(box, 'T006');
    preCompact(box, 's1');
    expect(sessionStart(box, 's1', 'compact').context).toContain(
      'next_item: call the vendor',
    );
  });
});
