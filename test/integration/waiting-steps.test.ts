import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
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
  const { run } = box.json(['status'], { session }) as { run: { run_id: string } };
  return run.run_id;
}

function compacted(box: Sandbox): Started {
  preCompact(box, session);
  return sessionStart(box, session, 'compact');
}

describe('at a step that waits', () => {
  it('for an approval, every text says how the user answers, and the command works as it stands', () => {
    const { box, id } = atApproval();
    const answer = `holdfast approve ${id}, or holdfast reject ${id} --feedback "…"`;
    for (const { userLine, context } of [
      compacted(box),
      sessionStart(box, session, 'resume'),
      sessionStart(box, session, 'clear'),
    ]) {
      expect(userLine).toContain(`it waits for your answer in a terminal: ${answer}`);
      expect(userLine).not.toContain('advance');
      expect(context).not.toContain('When done');
    }
    expect(compacted(box).context).toContain(answer);
    expect(box.run(['approve', id])).toMatchObject({ code: 0 });
  });

  it('for an approval, everything that the session prints names the run for the terminal of the user', () => {
    const { box, id } = atApproval();
    const commands = [
      ['status'],
      ['advance'],
      ['fail', '--reason', 'x'],
      ['skip', '--reason', 'x'],
      ['approve'],
      ['reject', '--feedback', 'x'],
    ];
    for (const command of commands) {
      const code = command[0] === 'status' ? 0 : 1;
      const { stdout, stderr } = box.run(command, { code, session });
      const answers = `${stdout}${stderr}`.match(/holdfast (?:approve|reject)\S*(?: \S+)?/g) ?? [];
      expect(answers, command.join(' ')).not.toEqual([]);
      for (const answer of answers) expect(answer).toMatch(new RegExp(` ${id}\\W*$`));
    }
  });

  it('for an approval, skip says how the user answers', () => {
    const { box } = atApproval();
    const { stderr } = box.run(['skip', '--reason', 'x'], { code: 1, session });
    expect(stderr).toContain('holdfast approve');
    expect(stderr).not.toContain('advance');
  });

  it('for its tasks, a refusal in a terminal names the run', () => {
    const { box, id } = atLoop();
    expect(box.run(['advance', id], { code: 1 }).stderr).toContain(
      `\`holdfast tasks work --run ${id}\``,
    );
  });

  it('for its tasks, every text names the command that gives them', () => {
    const { box, id } = atLoop();
    const after = compacted(box);
    expect(after.context).toContain(
      `Once the tasks of this step are known: holdfast tasks work --run ${id}`,
    );
    const resumed = sessionStart(box, session, 'resume');
    expect(resumed.context).toContain('holdfast tasks work');
    for (const { userLine, context } of [after, resumed]) {
      expect(context).not.toContain('When done');
      expect(userLine).toContain('type "continue" to go on, its step waits for tasks');
      expect(userLine).not.toContain('advance');
    }
    const input = JSON.stringify([{ id: 't', title: 'T' }]);
    const given = box.run(['tasks', 'work', '--run', id, '--file', '-'], { session, input });
    expect(given).toMatchObject({ code: 0 });
    expect(compacted(box).context).toContain(`When done: holdfast advance ${id}`);
  });

  it('for /clear, the user is told to type it, and so is a session that is resumed', () => {
    const { box } = atLoop();
    const input = JSON.stringify([{ id: 't', title: 'T' }]);
    box.run(['tasks', 'work', '--file', '-'], { session, input });
    expect(box.run(['advance'], { session }).stdout).toContain('/clear');
    for (const { userLine, context } of [compacted(box), sessionStart(box, session, 'resume')]) {
      expect(userLine).toContain('type /clear, with which its step begins, then "continue"');
      expect(context).toContain('/clear was asked for; it has not happened yet.');
    }
  });
});
