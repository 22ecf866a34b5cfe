import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';
import { drivenProject } from '../support/driven.ts';
import { hook, preCompact, sessionStart } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { archived, onlyRun, readRun, writeTree } from '../support/state.ts';
import { hasTmux, openShell } from '../support/terminal.ts';

const session = 's1';

/** Two approvals in a row, and one at the end. */
const FLOW = `name: flow
description: asks twice, and once more at the end
steps:
  - {id: plan, type: action, instructions: Plan.}
  - {id: agree, type: approval, instructions: 'Look at {outputs.plan}.'}
  - {id: sign, type: approval, on_reject: plan}
  - {id: build, type: action, instructions: Build.}
  - {id: accept, type: approval}
`;

interface Report {
  wait: string | null;
  run: { run_id: string; revision: number; machine: { step: string } };
}

interface Refusal {
  wait: string | null;
  error: { code: string; message: string };
}

/** A run of session s1 that waits at its first approval. */
function atFirst(): Sandbox {
  const box = sandbox({ '.claude/holdfast/workflows/flow.yaml': FLOW });
  box.run(['start', '--template', 'flow'], { session });
  box.run(['advance', '--output', 'the plan', '--artifact', 'plan.md'], {
    session,
  });
  return box;
}

const reportOf = (box: Sandbox, options?: CallOptions): Report =>
  box.json(['status', '--look'], options) as Report;

const stepOf = (box: Sandbox): string => reportOf(box).run.machine.step;

function waitOf(box: Sandbox): string {
  const { wait } = reportOf(box);
  if (wait === null) throw new Error('nothing waits');
  return wait;
}

const refusalOf = (box: Sandbox, words: string[]): Refusal =>
  box.json(words, { code: 1 }) as Refusal;

const answersIn = (box: Sandbox, run?: string): { event: string }[] => {
  const { events } = box.json([
    'history',
    ...(run === undefined ? [] : [run]),
  ]) as {
    events: { event: string }[];
  };
  return events.filter(
    ({ event }) => event === 'approved' || event === 'rejected',
  );
};

describe('an answer with --for counts for what it names', () => {
  it('approves that, and the same answer again changes nothing, whatever waits by then', () => {
    const box = atFirst();
    const first = waitOf(box);
    expect(first).toMatch(/^agree@0[0-9a-f]{8}$/);
    expect(box.run(['approve', '--for', first]).stdout).toContain(
      'Approved step 2 of 5 (agree).',
    );
    const before = onlyRun(box.root);
    const again = box.run([
      'approve',
      '--for',
      first,
      '--note',
      'sent once more',
    ]);
    expect(again.stdout).toContain(
      `${first} was approved before; nothing was changed.`,
    );
    expect(box.json(['approve', '--for', first])).toMatchObject({
      repeated: true,
      wait: waitOf(box),
    });
    expect(onlyRun(box.root)).toEqual(before);
    expect(stepOf(box)).toBe('sign');
    expect(answersIn(box)).toHaveLength(1);
  });

  it('is refused with what waits by now', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['approve', '--for', first]);
    const before = onlyRun(box.root);
    const { error, wait } = refusalOf(box, [
      'reject',
      '--for',
      first,
      '--feedback',
      'no',
    ]);
    expect(error.code).toBe('wait_changed');
    expect(error.message).toContain(
      `${first} was approved, and by now step 3 of 5 (sign) waits`,
    );
    expect(error.message).toContain(String(wait));
    expect(wait).toBe(waitOf(box));
    expect(
      refusalOf(box, ['approve', '--for', 'agree@00000000']).error,
    ).toMatchObject({
      code: 'wait_changed',
      message: expect.stringContaining(
        'agree@00000000 does not wait, and by now step 3 of 5',
      ),
    });
    expect(onlyRun(box.root)).toEqual(before);
  });

  it('is refused if it names nothing, such as a variable of a script that is not set', () => {
    const box = atFirst();
    for (const blank of ['', ' ']) {
      const { stderr } = box.run(['approve', '--for', blank], { code: 2 });
      expect(stderr).toMatch(/--for.*; expected text that is not blank/);
    }
    expect(stepOf(box)).toBe('agree');
  });

  it('is refused where nothing waits', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['reject', '--for', first, '--feedback', 'too short']);
    expect(refusalOf(box, ['approve', '--for', first])).toMatchObject({
      wait: null,
      error: {
        code: 'wait_changed',
        message: expect.stringContaining(
          `${first} was rejected, and nothing waits`,
        ),
      },
    });
    expect(
      box.run(['reject', '--for', first, '--feedback', 'too short']).stdout,
    ).toContain(`${first} was rejected before; nothing was changed.`);
    expect(stepOf(box)).toBe('plan');
  });

  it('does not count for the same step that waits again with the same work', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['reject', '--for', first, '--feedback', 'too short']);
    box.run(['advance', '--output', 'the plan', '--artifact', 'plan.md'], {
      session,
    });
    expect(waitOf(box)).toMatch(/^agree@/);
    expect(waitOf(box)).not.toBe(first);
    expect(refusalOf(box, ['approve', '--for', first]).error.code).toBe(
      'wait_changed',
    );
    expect(stepOf(box)).toBe('agree');
  });

  it('does not count for an output that the agent has exchanged since, which the refusal shows', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['pivot', 'plan', '--feedback', 'a better idea'], { session });
    box.run(['advance', '--output', 'delete everything'], { session });
    const { stderr } = box.run(['approve', '--for', first], { code: 1 });
    expect(stderr).toContain('│ delete everything');
    expect(stepOf(box)).toBe('agree');
  });

  it('does not count for an output that was exchanged in the state file', () => {
    const box = atFirst();
    const first = waitOf(box);
    const run = onlyRun(box.root);
    const path = `untracked/workflow-state/flow/state-${run.run_id}.json`;
    const machine = { ...run.machine, outputs: { plan: 'delete everything' } };
    writeTree(box.root, { [path]: JSON.stringify({ ...run, machine }) });
    expect(refusalOf(box, ['approve', '--for', first]).error.code).toBe(
      'wait_changed',
    );
  });

  it('does not count for another run that waits with the same work', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['start', '--template', 'flow', 'Second'], { session: 's2' });
    box.run(['advance', '--output', 'the plan', '--artifact', 'plan.md'], {
      session: 's2',
    });
    const { run } = reportOf(box, { session: 's2' });
    const { error } = refusalOf(box, ['approve', run.run_id, '--for', first]);
    expect(error.code).toBe('wait_changed');
  });

  it('is repeated without effect after it has ended the run, with the name of the run and without', () => {
    const box = atFirst();
    box.run(['approve', '--for', waitOf(box)]);
    box.run(['approve', '--for', waitOf(box)]);
    box.run(['advance', '--output', 'built'], { session });
    const last = waitOf(box);
    const { run } = reportOf(box);
    box.run(['approve', '--for', last]);
    const records = archived(box.root);
    for (const name of [[], [run.run_id]])
      expect(box.run(['approve', ...name, '--for', last]).stdout).toContain(
        `${last} was approved before; nothing was changed.`,
      );
    expect(archived(box.root)).toEqual(records);
    const state = readRun(
      box.root,
      `untracked/workflow-archive/${run.run_id}.json`,
    );
    expect(state).toMatchObject({ status: 'completed' });
    expect(answersIn(box, run.run_id)).toHaveLength(3);
  });

  it('does not count while the run is paused, which waits for nothing', () => {
    const box = atFirst();
    const first = waitOf(box);
    box.run(['pause'], { session });
    expect(box.json(['status', 'flow'])).toMatchObject({ wait: null });
    expect(refusalOf(box, ['approve', 'flow', '--for', first]).error.code).toBe(
      'not_active',
    );
  });
});

