import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { archived, onlyRun } from '../support/state.ts';
import { stories, story, using } from '../support/story.ts';

/** Every kind of step, and every kind of failure. */
const SHIP = {
  ship: `name: Ship It
description: Plans, builds and polishes
agents: {builder: {description: Builds}}
max_retries: 1
steps:
  - {id: plan, type: action, phase: Design, instructions: Write the plan., artefacts: [plan.md]}
  - {id: build, type: loop, title: Build it, context: compact, loop: task}
  - {id: polish, type: ralph, n: 2, context: clear, on_fail: skip, instructions: Look again.}
  - {id: report, type: action, instructions: Tell the user.}
loops:
  task:
    - {id: write, agent: builder, on_fail: retry, instructions: 'Write {task.title}.'}
    - {id: review, on_fail: skip, context: clear, instructions: 'Review {task.id}.'}
`,
  'plan.md': 'the plan',
};
const gated = `name: Gated
description: Runs commands
steps:
  - {id: build, type: action, instructions: Build it, gate: 'pwd > ran.txt; test -e ok || { echo not ok; exit 4; }'}
  - {id: hosts, type: loop, gate: 'echo loop >> gates.txt'}
  - {id: end, type: action, instructions: End it}
loops:
  hosts:
    - {id: copy, instructions: Copy it, gate: 'echo copy >> gates.txt'}
`;
const one = (context: string): string =>
  `name: One\ndescription: x\nsteps:\n  - {id: first, type: action, instructions: Begin.}\n  - {id: second, type: action, instructions: Go on., context: ${context}}\n  - {id: third, type: action, instructions: End.}\n`;

stories(
  'start --template',
  `
# by name, by path and of a built-in one
$ start --template ship --json
  @ run.workflow "Ship It"
  @ run.source {"kind": "template", "path": ".claude/holdfast/workflows/ship.yaml"}
  @ step {"step": "plan", "instructions": "Write the plan.", "agent": null, "delegate": false}
  @ context_action
  @ others []
$ start --template .claude/holdfast/workflows/ship.yaml --json
  @ run.workflow "Ship It"
$ start --template default --json
  @ run {"workflow": "Default", "source": {"path": "built-in:default"}}
# mirrors its steps as phases, and keeps the template as it is now
s1$ start --template ship
  = workflow_type "custom"
  = phase {"current": 1, "total": 4, "name": "Design", "status": "in_progress"}
  = phases ["Design", "Build it", "polish", "report"]
  = template.max_retries 1
  = sessions.current_session_id "s1"
# of another template in the session is refused, unless --switch lets go of the run
${using({ one: one('clear') })}
s1$ start --template ship
s1$ start --template one
  ! the same command with --switch
s1$ start --template one --json
  ! --switch
  @ error.code "session_busy"
s1$ start --template one --switch
s1$ status --json
  @ run.workflow "One"
  @ others.0.workflow "Ship It"
  @ others.0.held_by
# used wrongly shows the correct usage
$ start
  !2 --template <name>
$ start --template ship --phases A,B
  !2 the steps of the template are the phases
$ start --template ship --type odd
  !2 argument 'odd' is invalid
  unchanged
`,
  SHIP,
);

stories(
  'a template run',
  `
# goes on with its own template when the file is changed or deleted
s1$ start --template one
write .claude/holdfast/workflows/one.yaml name: One\\nsteps: nothing
s1$ advance --json
  @ step.step "second"
delete .claude/holdfast/workflows
s1$ status --json
  @ step.instructions "Go on."
s1$ advance
s1$ advance
  > Completed One
# reads an output from standard input, and refuses one that is too long to be kept
s1$ start --template one
s1$ advance --output - < ${'x'.repeat(200_001)}
  !2 name it with --artefact
s1$ advance --output - < two\\nlines
  = machine.outputs.first "two\\nlines"
# is not moved by a CLAUDE.local.md of the same name, which only adds to it
s1$ start --template one
write CLAUDE.local.md ## Workflow State\\nWorkflow: One\\nPhase: 3/9 - Elsewhere\\n@docs/spec.md\\nKey Reminders:\\n- be brief\\n
s1 compacts
  = phase.total 3
  = phase.name "first"
  = phases ["first", "second", "third"]
  = machine.step "first"
  = required_reading ["@docs/spec.md"]
  = key_reminders ["be brief"]
# has phases that its template defines
s1$ start --template one
${['--phase 2', '--name x', '--status completed', '--status blocked']
  .map(
    (words) =>
      `s1$ update ${words} --remind x\n! ${words.replace(/ [2x]$/, '')} cannot be used with one-…template defines\nunchanged\n`,
  )
  .join('')}
s1$ advance --name Mine
  ! --name cannot be used with
`,
  { one: one('clear') },
);

