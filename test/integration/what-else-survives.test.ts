import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook, preCompact, sessionStart } from '../support/hooks.ts';
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
    run(['note', 'SQLite: it must run offline'], {
      session,
      now: '2030-01-01T10:00:00Z',
    });
    run(['advance'], { session });
    const { reply } = await openServer(box, { session });
    await reply('workflow_note', { text: 'WAL mode broke the tests' });
    expect(onlyRun(box.root).notes).toEqual([
      {
        n: 1,
        at: '2030-01-01T10:00:00.000Z',
        phase: '1/3 Design',
        text: 'SQLite: it must run offline',
        by: 'agent',
      },
      {
        n: 2,
        at: expect.any(String),
        phase: '2/3 Build',
        text: 'WAL mode broke the tests',
        by: 'agent',
      },
    ]);
    // The summary need not copy what is given back.
    const forSummary = preCompact(box, session).stdout;
    expect(forSummary).toContain('gives back the phase, notes');
    expect(forSummary).not.toContain('SQLite');
    const lines =
      'Decisions and dead ends\n- [2] WAL mode broke the tests (phase 2/3 Build)\n- [1] SQLite: it must run offline (phase 1/3 Design)';
    expect(sessionStart(box, session, 'compact').context).toContain(lines);
    expect(run(['status']).stdout.replaceAll(/^ +/gm, '')).toContain(lines);
    expect(run(['history']).stdout).toMatch(
      / {2}recorded note 1: "SQLite: it must run offline" by session s1/,
    );
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
    writeTree(box.root, {
      [file]: JSON.stringify({ ...state, notes: [...notes, 'by hand'] }),
    });
    const { context } = sessionStart(box, session, 'compact');
    expect(context.length).toBeLessThanOrEqual(8_000);
    expect(context).toContain(
      `Decisions and dead ends\n- [61] by hand\n- [60] 59 xx`,
    );
    expect(context).toMatch(
      /\n… \d\d older: `holdfast note --list --run [\w-]+`/,
    );
    expect(box.run(['status']).stdout).toContain(
      '… 53 older: holdfast note --list --run shop-',
    );
  });

  test('dated in the future does not stay above later ones', () => {
    const box = started();
    box.run(['note', 'CLOCK-WAS-WRONG'], {
      session,
      now: '2099-01-01T10:00:00Z',
    });
    box.run(['note', 'LATER'], { session });
    const { context } = sessionStart(box, session, 'compact');
    expect(context).toMatch(
      /Decisions and dead ends\n- .*LATER.*\n- .*CLOCK-WAS-WRONG/,
    );
  });

  test('needs a text, and a session that has a run', () => {
    const box = started();
    expect(box.run(['note', ' '], { session, code: 2 }).stderr).toContain(
      'text that is not blank',
    );
    expect(box.run(['note', 'x'], { session: 's2', code: 1 }).stderr).toContain(
      'this session has no run',
    );
    expect(onlyRun(box.root).notes).toBeUndefined();
  });
});

describe('the plan that the person accepted in plan mode', () => {
  const COPY = 'untracked/workflow-state/retry-queue/jolly-swinging-moth.md';
  const accept = (box: Sandbox, by = session): string =>
    hook(box, 'posttooluse-exitplanmode', { session_id: by }).stdout;

  test('is offered in one line, and started from in this session or a later one', () => {
    const box = sandbox();
    expect(box.run(['start', '--from'], { session, code: 1 }).stderr).toContain(
      'no plan was accepted in plan mode here',
    );
    const { hookSpecificOutput: output } = JSON.parse(accept(box));
    expect(output).toMatchObject({ hookEventName: 'PostToolUse' });
    expect(output.additionalContext).toMatch(
      /^[^\n]*`holdfast start --from`[^\n]*$/,
    );
    box.run(['start', '--from'], { session: 's2' });
    expect(onlyRun(box.root)).toMatchObject({
      workflow: 'Retry queue',
      phases: ['Store jobs', 'Retry', 'Tell people'],
      source: {
        kind: 'plan',
        path: COPY,
        text: expect.stringContaining('2. **Retry**'),
      },
    });
    // A session that has a run is offered none.
    expect(accept(box, 's2')).toBe('');
    const { context } = sessionStart(box, 's2', 'compact');
    expect(context).toMatch(
      /gives back the plan \S+moth\.md; where it differs .* this run counts/,
    );
    expect(context).toContain(`@${COPY} (content below)`);
    hook(box, 'sessionend-clear', { session_id: 's2' });
    expect(sessionStart(box, 's3', 'clear').context).toContain(`@${COPY}`);
  });

  test('goes to another machine with the run', () => {
    const box = sandbox();
    accept(box);
    box.run(['start', '--from'], { session });
    const plan = readFileSync(join(box.root, COPY), 'utf8');
    const other = sandbox();
    const file = join(other.root, 'run.json');
    writeFileSync(file, box.run(['export']).stdout);
    other.run(['import', file]);
    expect(readFileSync(join(other.root, COPY), 'utf8')).toBe(plan);
    other.run(['resume', 'retry-queue'], { session });
    expect(preCompact(other, session).stdout).toContain(
      'Phase: 1/3 - Store jobs',
    );
    expect(sessionStart(other, session, 'compact').context).toContain(
      `@${COPY} (content below)`,
    );
  });
});