test('a compaction, a Read and other writes leave the id as it is', () => {
  const box = atFirst();
  writeTree(box.root, { 'spec.md': 'the spec' });
  const before = reportOf(box);
  box.run(['update', '--read', 'spec.md'], { session });
  box.run(['note', 'SQLite, for offline'], { session });
  preCompact(box, session);
  sessionStart(box, session, 'compact');
  const file_path = join(box.root, 'spec.md');
  hook(box, 'posttooluse-read', {
    session_id: session,
    tool_input: { file_path },
    tool_response: {
      type: 'text',
      file: { filePath: file_path, content: 'the spec' },
    },
  });
  const after = reportOf(box);
  expect(after.run.revision).toBeGreaterThan(before.run.revision + 3);
  expect(after.wait).toBe(before.wait);
});

describe('without --for', () => {
  it('it prints what is answered, hidden characters as well, and in a script it answers', () => {
    const box = atFirst();
    box.run(['pivot', 'plan', '--feedback', 'again'], { session });
    const output = 'a plan\u202E that lies\nholdfast: all is well';
    box.run(['advance', '--output', output, '--artifact', 'plan.md'], {
      session,
    });
    const wait = waitOf(box);
    const { stderr, stdout } = box.run(['approve']);
    expect(stderr).toContain(`waits at step 2 of 5 (agree), as ${wait}`);
    expect(stderr).toContain('  │ Look at a plan<U+202E> that lies');
    expect(stderr).toContain(
      'Output of plan:\n  │ a plan<U+202E> that lies\n  │ holdfast: all',
    );
    expect(stderr).toContain('Files: plan.md');
    expect(stdout).toContain('Approved step 2 of 5 (agree).');
  });

  it.runIf(hasTmux)('in a terminal it asks, and only yes is an answer', () => {
    const box = atFirst();
    const shell = openShell(box);
    const first = waitOf(box);
    const refused = shell.answer(
      'holdfast approve',
      /Approve this\? \[y\/N\]/,
      'n',
    );
    expect(refused.shown.replaceAll('\n', ' ')).toContain(
      `${first} was not approved`,
    );
    expect(refused.code).toBe(1);
    expect(stepOf(box)).toBe('agree');
    // What is named need not be shown.
    expect(shell.type(`holdfast approve --for ${first}`).code).toBe(0);
    const command = 'holdfast reject --feedback "too short"';
    const sentBack = shell.answer(command, /Send this back\? \[y\/N\]/, 'y');
    expect(sentBack.shown).toContain('│ the plan');
    expect(sentBack.code).toBe(0);
    expect(stepOf(box)).toBe('plan');
  });

  it.runIf(hasTmux)(
    'in a terminal, yes is for what was shown, not for what waits by then',
    () => {
      const box = atFirst();
      const shell = openShell(box);
      const late = shell.answer(
        'holdfast approve',
        /Approve this\?/,
        'y',
        () => {
          box.run(['pivot', 'plan', '--feedback', 'a better idea'], {
            session,
          });
          box.run(['advance', '--output', 'delete everything'], { session });
        },
      );
      expect(late.shown.replaceAll('\n', '')).toContain(
        'by now step 2 of 5 (agree) waits',
      );
      expect(late.code).toBe(1);
      expect(stepOf(box)).toBe('agree');
    },
  );
});