const AT_LOOP = 's1$ start --template ship\ns1$ advance\n';
const AT_WRITE = `${AT_LOOP}s1$ tasks task < Login\\nLogout\n`;
const MOVING = [
  'advance ship-it',
  'fail ship-it --reason x',
  'tasks task --run ship-it < x',
];
stories(
  '',
  `
# tasks from standard input are a line each, as in a markdown list
${AT_LOOP}s1$ tasks task < # Tasks\\n\\n- [ ] Login\\n- [x] Design\\n* Logout\\n
  / ^"task" was given 2 tasks\\.$
  = machine.tasks.task.1.title "Logout"
  = machine.tasks.task.2
# tasks that are an empty list skip the loop, and complete the run if it was the last step
${using({
  last: 'name: Last\ndescription: x\nsteps: [{id: l, type: loop}]\nloops: {l: [{id: a, instructions: x}]}\n',
})}
${AT_LOOP}s1$ tasks task --json < []
  @ step.step "polish"
s1$ status
  > (skipped)
s2$ start --template last
s2$ tasks l < []
  > "l" was given no tasks.\\nCompleted Last
# tasks that cannot be read, or are for a loop or from a file that there is not, are refused
${AT_LOOP}s1$ tasks task < ["a", " "]
  ! task 2 has no title
  unchanged
s1$ tasks task
  ! is an empty list
s1$ tasks other < x
  ! no loop "other"; available: task
s1$ tasks other --file no.json
  ! no loop "other"
s1$ tasks task --file no.json
  ! there is no such file
  unchanged
# tasks that are awaited block the run: no context action is asked for, and advance says what to do
${AT_LOOP}s1$ context --json
  @ context_action
s1$ advance
  ! set them with …holdfast tasks task --run
# a failure is retried as often as the template allows without new requests, then the run fails
${AT_WRITE}s1$ fail --reason "no access"
  > sub-step write failed and is tried again (retry 1 of 1).
  > Instructions: Write Login.
  > builder (delegate it)
s1$ fail --reason "still none"
  / failed, and so did the run\\..*\\nNext: holdfast resume ship-it-\\S+$
s1$ status ship-it
  / ^Failed +2 times, the last time: "still none"$
  / ^Status +failed$
  = status "failed"
  = phase.status "blocked"
  = machine.status "failed"
# a failed run is left alone until it is resumed
s1$ start --template ship
s1$ fail --reason "no access"
s1 compacts
  nothing
s9 starts
  nothing
${[...MOVING, 'context ship-it --done'].map((move) => `s1$ ${move}\n! is failed; resume it\n`).join('')}
s1$ status
  / Not active\\n +ship-it-\\S+: failed, "no access"
s2$ resume ship-it --json
  @ run {"status": "in_progress", "phase": {"status": "in_progress"}, "machine": {"status": "running"}}
  @ step {"step": "plan", "instructions": "Write the plan."}
  = status_reason
s2$ advance --json
  @ step.step "build"
# nothing moves a run while it is paused
${AT_WRITE}s1$ pause --reason holidays
${MOVING.map((move) => `s1$ ${move}\n! is paused; resume it with …holdfast resume ship-it-\nunchanged\n`).join('')}
s1$ resume
  > > Write Login.
`,
  SHIP,
);

