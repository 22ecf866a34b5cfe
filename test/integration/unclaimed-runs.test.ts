import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { preCompact } from '../support/hooks.ts';
import { writeTree } from '../support/state.ts';

const PLAN = 'CLAUDE/Plan/001-x/PLAN.md';
const HAND = {
  workflow: 'Hand',
  workflow_type: 'custom',
  phase: { current: 1, total: 2, name: 'A', status: 'in_progress' },
  required_reading: [`@${PLAN}`],
  created_at: '2025-12-09T14:30:52Z',
};
const files = {
  [PLAN]:
    '# Alpha\nStatus: In Progress\n\n## Phase 1: A\n- [ ] a\n\n## Phase 2: B\n- [ ] b\n',
  'CLAUDE.local.md': '## Workflow State\nWorkflow: Local One\nPhase: 1/3 - P\n',
};

describe('what the next compaction changes', () => {
  const path = 'untracked/workflow-state/h/state-h-20261101_000000.json';

  it('is said for a run that a plan feeds only if something that the line names changes', () => {
    const box = sandbox({ [PLAN]: files[PLAN], [path]: JSON.stringify(HAND) });
    const status = (): string => box.run(['status']).stdout;
    expect(status()).toContain(
      `At the next compaction this run takes over what ${PLAN} declares.`,
    );
    expect(status()).not.toContain('becomes phase');
    preCompact(box, 's1');
    expect(status()).not.toContain('next compaction');
  });

  it('is nothing once the run has gone where its plan went', () => {
    const box = sandbox({ [PLAN]: files[PLAN] });
    preCompact(box, 's1');
    writeTree(box.root, {
      [PLAN]: files[PLAN].replace('## Phase 2: B', '## Phase 2: B 🔄'),
    });
    expect(box.run(['status']).stdout).toContain(
      `${PLAN} has changed: at the next compaction this run becomes phase 2/2 B.`,
    );
    box.run(['advance'], { session: 's1' });
    expect(box.run(['status']).stdout).not.toContain('next compaction');
  });
});
