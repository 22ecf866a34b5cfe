import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/cli.ts';
import { writeTree } from '../support/state.ts';
import { stories, story, using } from '../support/story.ts';

const flow = (steps: string[], more = ''): string =>
  `name: Flow\ndescription: Builds it\n${more}steps:\n${steps.map((step) => `  - { ${step} }\n`).join('')}`;
const act = (id: string, fields = ''): string =>
  `id: ${id}, type: action, instructions: Do ${id}.${fields === '' ? '' : `, ${fields}`}`;
const LOOP =
  'loops: { items: [{ id: write, instructions: Write it., on_fail: skip }] }\n';

const ask = (
  review = '',
  after = [act('build', 'context: clear')],
  more = '',
): Record<string, string> => ({
  flow: flow(
    [act('plan'), `id: plan_review, type: approval${review}`, ...after],
    more,
  ),
});
stories(
  'an approval',
  `
# is given by the user, and the context action stays due for the session
${using(ask())}
s1$ start --template flow
s1$ advance
$ approve --note "mind the tests"
  > Approved step 2 of 3 (plan_review).
  > First \`/clear\` has to be typed in the Claude Code session
  = machine.step "build"
  = machine.contextActionExecuted false
  = sessions.current_session_id "s1"
s1$ status
  > Please run \`/clear\` first
$ approve
  ! is not an approval step
$ reject --feedback no
  ! is not an approval step
# cannot be avoided: the agent can neither advance nor fail the step
${using(ask(', on_fail: skip'))}
s1$ start --template flow
s1$ advance
s1$ advance
  ! holdfast approve
s1$ fail --reason slow
  ! holdfast approve
  = machine.step "plan_review"
  = machine.status "running"
# does not skip the gate of its step
${using(ask(", gate: 'exit 4'"))}
s1$ start --template flow
$ trust flow --yes
s1$ advance
$ approve
  ! the gate failed with exit code 4…then approve again
  = machine.step "plan_review"
# that is rejected needs feedback, and past the limit of pivots blocks the run until it is approved
${using(ask('', [act('build')], 'max_pivots: 1\n'))}
s1$ start --template flow
s1$ advance
$ reject --feedback " "
  ! the feedback is blank
$ reject --feedback once
  > Rejected plan_review: the work goes back to plan
  = feedback.0.text "once"
$ history
  > rejected
s1$ advance
  > the user decides: holdfast approve…, or end the run: holdfast complete
$ reject --feedback twice
  ! its template allows 1…holdfast complete
  = phase.status "blocked"
$ status
  > Reason   the work was sent back once, which is all that its template allows
  > Next: …holdfast approve, or end the run: holdfast complete
$ pause flow --reason lunch
$ resume flow
$ status
  > Reason   the work was sent back once
$ guidance flow
  > Phase: 2/3 - plan_review (blocked): "the work was sent back once, which is all
  > This step waits for the user's approval
  - holdfast reject
$ approve
  = phase.status "in_progress"
  = phase.current 3
`,
);

const three = (more = ''): Record<string, string> => ({
  flow: flow([act('plan'), act('code'), act('budget_review')], more),
});
const AT_REVIEW = 's1$ start --template flow\ns1$ advance\ns1$ advance\n';
stories(
  'a pivot',
  `
# keeps the feedback with where it came from, until its step is finished
${using(three())}
${AT_REVIEW}
s1$ pivot plan --feedback "Too dear."
  > Went back from step 3 of 3 (budget_review) to plan
  = feedback.0.tag "BUDGET_PIVOT_FEEDBACK"
  = phase.current 1
s1$ status
  > [BUDGET_PIVOT_FEEDBACK]:** Too dear.
  > Work done since then may have to be reverted.
s1$ advance
s1$ status
  - Too dear.
# keeps the feedback while the run goes back further, and until it comes through again
${using(three())}
${AT_REVIEW}
s1$ pivot code --feedback "Halve it."
s1$ pivot plan --feedback "The plan is at fault."
s1$ advance
s1$ status
  > Halve it.
  - at fault
s1$ advance
s1$ status
  - Halve it.
# asks for the context action of its way
${using(three('transitions: [{ from: budget_review, to: plan, context: clear }]\n'))}
${AT_REVIEW}
s1$ pivot plan --feedback x
  > Please run \`/clear\` first
`,
);