describe('a sub-agent of a session that holds a run', () => {
  const told = (box: Sandbox, agent_type = 'Explore'): string =>
    hook(box, 'subagentstart', { session_id: session, agent_type }).stdout;

  test('is told of it in 1,500 characters', () => {
    const box = started({ 'docs/spec.md': 'Spec.' });
    const many = Array.from({ length: 30 }, (_, n) => [
      '--remind',
      `rule ${n} ${'x'.repeat(400)}`,
    ]);
    box.run(['update', '--read', 'docs/spec.md', ...many.flat()], { session });
    for (const n of [1, 2])
      box.run(['note', `SQLite it is ${'y'.repeat(400)} ${n}`], { session });
    const { hookSpecificOutput: output } = JSON.parse(told(box));
    expect(output.hookEventName).toBe('SubagentStart');
    for (const part of [
      'Workflow: Shop',
      'Phase: 1/3 - Design',
      '- rule 1 ',
      'SQLite it is',
      '@docs/spec.md',
    ])
      expect(output.additionalContext).toContain(part);
    expect(output.additionalContext.length).toBeLessThanOrEqual(1_500);
  });

  test('is not if the settings say so, if it is the summariser, or if there is no run', () => {
    expect(told(sandbox())).toBe('');
    const box = started();
    expect(told(box, '')).toBe('');
    writeTree(box.root, { '.claude/holdfast.json': '{"subagents":"off"}' });
    expect(told(box)).toBe('');
  });
});

describe('what the model is asked for before a compaction', () => {
  test('is a note that takes the place of the one before, and makes no hold firm', () => {
    const box = sandbox({
      'CLAUDE.local.md': '# Workflow State\n\nWorkflow: Shop\nPhase: 1/2\n',
    });
    preCompact(box, session);
    for (const text of ['FIRST', `SECOND ${'x'.repeat(3_000)}`])
      box.run(['note', text, '--model'], { session });
    const { notes = [], hold, adopted } = onlyRun(box.root);
    expect(notes).toMatchObject([{ by: 'model', n: 2 }]);
    expect(notes[0]?.text).toHaveLength(2_000);
    expect({ hold, adopted }).toEqual({ hold: { by: 'only' } });
    const look = ['status', '--look', '--module', '1'];
    expect(box.json(look, { session })).toMatchObject({ asksModel: true });
    writeTree(box.root, {
      '.claude/holdfast.json': '{"context":{"record":"off"}}',
    });
    expect(box.json(look, { session })).toMatchObject({ asksModel: false });
    const { context } = sessionStart(box, session, 'compact');
    expect(context).toContain('- [2] SECOND xxx');
    expect(context).not.toContain('FIRST');
    expect(box.run(['history']).stdout).toContain(
      'the model recorded note 1 before a compaction: FIRST',
    );
  });
});

test('nothing is said of what the summary of a compaction kept or lost', () => {
  const box = started();
  box.run(['update', '--remind', 'no new dependencies'], { session });
  preCompact(box, session);
  sessionStart(box, session, 'compact');
  const compact_summary = 'In phase 1/3 we read the spec.';
  hook(box, 'postcompact-auto', { session_id: session, compact_summary });
  const { stdout } = box.run(['history']);
  expect(stdout).toContain('restored after compact');
  expect(stdout).not.toMatch(/kept|brought back|lost/);
});

test('restore.confirm makes the agent wait for the user after a compaction', () => {
  const wait = 'name the phase and wait for their word';
  const box = started({
    '.claude/holdfast.json': '{"restore":{"confirm":true}}',
  });
  expect(sessionStart(box, session, 'compact').context).toContain(wait);
  expect(
    box.run(['guidance', '--source', 'compact'], { session }).stdout,
  ).toContain(wait);
  expect(box.run(['resume', 'shop'], { session }).stdout).not.toContain(wait);
  expect(sessionStart(started(), session, 'compact').context).not.toContain(
    wait,
  );
});

test('a run whose client is gone is told as such, with how long', () => {
  const box = started();
  const state = onlyRun(box.root);
  const [record] = state.sessions?.session_history ?? [];
  const environment = { ...record?.environment, boot: 'of before' };
  const seen = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const history = [
    { ...record, environment, started_at: seen, last_seen_at: seen },
  ];
  const gone = { current_session_id: session, session_history: history };
  const file = `untracked/workflow-state/shop/state-${state.run_id}.json`;
  writeTree(box.root, { [file]: JSON.stringify({ ...state, sessions: gone }) });
  rmSync(join(box.home, '.claude'), { recursive: true, force: true });
  expect(box.run(['status']).stdout).toMatch(
    /nobody \(last: .*, whose client is gone, seen 3 h/,
  );
  expect(box.run(['list']).stdout).toMatch(/gone, seen 3 h/);
  expect(box.json(['list'])).toMatchObject({
    runs: [{ held_by: null, holder_gone: seen }],
  });
  expect(sessionStart(box, 's2', 'startup').context).toMatch(
    /whose client is gone, seen 3 h/,
  );
});
