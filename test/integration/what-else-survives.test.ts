import { describe, expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun, writeTree } from '../support/state.ts';

const session = 's1';
const started = (tree: Record<string, string> = {}): Sandbox => {
  const box = sandbox(tree);
  box.run(['start', 'Shop', '--phases', 'Design,Build,Ship'], { session });
  return box;
};

describe('a note', () => {
  test('is kept with its time and phase, and given back everywhere', async () => {
    const box = started();
    const { run } = box;
    run(['note', 'SQLite: it must run offline'], { session, now: '2030-01-01T10:00:00Z' });
    run(['advance'], { session });
    const { reply } = await openServer(box, { session });
    await reply('workflow_note', { text: 'WAL mode broke the tests' });
    expect(onlyRun(box.root).notes).toEqual([
      { at: '2030-01-01T10:00:00.000Z', phase: '1/3 Design', text: 'SQLite: it must run offline' },
      { at: expect.any(String), phase: '2/3 Build', text: 'WAL mode broke the tests' },
    ]);
    expect(preCompact(box, session).stdout).toContain(
      '- Decisions and dead ends:\n  - SQLite: it must run offline (phase 1/3 Design)\n  - WAL mode',
    );
    const lines =
      'Decisions and dead ends\n- SQLite: it must run offline (phase 1/3 Design)\n- WAL mode broke the tests (phase 2/3 Build)';
    expect(sessionStart(box, session, 'compact').context).toContain(lines);
    expect(run(['status']).stdout.replaceAll(/^ +/gm, '')).toContain(lines);
    expect(run(['history']).stdout).toMatch(/ {2}noted: SQLite: it must run offline by session s1/);
  });

  test('is cut from the oldest, and the cut says how many are missing', () => {
    const notes = Array.from({ length: 60 }, (_, index) => ({
      at: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
      phase: '1/3 Design',
      text: `${index} ${'x'.repeat(200)}`,
    }));
    const box = started();
    const [path = '', state] = [onlyRun(box.root).run_id, onlyRun(box.root)];
    const file = `untracked/workflow-state/shop/state-${path}.json`;
    writeTree(box.root, { [file]: JSON.stringify({ ...state, notes: [...notes, 'by hand'] }) });
    const { context } = sessionStart(box, session, 'compact');
    expect(context.length).toBeLessThanOrEqual(8_000);
    expect(context).toContain(`Decisions and dead ends\n- 59 xx`);
    expect(context).toMatch(/\n… \d\d older: `holdfast show [\w-]+`/);
    expect(box.run(['status']).stdout).toContain('… 53 older: holdfast show');
  });

  test('needs a text, and a session that has a run', () => {
    const box = started();
    expect(box.run(['note', ' '], { session, code: 2 }).stderr).toContain('text that is not blank');
    expect(box.run(['note', 'x'], { session: 's2', code: 1 }).stderr).toContain(
      'this session has no run',
    );
    expect(onlyRun(box.root).notes).toBeUndefined();
  });
});
