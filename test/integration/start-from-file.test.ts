import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { onlyRun } from '../support/state.ts';

const PHASED = `# Retry queue

## Phase 1: Store jobs (done)
- [ ] Document the table

## Phase 2: Retry
- [x] Back off
- [ ] Give up after three tries

## Phase 3: Tell people
- [ ] Write to the list
`;

const S1 = { session: 's1' };

describe('start --from', () => {
  it('shows what was understood: the phases, the current one, what is open, and how to correct it', () => {
    const box = sandbox({ 'PLAN.md': PHASED });
    const { stdout } = box.run(['start', '--from', 'PLAN.md'], S1);
    expect(stdout).toContain('✓ Store jobs  ▸ Retry  · Tell people');
    expect(stdout).toContain('next item: "Give up after three tries"');
    expect(stdout).toContain('2 open items in PLAN.md');
    expect(stdout).toMatch(
      /if the work is in another phase: holdfast update retry-queue-\S+ --phase <n>/,
    );
  });

  it('takes a list of things to do, whose sections are no phases', () => {
    const box = sandbox({
      'tasks/todo.md': '## Now\n- [x] a\n- [ ] b\n## Later\n- [ ] c\n',
    });
    const { stdout } = box.run(['start', '--from', 'tasks/todo.md'], S1);
    expect(stdout).toContain('next item: b');
    expect(stdout).toContain('no phases were found; to name them:');
    expect(onlyRun(box.root).phase).toMatchObject({ total_known: false });
  });

  it('is also called --from-plan', () => {
    const box = sandbox({ 'PLAN.md': PHASED });
    box.run(['start', '--from-plan=PLAN.md'], S1);
    expect(onlyRun(box.root).source).toMatchObject({ path: 'PLAN.md' });
  });

  it('says what to do about a file in which nothing is understood', () => {
    const box = sandbox({ 'HANDOFF.md': '# Handoff\n\nAll is well.\n' });
    const { stderr } = box.run(['start', '--from', 'HANDOFF.md'], {
      ...S1,
      code: 1,
    });
    expect(stderr).toContain('HANDOFF.md has no phases');
  });
});

it('files that a run could begin with are offered, and none is detected by itself', () => {
  const box = sandbox({
    'PLAN.md': PHASED,
    'memory-bank/activeContext.md': 'Here we are.\n',
    'memory-bank/progress.md': 'A lot is done.\n',
  });
  const { stdout } = box.run([]);
  expect(stdout).toContain(
    'PLAN.md: `holdfast start --from PLAN.md` makes a run of it',
  );
  expect(stdout).toContain(
    'holdfast start "<name>" --read memory-bank/activeContext.md --read memory-bank/progress.md',
  );
  expect(box.json(['status'])).toMatchObject({ run: null, detected: [] });
  box.run(['start', '--from', 'PLAN.md'], S1);
  expect(box.run([], S1).stdout).not.toContain('makes a run of it');
});
