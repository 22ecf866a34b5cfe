import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { sessionStart } from '../support/hooks.ts';

const S1 = { session: 's1' };

function started(steps: string, more = ''): Sandbox {
  const box = sandbox({ 't.yaml': `name: Steps\ndescription: d\nsteps:\n${steps}${more}` });
  box.run(['start', '--template', 't.yaml', 'the summary'], S1);
  return box;
}

const restored = (box: Sandbox): string => sessionStart(box, 's1', 'compact').context;

test('an output that the instructions embed is not given again', () => {
  const box = started(
    `  - {id: plan, type: action, instructions: Plan it}
  - {id: polish, type: ralph, n: 2, instructions: Polish it}
  - {id: build, type: action, instructions: "Build {outputs.plan} with {outputs.polish}"}
`,
    'transitions: [{from: polish, to: build, context: keep, preserve: [plan, polish]}]\n',
  );
  for (const output of ['THE-PLAN', 'POLISH-1', 'POLISH-2'])
    box.run(['advance', '--output', output], S1);
  const text = restored(box);
  expect(text).toContain('> Build THE-PLAN with POLISH-2');
  expect(text).toContain('output of polish.1: POLISH-1');
  expect(text.split('THE-PLAN')).toHaveLength(2);
  expect(text.split('POLISH-2')).toHaveLength(2);
});

test('a step is given with its agent, and after a clear with what its loop handed on since', () => {
  const box = started(
    `  - {id: plan, type: action, instructions: Plan it}
  - {id: build, type: loop, agent: builder}
`,
    `agents: {builder: {description: Builds}}
loops: {build: [{id: code, instructions: "Code {task.title}"}]}
transitions: [{from: plan, to: build, context: clear}]
`,
  );
  box.run(['advance', '--output', 'THE-PLAN', '--artefact', 'docs/plan.md'], S1);
  box.run(['tasks', 'build', '--file', '-'], { ...S1, input: 'A\nB\n' });
  box.run(['context', '--done'], S1);
  const cleared = restored(box);
  expect(cleared).toContain('\nDelegate this step to the agent "builder".\n> Code A\n');
  expect(cleared).toContain('files of plan: docs/plan.md');
  expect(cleared).not.toContain('THE-PLAN');
  box.run(['advance', '--output', 'A is done'], S1);
  expect(restored(box)).toContain('output of build.1.code: A is done');
});
