import { expect, test } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { stories, using } from '../support/story.ts';

const FLOW = `name: Flow
description: Builds it
agents: { builder: { description: Builds } }
steps:
  - { id: plan, type: action, instructions: Plan it. }
  - { id: agree, type: approval, instructions: Look at the plan. }
  - { id: build, type: action, instructions: Build it., agent: builder, context: compact }
  - { id: work, type: loop }
loops: { work: [{ id: do, instructions: Do it. }] }
`;
const RULES = `critical_artifacts:
  conditional_load:
    - { id: rules, type: markdown, path: docs/rules.md, reload_triggers: [phase_start:build], required: true }
`;

stories(
  'a text has one reader:',
  `
# an approval is explained to the agent, and put to the person
${using({ flow: FLOW })}
s1$ start --template flow
s1$ advance
s1$ status
  > Tell the user what to look at and how to answer
  > Next: the user decides: holdfast approve
$ status
  > > Look at the plan.
  > Next: you decide: holdfast approve
  - Tell the user
  - the user decides
$ list
  > waits for your approval
s1 compacts
  > This step waits for the user's approval: name what there is to look at, then stop.
  - holdfast approve
  - /holdfast:approve
$ approve
  - Tell the user
  - the user
# an agent is named to the person, and given the step by the agent
${using({ flow: FLOW })}
s1$ start --template flow
s1$ advance
$ approve
s1$ status
s1$ status
  > Agent    builder (delegate it)
$ status
  > Agent    builder
  - delegate
  > /compact was asked for; it has not happened yet. It has to be typed in the session that works on the run.
  - Only the user
# what sends the work back again and again is a question to the person
${using({ flow: FLOW })}
s1$ start --template flow
s1$ advance
$ reject --feedback one
s1$ advance
$ reject --feedback two
s1$ advance
$ reject --feedback three
s1$ status
  > tell the user what keeps sending it back
$ status
  > This run went back 3 times, of 6 that its template allows.
  - tell the user
# tasks are asked of the agent by the tool, and of the person by the command
${using({ flow: FLOW })}
s1$ start --template flow
s1$ skip
$ approve
s1$ advance
s1$ status
  > workflow_set_tasks
$ status
  - workflow_set_tasks
  > Next: holdfast tasks work
# what is due at a step is loaded by the agent, and named to the person
${using({ flow: FLOW + RULES, 'docs/rules.md': 'RULES' })}
s1$ start --template flow
s1$ advance
$ approve
$ status
  - prime
`,
);

stories(
  'the end of a run',
  `
# names the phases that were skipped
s1$ start Shop --phases Design,Build,Docs
s1$ skip --phase 2 --reason "exists already"
s1$ advance
s1$ advance
  > Completed Shop
  > Skipped: 2 - Build (exists already).
s1$ start Blog --phases A,B
s1$ advance
s1$ complete
  - Skipped
`,
);

stories(
  'a reply says what is new, not',
  `
# that a failure is kept
s1$ start Shop --phases Design,Build
s1$ fail --reason slow
  > Phase 1/2 Design is blocked.
  - every session
`,
);

test.each([
  ['the module goes on by itself', true],
  ['the person goes on', false],
])('after the context action of a step, %s', (_who, hasModule) => {
  const session = 's1';
  const box = sandbox({
    '.claude/holdfast/workflows/flow.yaml': `name: Flow
description: Builds it
steps:
  - { id: plan, type: action, instructions: Plan it. }
  - { id: build, type: action, instructions: Build it., context: compact }
`,
  });
  box.run(['start', '--template', 'flow'], { session });
  box.run(['advance'], { session });
  const look = ['status', '--look', '--json', '--module', '1.0.0'];
  if (hasModule) box.run(look, { session });
  preCompact(box, session);
  const { userLine } = sessionStart(box, session, 'compact');
  expect(userLine).toContain('holdfast: restored Flow, phase 2/2 - build');
  expect(userLine.includes('type "continue"')).toBe(!hasModule);
});
