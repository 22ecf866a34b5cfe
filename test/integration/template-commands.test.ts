import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/cli.ts';

const FOLDER = '.claude/holdfast/workflows';

test('templates show draws the steps, templates new writes a valid template', () => {
  const { run, json } = sandbox();
  expect(run(['templates', 'show', 'qa-loop']).stdout).toContain(
    '├─ 3 again: Look again',
  );
  expect(json(['templates', 'new', 'My release'])).toEqual({
    path: `${FOLDER}/my-release.yaml`,
    id: 'my-release',
    replaces_built_in: false,
  });
  expect(run(['templates', 'new', 'bugfix']).stdout).toContain(
    'In this project it replaces the built-in template "bugfix".\n',
  );
  expect(run(['validate']).stdout).toBe(
    '2 files checked, no problems found.\n',
  );
  run(['start', '--template', 'my-release']);
});

test('the autopilot is switched by a command that the agent may not call unasked', () => {
  const { run, json } = sandbox();
  run(['start', '--template', 'feature', 'search']);
  expect(run(['context', '--perform', 'auto'], { code: 2 })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown option '--perform'"),
  });
  expect(run(['autopilot', 'ask']).stdout).toMatch(
    /^search-\S+ asks before each \/compact/,
  );
  expect(json(['show', 'search'])).toMatchObject({ run: { perform: 'ask' } });
  expect(json(['autopilot', 'auto', 'search'])).toMatchObject({
    perform: 'auto',
  });
  expect(json(['show', 'search'])).toMatchObject({ run: { perform: 'auto' } });
  run(['autopilot', 'never'], { code: 2 });
  run(['autopilot'], { code: 2 });
});

describe('a run that waits for approval', () => {
  const waits = `name: Ask
description: x
inputs: { area: { required: true } }
steps:
  - { id: plan, type: action, instructions: 'Plan {inputs.area}.' }
  - { id: docs, type: action, when: state.inputs.area == "docs", instructions: Write. }
  - { id: agree, type: approval, instructions: 'Look at {outputs.plan}.' }
  - { id: build, type: action, instructions: Build. }
`;

  function waiting(): ReturnType<typeof sandbox> {
    const box = sandbox({ [`${FOLDER}/ask.yaml`]: waits });
    const { stdout } = box.run([
      'start',
      '--template',
      'ask',
      '--set',
      'area=shop',
    ]);
    expect(stdout).toContain('Plan shop.');
    box.run(['advance', '--output', 'plan.md']);
    return box;
  }

  test('shows what it waits for, and which step it passed by, and is answered by no agent', () => {
    const { run, json } = waiting();
    const { stdout } = run(['status']);
    expect(stdout).toContain("waiting for the user's approval");
    expect(stdout).toContain('Look at plan.md.');
    expect(stdout).toContain('– docs');
    expect(stdout).toContain('Next: you decide: holdfast approve');
    expect(json(['status'])).toMatchObject({
      step: { stepType: 'approval', passedBy: ['docs'] },
    });
    run(['advance'], { code: 1 });
    expect(run(['guidance']).stdout).toContain(
      "This step waits for the user's approval",
    );
    for (const [args, env] of [
      [['--session', 's1'], {}],
      [[], { CLAUDECODE: '1' }],
      [[], { CLAUDE_CODE_SESSION_ID: 's1' }],
    ] as const) {
      run(['approve', ...args], { code: 1, env });
      expect(
        json(['reject', '--feedback', 'x', ...args], { code: 1, env }),
      ).toMatchObject({
        error: { code: 'approval_from_agent' },
      });
    }
    expect(json(['status'])).toMatchObject({ step: { step: 'agree' } });
  });
});
