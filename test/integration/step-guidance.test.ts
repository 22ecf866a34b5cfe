import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { sessionStart } from '../support/hooks.ts';

const S1 = { session: 's1' };

function started(steps: string, more = ''): Sandbox {
  const box = sandbox({
    't.yaml': `name: Steps\ndescription: d\nsteps:\n${steps}${more}`,
  });
  box.run(['start', '--template', 't.yaml', 'the summary'], S1);
  return box;
}

const restored = (box: Sandbox): string =>
  sessionStart(box, 's1', 'compact').context;

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
