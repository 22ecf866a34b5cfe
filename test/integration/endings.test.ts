import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFiles, writeTree } from '../support/state.ts';
import { stories, story, using } from '../support/story.ts';

const PLAN = 'CLAUDE/Plan/1-shop/PLAN.md';
const shop = (build: string): Record<string, string> => ({
  [PLAN]: `# Plan 1: Shop\n\n**Status**: In Progress\n\n## Phase 1: Design 🔄\n\n- [x] a\n- [ ] b\n- [ ] c\n\n## Phase 2: Build\n\n${build}\n`,
});
const gated = (step: string): Record<string, string> => ({
  '.claude/holdfast/workflows/g.yaml': `name: g\ndescription: g\nsteps:\n  - {id: one, type: action, instructions: Do it.}\n  - ${step}\n`,
});

stories(
  '',
  `
# a run that is completed in its first phase ends early, and nothing is ticked
$ start Shop --phases Design,Build,Review
$ skip --phase 3
$ complete
  > Ended Shop (shop-…) early at 1/3; left: Build.
$ status shop
  > ▸ Design  · Build  ↷ Review (skipped)
  > ended early at 1/3; left: Build
$ list --all
  > ended early
$ history shop
  > ended early at phase 1/3 Design; left: Build
$ show shop --json
  @ run {"status": "completed", "phase": {"current": 1, "status": "in_progress"}}
  @ run.ended_early {"at": "1/3", "left": ["Build"]}
$ reopen shop
  - ended early
# in the last phase, or with only skipped ones after it, it is finished
$ start Shop --phases Design,Build
$ skip --phase 2
$ complete
  > Completed Shop (shop-…).
$ status shop
  > ✓ Design  ↷ Build (skipped)
# a run without phases asks for the next one and ends by complete alone
$ start "Fix bug"
  > Now: phase 1.
$ advance
  ! the next one has to be named
$ advance --name Test
  > Now: phase Test.
$ update --name Try
  > phase Try
$ update --phase 3
  > phase 3
$ status
  - /1
$ complete
  > Completed "Fix bug" (fix-bug-…).
# a name in the last of its phases is refused
$ start Shop --phases Design
$ advance --name More
  ! is in its last phase
# the name of a template starts nothing without phases
$ start feature
  ! there is a template called feature; nothing was started
  ! holdfast start --template feature
  ! holdfast start feature --phases
$ start Feature --phases A
  > Started feature-
# the items of a phase that is skipped do not keep the run open
${using(shop('- [x] d'))}
s1$ resume shop
s1$ skip
s1$ advance
  > Completed Shop
# with phases of its own, a run is not skipped by its source, and keeps what else that says
write CLAUDE.local.md ## Workflow State\\nWorkflow: Shop\\nType: implementation\\nPhase: 2/4 - Build\\n
s1$ start Shop --read out/{work_id}.md --set work_id=7 --phases One,Two,Three
  = workflow_type "implementation"
  > out/7.md
  - holdfast update
$ history
  > started, phase 1
# a run that starts from its source starts where that is
write CLAUDE.local.md ## Workflow State\\nWorkflow: Shop\\nPhase: 2/4 - Build\\n
s1$ start Shop
$ history
  > started, phase 2
# a phase with open items may be left, and they are counted
${using(shop('- [ ] d'))}
s1$ resume shop
s1$ advance
  > Finished phase 1/2 Design (left 2 open items in ${PLAN}).
# the last phase is not left while the plan has open items
${using(shop('- [ ] d'))}
s1$ resume shop
s1$ update --phase 2
  > When this phase is done: tick off what is done of the 3 open items in ${PLAN}, then holdfast advance
s1$ advance
  ! its plan is not done: 3 open items in ${PLAN}; nothing was changed
s1$ complete
  > Ended Shop (shop-…) early at 2/2; left: "3 open items in ${PLAN}".
# an agent does not end a run before a gate
${using(gated('{id: two, type: action, instructions: Do more., gate: "true"}'))}
s1$ start --template g
s1$ complete
  ! is not finished: it is at step 1 of 2 (one), and gates or approvals are left
$ release
$ complete
  > Ended g (g-…) early at 1/2; left: two.
# nor before an approval
${using(gated('{id: two, type: approval, instructions: Look at it.}'))}
s1$ start --template g
s1$ advance
s1$ complete
  ! gates or approvals are left; the user decides: …/holdfast:approve
# a template run that is completed in its last step is complete, and there is nothing left to do
${using(gated('{id: two, type: action, instructions: Do more.}'))}
$ start --template g
$ complete
$ status g --json
  @ step {"status": "running", "instructions": ""}
$ reopen g
$ advance
$ complete --json
  @ step {"status": "complete", "instructions": ""}
  @ run.machine.status "complete"
$ reopen g
  = machine.step "two"
# a run is cancelled without a reason
$ start Shop
$ cancel
  > Cancelled Shop (shop-…).
`,
);

test.each([true, false])(
  'a run that ends twice has both records: %s',
  (isFinished) => {
    const box = story('$ start Shop --phases Design,Build\n$ note decided');
    const [path = ''] = stateFiles(box.root);
    const text = readFileSync(join(box.root, path), 'utf8');
    box.run(['complete']);
    const record = path.replace(
      /.*state-(.*)\.json$/,
      'untracked/workflow-archive/$1',
    );
    // A file that came back, or an end that was interrupted before its last write.
    if (!isFinished) rmSync(join(box.root, `${record}.events.jsonl`));
    writeTree(box.root, { [path]: text });
    box.run(['cancel', 'shop']);
    expect(
      /cancelled[^]*ended early/.test(box.run(['list', '--all']).stdout),
    ).toBe(isFinished);
    expect(box.run(['history', 'shop']).stdout).toContain('cancelled');
  },
);
