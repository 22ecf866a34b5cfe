import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { binary } from '../support/cli.ts';
import {
  type Driven,
  drivenProject,
  runId,
  START,
  stopOf,
  template,
  WORKFLOWS,
} from '../support/driven.ts';
import { onlyRun } from '../support/state.ts';

const APPROVED = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: sign, type: approval}
  - {id: ship, type: action, context: clear, instructions: SHIP}
`);

const LOOP = {
  [`${WORKFLOWS}/release.yaml`]:
    'name: Release\ndescription: d\nsteps:\n  - {id: build, type: loop, context: clear}\nloops:\n  build: [{id: code, instructions: CODE}]\n',
};

const nextLine = (output: string): string =>
  /^Next: (.*)$/m.exec(output)?.[1] ?? '';
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The command between the first pair of backticks, as the user would type it. */
const typed = (box: Driven, hint: unknown, input = ''): string => {
  const [, command = ''] = /`([^`]*)`/.exec(String(hint)) ?? [];
  const shell = `holdfast() { "$NODE" "$BINARY" "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', shell], {
    cwd: box.root,
    env: { HOME: box.home, ...box.env, NODE: process.execPath, BINARY: binary },
    input,
    encoding: 'utf8',
  });
};

describe('after a driven run has stopped', () => {
  it.each([
    ['approve', [], 0],
    ['reject', ['--feedback', 'too short'], 3],
  ])('%s names the command that drives it on', (command, words, code) => {
    const box = drivenProject(APPROVED);
    expect(box.drive(START, { code: 3 }).stderr).toContain(
      `holdfast approve ${runId(box)}`,
    );
    const answered = box.run([command, runId(box), ...words]);
    expect(nextLine(answered.stdout)).toBe(`holdfast run ${runId(box)}`);
    box.script([[], []]);
    box.drive([runId(box)], { code });
  });

  it('an approval of a run that a session works on is told to that session', () => {
    const box = drivenProject(
      template(
        '  - {id: sign, type: approval}\n  - {id: ship, type: action, instructions: SHIP}\n',
      ),
    );
    box.run(['start', '--template', 'release'], {
      env: { CLAUDE_CODE_SESSION_ID: 'at-work' },
    });
    expect(flat(box.run(['approve']).stdout)).toContain(
      'Next: tell the session that works on the run',
    );
  });

  it('resume of a failed run names the command that drives it on', () => {
    const box = drivenProject(APPROVED);
    box.script([[{ run: 'holdfast fail --reason broken' }]]);
    const failed = box.drive([...START, '--json'], { code: 1 });
    expect(stopOf(box, failed)).toMatchObject({ reason: 'failed' });
    const resumed = box.run(['resume', runId(box)]);
    expect(nextLine(resumed.stdout)).toBe(`holdfast run ${runId(box)}`);
    box.drive([runId(box)], { code: 3 });
  });

  it('tasks are given with the command that it prints, and asks a terminal for no /clear', () => {
    const box = drivenProject(LOOP);
    const hint = box.stop(START, 3)?.['hint'];
    expect(hint).toContain(
      `\`holdfast tasks build --run ${runId(box)} --file -\``,
    );
    const output = typed(box, hint, 'one\ntwo\n');
    expect(output).not.toContain('/clear');
    expect(nextLine(output)).toBe(`holdfast run ${runId(box)}`);
    expect(onlyRun(box.root).machine).toMatchObject({
      contextActionExecuted: false,
    });
    box.drive([runId(box)]);
    expect(box.calls('start')).toHaveLength(2);
  });
});