stories(
  'a loop',
  `
# that is given no tasks before it is reached is skipped then, until the run goes back before it
${using({ flow: flow([act('plan'), 'id: items, type: loop', act('end')], LOOP) })}
s1$ start --template flow
s1$ tasks items < []
  = skipped
s1$ advance
  = phase.current 3
  = skipped {"2": "no tasks"}
s1$ status
  > ✓ plan  ↷ items (skipped)  ▸ end
s1$ pivot plan --feedback "there are items now"
  = skipped
# has the reason of a task that failed, while the others go on
${using({ flow: flow(['id: items, type: loop'], LOOP) })}
s1$ start --template flow
s1$ tasks items < one\\ntwo
s1$ fail --reason "no key"
s1$ status
  > [!] one (failed: no key)
# with a gate is not skipped by an empty list that comes early
${using({ flow: flow([act('plan'), "id: items, type: loop, gate: 'false'", act('end')], LOOP) })}
s1$ start --template flow
s1$ tasks items < []
  ! step "items" has a gate, so an empty list or a task given as done cannot skip it
  = machine.step "plan"
`,
);

stories(
  'a failure',
  `
# of a phase is told with the number of tries until the phase is left
s1$ start Shop --phases Design,Build
s1$ fail --reason "no database"
  > Phase 1/2 Design is blocked.
  > Next: resolve the blocker, then holdfast advance
s1 compacts
  > Phase: 1/2 - Design (blocked), failed once: "no database"
s1$ update --status in_progress
s1$ fail --reason "no network"
  > Phase 1/2 Design is blocked; it has failed 2 times.
s1$ status
  > Failed   2 times, the last time: "no network"
s1 compacts
  > Phase: 1/2 - Design (blocked), failed 2 times, the last time: "no network"
s1$ advance
  > Finished phase 1/2 Design (it was blocked: "no network").
  = failure
s1 compacts
  > Phase: 2/2 - Build (in_progress)
# of a step that its template skips is the reason, and the action of the next one is asked for
${using({ flow: flow([act('plan', 'on_fail: skip'), act('end', 'context: clear')]) })}
s1$ start --template flow
s1$ fail --reason "no network"
  > Please run \`/clear\` first
s1$ context --done
s1$ guidance
  > Skipped, not done: 1 - plan (no network)
`,
);

stories(
  'a skip',
  `
# of the last phases ends the run without them being done
$ start Shop --phases A,B
$ skip --reason x
$ skip --reason y
  > Completed Shop
$ status shop
  > ↷ A (skipped)  ↷ B (skipped)
$ reopen shop
  = phase.current 2
  = phase.status "in_progress"
  = skipped {"1": "x"}
$ advance
  > Finished phase 2/2 B
# of a step is of the current one, and not where its loop has a gate
${using({
  flow: flow(
    ['id: items, type: loop', act('ship')],
    "loops: { items: [{ id: code, instructions: x, gate: 'true' }] }\n",
  ),
})}
s1$ start --template flow
s1$ skip --phase 2 --reason x
  ! cannot be skipped in advance
s1$ skip --reason x
  ! has a gate, so it
  = machine.step "items"
`,
);

const PASSES = {
  flow: flow([act('plan', "gate: 'sh gate.sh'"), act('build')]),
};
const outside = `env -u HOLDFAST_GATE node ${binary}`;
stories(
  'a gate',
  `
# locks nothing: what others write while it runs is kept
${using(PASSES)}
write gate.sh ${outside} update flow --remind "be brief"
s1$ start --template flow
$ trust flow --yes
s1$ advance
  = key_reminders ["be brief"]
  = machine.step "build"
# moves no run that somebody else has moved meanwhile
${using(PASSES)}
write gate.sh test -e go || { touch go; ${outside} advance flow; }
s1$ start --template flow
$ trust flow --yes
s1$ advance
  ! was advanced by another process while its gate ran
  = machine.step "build"
# under \`until\` ends the iterations once it exits 0, and is told in the history
${using({
  flow: flow([
    "id: again, type: ralph, n: 3, instructions: x, until: 'test -e green || { echo two tests fail; exit 3; }'",
    act('end'),
  ]),
})}
s1$ start --template flow
  ~ holdfast trust flow
s1$ advance
  ! is not trusted to run commands here
$ trust flow --yes
s1$ advance
  > two tests fail
  = machine.ralphIteration 2
write green x
s1$ advance
  = machine.step "end"
$ history --json
  > "met": false
  > "met": true
`,
);

stories(
  'a step that',
  `
# must leave files is not finished while one is missing, but by force, and then it does not count as made
${using({ flow: flow([act('plan', 'artefacts: [docs/plan.md, docs/risks.md]'), act('build')]) })}
write docs/plan.md x
s1$ start --template flow
s1$ advance
  ! must leave docs/risks.md
  = machine.step "plan"
s1$ advance --force
  = machine.step "build"
  = machine.artefacts {"plan": ["docs/plan.md"]}
s1 compacts
  > files of plan: docs/plan.md
  - risks.md
`,
);