/** At the second step, whose action was asked for by the advance that led there. */
const ASKED = 's1$ start --template one\ns1$ advance --output begun\n';
/** As another program writes it, if no session had got it yet. */
const DUE = `${ASKED}set machine.contextActionExecuted false\nset machine.contextAction\nset machine.cameFrom\n`;
const actions: [title: string, command: string, text: string][] = [
  [
    'that is due is delivered by the status of the session that holds the run',
    'compact',
    `${DUE}s1$ status --json
       @ step.instructions ""
       @ context_action {"command": "/compact", "state": "requested"}
     s1$ status --json
       @ step.instructions "Go on."`,
  ],
  [
    'is not touched by a look from outside',
    'compact',
    `${DUE}${['$ status', 's2$ status one', '$ context', 's2$ context one', 's1$ context', 's1$ guidance one', '$ show one', 's2$ list'].map((look) => `${look}\nunchanged\n`).join('')}
     s2$ status one --json
       @ step.instructions "Go on."
       @ context_action {"command": "/compact", "state": "due"}`,
  ],
  [
    'that is due is performed by a compaction, and the guidance goes on with the step',
    'compact',
    `${DUE}s1 compacts
       / ^WORKFLOW RESTORED AFTER COMPACTION$
       > Instructions for step 2 of 3 (second)\\n> Go on.
       > - output of first: begun
       - /compact
     $ context --json
       @ context_action {"command": "/compact", "state": "performed"}
     s1$ status --json
       @ step.instructions "Go on."`,
  ],
  ...['clear', 'compact'].map((command): [string, string, string] => [
    'that was asked for is performed by /clear: the next session holds the run and gets all of it',
    command,
    `${ASKED}set machine.summary "log in"
     s1 clears as s2
       > WORKFLOW IN PROGRESS\\n\\nWorkflow: One\\nTemplate: One\\nPhase: 2/3 - second (in_progress)\\n
       > ACTION REQUIRED\\n1. 
       > Instructions for step 2 of 3 (second)\\nThis run is about: log in\\n> Go on.
       > - output of first: begun
       = sessions.current_session_id "s2"
     $ context --json
       @ context_action {"command": "/${command}", "state": "performed"}
     s2$ advance --json
       @ step.step "third"`,
  ]),
  [
    'that is a clear is not performed by a compaction, and the guidance says so',
    'clear',
    `${ASKED}s1 compacts
       > Instructions for step 2 of 3 (second)\\n/clear was asked for; it has not happened yet.
     $ context --json
       @ context_action {"command": "/clear", "state": "requested"}`,
  ],
  [
    'is shown by `context`, and can be marked as done if no hook saw it',
    'clear',
    `${ASKED}s1$ context
       > /clear was asked for
     s1$ context --done
       / ^/clear is recorded as performed for \\S+\\.\\nNext: holdfast status 
     s1$ context
       / ^/clear was done before this step\\.$
     s1$ context --done
       > is recorded as performed
       unchanged
     $ history
       > /clear was reported as done
     s1$ advance
     s1$ context
       / ^This step has no context action\\.$
     s1$ context --done
       ! asks for neither /compact nor /clear`,
  ],
  [
    'of a run that another session holds is not marked as done, named or not',
    'compact',
    `${ASKED}s2$ context --done
       ! has no run of its own…: one-… (held by another session)
     s2$ context one --done
       ! is held by session s1 since
       unchanged`,
  ],
  [
    'before the first step is asked for by start',
    'clear',
    `s1$ start --template first --json
       @ step.instructions ""
       @ context_action {"command": "/clear", "state": "requested"}
     s1$ start --template first --json
       @ step.instructions "Do."
       @ context_action {"command": "/clear", "state": "requested"}`,
  ],
];
const first =
  'name: F\ndescription: x\nsteps: [{id: a, type: action, instructions: Do., context: clear}]\n';
test.each(actions)('a context action %s (%s)', (_title, command, text) => {
  story(text, { one: one(command), first });
});

