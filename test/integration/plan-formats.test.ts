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

  it('has its files left as they were', () => {
    const box = sandbox(files);
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    box.run(['advance'], { session: 's1' });
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(box.root, name), 'utf8')).toBe(text);
  });
});

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

describe('a spec-kit feature', () => {
  const [files] = running.flatMap((each) => (each.format === 'spec-kit' ? [each.files] : []));
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