test('a step that leaves what the session writes records the files of the project, of its own time', () => {
  const box = story('s1$ start --template flow', {
    flow: flow([act('plan', 'artefacts: true, on_fail: retry'), act('build')]),
    'a.md': '',
    'b.md': '',
    'old.md': '',
  });
  const call = (name: string, path: string, minutes = 0): string =>
    JSON.stringify({
      type: 'assistant',
      timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
      message: {
        content: [
          {
            type: 'tool_use',
            id: path,
            name,
            input: { file_path: join(box.root, path) },
          },
        ],
      },
    });
  const lines = [
    call('Write', 'old.md', 60),
    call('Write', 'a.md'),
    call('Read', 'old.md'),
    call('Edit', 'b.md'),
    call('Write', '../outside.md'),
    call('Write', 'gone.md'),
    'not JSON',
  ];
  writeTree(box.home, {
    '.claude/projects/some-folder/s1.jsonl': `${lines.join('\n')}\n`,
  });
  // A retry is not a new entry.
  box.run(['fail', '--reason', 'x'], { session: 's1' });
  expect(box.json(['advance'], { session: 's1' })).toMatchObject({
    step: { artefacts: { plan: ['a.md', 'b.md'] } },
  });
});

const INPUTS = `name: Deploy
description: Brings it to the servers
inputs:
  target: { description: where it goes, required: true }
  region: { required: true }
  count: { default: 3 }
steps:
  - { id: build, type: action, when: state.inputs.target != "docs", instructions: Build }
  - { id: check, type: action, when: state.context.risky == true, instructions: Check }
  - { id: ship, type: action, when: state.inputs.count > 0, instructions: Ship }
`;
stories(
  'the inputs of a template',
  `
# are values of --set that it declares; the others are facts of the run
$ start --template deploy --set target=staging --set region='["a"]' --set risky=true
  = machine.inputs {"target": "staging", "region": "[\\"a\\"]", "count": 3}
  = context {"risky": true}
  = machine.step "build"
# that are required and missing refuse the start, all of them named
$ start --template deploy --set target=
  ! "Deploy" needs the input "target" ("where it goes"), the input "region"; add --set target=<value> --set region=<value>
# decide with the facts where the run begins
$ start --template deploy --set target=docs --set region=eu --set risky=true
  = phase.current 2
  = machine.passedBy ["build"]
# that leave no step to do refuse the start
$ start --template deploy --set target=docs --set region=eu --set count=0
  ! no step of "Deploy" applies
`,
  { deploy: INPUTS },
);

const due = (trigger: string, fields = ''): string =>
  `critical_artifacts: { phase_specific: [{ id: spec, type: markdown, path: docs/spec.md, reload_triggers: ['${trigger}']${fields} }] }\n`;
const SPEC = { 'docs/spec.md': 'SPEC' };
stories(
  'an artifact',
  `
${[
  ['skip --reason x', act('first')],
  ['fail --reason x', act('first', 'on_fail: skip')],
  ['tasks items < []', 'id: items, type: loop'],
]
  .map(
    ([move = '', first = '']) => `# is given by ${move}
${using({ ...SPEC, flow: flow([first, act('second')], due('phase_start:second') + LOOP) })}
s1$ start --template flow
s1$ ${move}
  > SPEC
  = context_metadata.artifacts_in_context.0.load_trigger "phase_start:second"`,
  )
  .join('\n')}
# stays due for the session if a person approves, until it has it
${using({
  ...SPEC,
  flow: flow(
    ['id: first, type: approval', act('second'), act('third')],
    due('phase_start:second'),
  ),
})}
s1$ start --template flow
$ approve
  > Due at this step: spec
  = context_metadata.artifacts_due ["spec"]
s1$ prime --artifacts spec
  > SPEC
s1$ advance
  = context_metadata.artifacts_due
# is named only by ids that artifacts can have
${using({ ...SPEC, flow: flow([act('first')], due('manual')) })}
s1$ start --template flow
edit {"context_metadata": {"artifacts_due": ["spec", "x; rm -rf y", ""]}}
s1$ status
  > --artifacts spec
  - rm -rf
# is not loaded if its condition cannot be read, and that is said
${using(SPEC)}
s1$ start Shop --phases A,B
edit {"critical_artifacts": {"phase_specific": [{"id": "spec", "type": "markdown", "path": "docs/spec.md", "required": true, "condition": "state.x ==", "reload_triggers": ["phase_transition"]}], "odd": 1}}
s1$ advance
  - SPEC
  ~ artifact spec is not loaded: the condition "state.x ==" cannot be read: it ends too early
  ~ odd
`,
);