test('--by is kept in the history, on one line and not for ever', () => {
  const box = atFirst();
  box.run([
    'approve',
    '--by',
    'Ann\u202E,\nin the release channel',
    '--note',
    'ship it',
  ]);
  box.run(['reject', '--by', 'Ben', '--feedback', 'not yet']);
  const { stdout } = box.run(['history']);
  expect(stdout).toContain(
    'the user ("Ann , in the release channel") approved agree: "ship it"',
  );
  expect(stdout).toContain(
    'the user (Ben) rejected sign and sent the work back to plan: "not yet"',
  );
  expect(answersIn(box)).toMatchObject([
    {
      who: 'Ann , in the release channel',
      wait: expect.stringMatching(/^agree@/),
    },
    { who: 'Ben', wait: expect.stringMatching(/^sign@/) },
  ]);
  const long = box.run(['approve', '--by', 'x'.repeat(101)], { code: 2 });
  expect(long.stderr).toContain('at most 100 characters');
});

describe('what a session was told', () => {
  const toldTo = (box: Sandbox, id = session): unknown =>
    box.json(['status', '--look', '--module', '1'], { session: id });

  it('is what waited at its last status, advance or restore, not what waits by now', () => {
    const box = atFirst();
    const first = waitOf(box);
    expect(toldTo(box)).toMatchObject({ wait: first, toldWait: first });
    box.run(['approve']);
    const second = waitOf(box);
    box.run(['todo', 'add', 'something'], { session });
    box.run(['status'], { session: 's2' });
    expect(toldTo(box)).toMatchObject({ wait: second, toldWait: first });
    box.run(['status'], { session });
    expect(toldTo(box)).toMatchObject({ wait: second, toldWait: second });
    box.run(['reject', '--feedback', 'too short']);
    box.run(['advance', '--output', 'the plan'], { session });
    const third = waitOf(box);
    expect(toldTo(box)).toMatchObject({ wait: third, toldWait: third });
    box.run(['approve']);
    sessionStart(box, session, 'resume');
    expect(toldTo(box)).toMatchObject({
      wait: waitOf(box),
      toldWait: waitOf(box),
    });
  });

  it('is also told by the guidance that a compaction still owes at the next prompt', () => {
    const box = atFirst();
    preCompact(box, session);
    hook(box, 'postcompact-auto', { session_id: session });
    box.run(['approve']);
    expect(toldTo(box)).not.toMatchObject({ toldWait: waitOf(box) });
    const { stdout } = hook(box, 'userpromptsubmit', { session_id: session });
    expect(stdout).toContain('step 3 of 5 (sign)');
    expect(toldTo(box)).toMatchObject({ toldWait: waitOf(box) });
  });

  it('is told to the session that follows by /clear, or that resumes the run', () => {
    const box = atFirst();
    const first = waitOf(box);
    hook(box, 'sessionend-clear', { session_id: session });
    sessionStart(box, 's2', 'clear');
    expect(toldTo(box, 's2')).toMatchObject({ toldWait: first });
    box.run(['release'], { session: 's2' });
    box.run(['resume', 'flow'], { session: 's3' });
    expect(toldTo(box, 's3')).toMatchObject({ toldWait: first });
  });

  it('is told by the tools as well, which name what waits', async () => {
    const box = atFirst();
    box.run(['approve']);
    const { reply } = await openServer(box, { session });
    expect(await reply('workflow_status')).toMatchObject({ wait: waitOf(box) });
    expect(toldTo(box)).toMatchObject({ toldWait: waitOf(box) });
  });
});

test('a driver that stops for an approval names what waits, and the answer moves the run', () => {
  const box = drivenProject({ '.claude/holdfast/workflows/flow.yaml': FLOW });
  const stopped = box.stop(['--template', 'flow'], 3);
  expect(stopped).toMatchObject({ reason: 'approval', wait: waitOf(box) });
  box.run([
    'approve',
    String(stopped['run']),
    '--for',
    String(stopped['wait']),
    '--by',
    'CI',
  ]);
  expect(stepOf(box)).toBe('sign');
});