const START = 's1$ start --template gated\n';
const TRUSTED = `${START}$ trust gated --yes\nwrite ok x\n`;
const NOT_TRUSTED = '! is not trusted to run commands here';
/** What the commands have left behind, after what happens. */
const gates: [
  title: string,
  left: Record<string, string>,
  text: string,
  template?: string,
][] = [
  [
    'of a template that nobody trusted is refused, and nothing of it is run',
    {},
    `${START}s1$ advance
       ${NOT_TRUSTED}
     s1$ trust gated --yes
       ! only a person can trust
     s1$ advance --json
       !
       @ error.code "gate_untrusted"
       = machine.step "build"`,
  ],
  [
    'that fails keeps the run in place and shows its output',
    { 'ran.txt': 'ROOT\n' },
    `${START}$ trust gated --yes
     s1$ advance
       ! the gate failed with exit code 4: …\\nnot ok
       nothing
       unchanged
     s1$ advance --json
       !
       @ error.code "gate_failed"
       @ gate.output "not ok"
       > pwd > ran.txt
       unchanged`,
  ],
  [
    'of a sub-step is passed for each task, that of the loop only on leaving it',
    { 'ran.txt': 'ROOT\n', 'gates.txt': 'copy\ncopy\nloop\n' },
    `${TRUSTED}s1$ advance
       = machine.step "hosts"
     s1$ advance
       ! needs the tasks
     s1$ tasks hosts < a\\nb
     s1$ advance
     s1$ advance
     $ history gated --json
       / "gates": \\[\\s+"echo copy >> gates.txt",\\s+"echo loop >> gates.txt"`,
  ],
  [
    'is not passed by fail',
    {},
    `${START}s1$ fail --reason x
       > failed, and so did the run: its gate cannot be skipped.
       = status "failed"
       = machine.status "failed"
       = machine.step "build"`,
    gated.replace('id: build,', 'id: build, on_fail: skip,'),
  ],
  [
    'is not run once the snapshot in the state was edited: that is another content',
    {},
    `${TRUSTED}set template.max_retries 9
     s1$ advance
       ${NOT_TRUSTED}`,
  ],
  [
    'is that of the template as it was trusted and started, whatever the file says since',
    { 'ran.txt': 'ROOT\n' },
    `${TRUSTED}write .claude/holdfast/workflows/gated.yaml ${gated.replace('ran.txt', 'other.txt').replaceAll('\n', '\\n')}
     s1$ advance
     s1$ start --template gated --switch
     s1$ advance
       ${NOT_TRUSTED}`,
  ],
];
test.each(gates)('a gate %s', (_title, left, text, template = gated) => {
  const { root } = story(text, { gated: template });
  for (const name of ['ran.txt', 'other.txt', 'gates.txt']) {
    const path = join(root, name);
    const found = existsSync(path)
      ? readFileSync(path, 'utf8').replace(root, 'ROOT')
      : undefined;
    expect(found, name).toBe(left[name]);
  }
});

test('a gate is run in the root, wherever one stands, and not when trust was taken back by the id of the run', () => {
  const box = story(TRUSTED, { gated });
  const id = String(onlyRun(box.root).run_id);
  expect(box.run(['untrust', id]).stdout).toContain('is no longer trusted');
  box.run(['advance'], { session: 's1', code: 1 });
  box.run(['trust', id, '--yes']);
  const cwd = join(box.root, '.claude/holdfast/workflows');
  box.run(['advance'], { session: 's1', cwd });
  expect(readFileSync(join(box.root, 'ran.txt'), 'utf8')).toBe(`${box.root}\n`);
});

const NEEDING_THE_STEP = [
  ...[
    'status',
    'status --json',
    'advance',
    'fail --reason x',
    'tasks task < x',
    'context',
  ],
  ...['context --done', 'update --remind x', 'start --template ship'],
];
test.each([
  ['set machine.step "gone"', 'machine.step must be'],
  ['set machine', 'machine must be an object'],
])(
  'a run whose state somebody broke by `%s`: every command that needs it says so',
  (by, why) => {
    const calls = NEEDING_THE_STEP.map(
      (words) => `s1$ ${words}\n! ${why}\nunchanged\n`,
    );
    story(`s1$ start --template ship\n${by}\n${calls.join('')}`, SHIP);
  },
);

test('a broken run can still be shown, released, resumed, paused and completed', () => {
  const told = '~ the state of this run is broken: machine.step must be\n';
  const box = story(
    `s1$ start --template ship
     set machine.step "gone"
     ${['list', 'show ship-it', 'history', 'guidance ship-it'].map((look) => `s1$ ${look}\n`).join('')}
     ${['release', 'resume ship-it', 'pause', 'complete ship-it'].map((words) => `s1$ ${words}\n${told}`).join('')}`,
    SHIP,
  );
  expect(archived(box.root)).toHaveLength(2);
});

test('a broken run is restored by the hooks with a note about what is wrong', () => {
  const box = story(
    `s1$ start --template ship --remind "be brief"
     set machine {"step": 1}`,
    SHIP,
  );
  expect(preCompact(box, 's1').stdout).toContain('- Workflow: Ship It');
  const { context } = sessionStart(box, 's1', 'compact');
  expect(context).toContain('Phase: 1/4 - Design (in_progress)');
  expect(context).toContain('- be brief');
  expect(context).toContain(
    'Instructions\nThe instructions cannot be read: machine.status of this run is broken',
  );
  expect(onlyRun(box.root).machine).toEqual({ step: 1 });
  expect(
    existsSync(join(box.root, 'untracked/workflow-state/holdfast.log')),
  ).toBe(false);
});
