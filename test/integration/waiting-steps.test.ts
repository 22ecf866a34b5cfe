import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  builtPackage,
  runOther,
  sandbox,
  type Result,
  type Sandbox,
} from '../support/cli.ts';
import { preCompact, sessionStart, type Started } from '../support/hooks.ts';

const session = 's1';

/** The run is at the approval, a terminal has another one, so commands have to name the run. */
function atApproval(): { box: Sandbox; id: string } {
  const box = sandbox({
    '.claude/holdfast/workflows/ap.yaml': `name: ap
description: d
steps:
  - { id: one, type: action, instructions: o }
  - { id: ask, type: approval, instructions: l }
  - { id: work, type: loop }
  - { id: fresh, type: action, instructions: f, context: clear }
loops:
  work:
    - { id: sub, instructions: d }
`,
  });
  box.run(['start', '--template', 'ap', 's'], { session });
  box.run(['start', 'Other']);
  box.run(['advance'], { session });
  return { box, id: idOf(box) };
}

function atLoop(): { box: Sandbox; id: string } {
  const { box, id } = atApproval();
  expect(box.run(['approve', id])).toMatchObject({ code: 0 });
  return { box, id };
}

function idOf(box: Sandbox): string {
  const { run } = box.json(['status'], { session }) as {
    run: { run_id: string };
  };
  return run.run_id;
}

function compacted(box: Sandbox): Started {
  preCompact(box, session);
  return sessionStart(box, session, 'compact');
}

describe('at a step that waits', () => {
  it('for an approval, every line for the user says how to answer, and the command works as it stands', () => {
    const { box, id } = atApproval();
    const answer = `holdfast approve ${id}, or holdfast reject ${id} --feedback "…"`;
    for (const { userLine, context } of [
      compacted(box),
      sessionStart(box, session, 'resume'),
      sessionStart(box, session, 'clear'),
    ]) {
      expect(userLine).toContain(
        'it waits for your answer: /holdfast:approve or /holdfast:reject ',
      );
      expect(userLine).toContain(`; in a terminal ${answer}`);
      expect(userLine).not.toContain('advance');
      expect(context).not.toContain('When done');
    }
    expect(compacted(box).context).not.toContain('holdfast approve');
    expect(box.run(['approve', id])).toMatchObject({ code: 0 });
  });

  /** By the plain command, which runs the registered hook. */
  function fire(box: Sandbox, event: string, fields: object, env = {}): Result {
    const input = {
      hook_event_name: event,
      session_id: session,
      cwd: box.root,
      ...fields,
    };
    return runOther(
      process.execPath,
      [`${builtPackage}/bin/holdfast.cjs`, 'hook', event],
      {
        code: 'any',
        cwd: box.root,
        input: JSON.stringify(input),
        env: {
          PATH: process.env['PATH'],
          HOME: box.home,
          CLAUDE_CODE_SESSION_ID: session,
          ...env,
        },
      },
    );
  }

  it('for an approval, the idle client is woken once it is answered elsewhere', () => {
    const { box, id } = atApproval();
    const [path] = JSON.parse(sessionStart(box, session, 'resume').stdout)
      .hookSpecificOutput.watchPaths as string[];
    const changed = (expected: number): string => {
      const { code, stderr } = fire(box, 'FileChanged', { file_path: path });
      expect(code).toBe(expected);
      return stderr;
    };
    expect(changed(0)).toBe('');
    box.run(['approve', id]);
    expect(existsSync(path ?? '')).toBe(true);
    const woken = changed(2);
    expect(woken).toContain('`holdfast status`');
    expect(woken).not.toMatch(/approval|approved/i);
    expect(changed(0)).toBe('');
    // The module looks at the run by itself.
    box.run(['reject', id, '--feedback', 'x'], { code: 1 });
    box.run(['pivot', 'one', '--feedback', 'x'], { session });
    box.run(['advance'], { session });
    box.run(['status', '--look', '--json', '--module', '1'], { session });
    box.run(['approve', id]);
    expect(existsSync(path ?? '')).toBe(false);
  });

  it('for its tasks or a /clear, every text names the command that is due', () => {
    const { box, id } = atLoop();
    expect(box.run(['advance', id], { code: 1 }).stderr).toContain(
      `\`holdfast tasks work --run ${id}\``,
    );
    const after = compacted(box);
    expect(after.context).toContain(
      `Once the tasks of this step are known: holdfast tasks work --run ${id}`,
    );
    const resumed = sessionStart(box, session, 'resume');
    expect(resumed.context).toContain('holdfast tasks work');
    for (const { userLine, context } of [after, resumed]) {
      expect(context).not.toContain('When done');
      expect(userLine).toContain(
        'type "continue" to go on, its step waits for tasks',
      );
      expect(userLine).not.toContain('advance');
    }
    const input = JSON.stringify([{ id: 't', title: 'T' }]);
    const given = box.run(['tasks', 'work', '--run', id, '--file', '-'], {
      session,
      input,
    });
    expect(given).toMatchObject({ code: 0 });
    expect(compacted(box).context).toContain(
      `When done: holdfast advance ${id}`,
    );
    expect(box.run(['advance'], { session }).stdout).toContain('/clear');
    for (const { userLine, context } of [
      compacted(box),
      sessionStart(box, session, 'resume'),
    ]) {
      expect(userLine).toContain(
        'type /clear, with which its step begins, then "continue"',
      );
      expect(context).toContain(
        '/clear was asked for; it has not happened yet.',
      );
    }
  });
});
