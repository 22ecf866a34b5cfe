import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { onlyRun, stateFiles } from '../support/state.ts';
import { stories } from '../support/story.ts';

const PLAN = `# Implementation Plan: Retry queue

## Context
Jobs get lost.

## Phase 1: Store jobs
- [x] Add a table

## Phase 2: Retry
- [x] Back off
- [ ] Give up after three tries

## Phase 3: Tell people
- [ ] Write to the list
`;
const PATH = 'docs/plan.md';

function compact(box: Sandbox, session: string): string {
  preCompact(box, session);
  return sessionStart(box, session, 'compact').context;
}

const files = { [PATH]: PLAN };
const START = `start --from ${PATH}`;
const written = (text: string): string =>
  `write ${PATH} ${text.replaceAll('\n', String.raw`\n`)}`;

stories(
  'start --from:',
  `
# makes a run of the phases of a plan, at its first open box
$ ${START}
  > Now: phase 2/3 Retry.
  > docs/plan.md (markdown)
  > ✓ Store jobs  ▸ Retry  · Tell people
  > next item: "Give up after three tries"
  = workflow "Retry queue"
  = phases ["Store jobs", "Retry", "Tell people"]
  = required_reading ["@docs/plan.md"]
  = source.kind "plan"
  = source.path "docs/plan.md"
  = source.format "markdown"
  = source.started true
  = adopted true
$ status
  > Plan     docs/plan.md (markdown)
$ validate
# follows the boxes of the plan
s1$ ${START}
${written(PLAN.replace('- [ ] Give', '- [x] Give'))}
s1$ status
  > docs/plan.md has changed: at the next compaction this run becomes phase 3/3 "Tell people".
s1 compacts
  > Phase: 3/3 - Tell people (in_progress)
  > next_item: Write to the list
  = source.started true
  = source.format "markdown"
# is kept when the plan is finished, without naming a next item, and when it is gone
s1$ ${START}
${written(PLAN.replaceAll('- [ ]', '- [x]'))}
s1 compacts
  > docs/plan.md says that this workflow is finished.
  - next_item
delete ${PATH}
s1 compacts
  > docs/plan.md no longer declares this workflow.
# does not come back after it was completed or deleted
s1$ ${START}
s1$ complete
s1 compacts
  - Retry
$ ${START}
delete untracked/workflow-state/retry-queue
s1 compacts
  - Retry
# is the only run of its plan
s1$ ${START}
s1$ ${START}
  > This session already runs it: retry-queue-
s2$ ${START}
  ! docs/plan.md already has a run: retry-queue-…holdfast resume retry-queue-
  = phase.current 2
`,
  files,
);

it('finds the file from the folder it is called in, and leaves it as it is', () => {
  const box = sandbox({ [PATH]: PLAN });
  box.run(['start', '--from', 'plan.md'], { cwd: join(box.root, 'docs') });
  expect(onlyRun(box.root).source?.path).toBe(PATH);
  expect(readFileSync(join(box.root, PATH), 'utf8')).toBe(PLAN);
});

describe('a plan outside the project', () => {
  const NAME = 'jolly-moth.md';
  function withPlan(): Sandbox {
    const box = sandbox();
    mkdirSync(join(box.home, '.claude/plans'), { recursive: true });
    writeFileSync(join(box.home, '.claude/plans', NAME), PLAN);
    return box;
  }

  const COPY = `untracked/workflow-state/retry-queue/${NAME}`;

  it('is copied into the project and becomes the source and the reading of the run', () => {
    const box = withPlan();
    const { stdout } = box.run(
      ['start', '--from=~/.claude/plans/jolly-moth.md'],
      {
        session: 's1',
      },
    );
    expect(stdout).toContain(`Plan\n  ${COPY} (markdown)\n`);
    const started = {
      kind: 'plan',
      path: COPY,
      started: true,
      format: 'markdown',
      text: PLAN,
    };
    expect(onlyRun(box.root)).toMatchObject({
      source: started,
      required_reading: [`@${COPY}`],
    });
    expect(box.run(['validate']).code).toBe(0);
    writeFileSync(join(box.root, COPY), PLAN.replace('[ ] Give', '[x] Give'));
    expect(compact(box, 's1')).toContain(
      'Phase: 3/3 - Tell people (in_progress)',
    );
    rmSync(join(box.root, COPY));
    const context = compact(box, 's1');
    expect(context).toContain(`@${COPY} (content below)`);
    expect(context).toContain('Phase: 3/3 - Tell people (in_progress)');
    expect(readFileSync(join(box.root, COPY), 'utf8')).toContain('[x] Give');
    box.run(['complete'], { session: 's1' });
    expect(
      existsSync(join(box.root, 'untracked/workflow-state/retry-queue')),
    ).toBe(false);
    box.run(['reopen', 'retry-queue'], { session: 's1' });
    expect(readFileSync(join(box.root, COPY), 'utf8')).toContain('[x] Give');
  });

  it('is not followed through a link in the project, or through a state file', () => {
    const box = withPlan();
    symlinkSync(
      join(box.home, '.claude/plans', NAME),
      join(box.root, 'plan.md'),
    );
    box.run(['start', '--from', 'plan.md'], { session: 's1' });
    const state = onlyRun(box.root);
    expect(state.source).toMatchObject({
      path: 'untracked/workflow-state/retry-queue/plan.md',
    });
    const [path = ''] = stateFiles(box.root);
    const outside = '../home/.claude/plans/jolly-moth.md';
    for (const forged of [
      outside,
      'src/made.md',
      'untracked/workflow-state/../made.md',
    ]) {
      const source = { kind: 'plan', path: forged, started: true, text: 'x' };
      writeFileSync(join(box.root, path), JSON.stringify({ ...state, source }));
      expect(compact(box, 's1')).toContain('Phase: 2/3 - Retry (in_progress)');
    }
    expect(existsSync(join(box.root, 'src'))).toBe(false);
    expect(existsSync(join(box.root, 'untracked/made.md'))).toBe(false);
  });

  // The store counts bytes, of which one character may have three.
  it.each(['x'.repeat(70_000), '段'.repeat(30_000)])(
    'is refused if it is too long for a state file',
    (more) => {
      const box = withPlan();
      writeFileSync(join(box.home, '.claude/plans', NAME), PLAN + more);
      const { stderr } = box.run(
        ['start', '--from=~/.claude/plans/jolly-moth.md'],
        { code: 1 },
      );
      expect(stderr).toContain(
        'it is larger than 64 KB; copy it into the project first',
      );
    },
  );
});

it('a file that is no plan, and options that contradict one, are refused in a sentence', () => {
  const box = sandbox({
    'prose.md': '# A\n\nOnly prose.\n',
    'done.md': '## A\n- [x] a\n',
    'binary.md': 'a\0b',
    'huge.md': '- [ ] a\n'.repeat(130_000),
    [PATH]: PLAN,
  });
  for (const [words, code, sentence] of [
    [['nothing.md'], 1, 'cannot read nothing.md: there is no such file'],
    [['docs'], 1, 'cannot read docs: not a file'],
    [['binary.md'], 1, 'cannot read binary.md: binary'],
    [['huge.md'], 1, 'cannot read huge.md: it is larger than 1 MB'],
    [
      ['prose.md'],
      1,
      'prose.md has no phases: no check boxes, and no numbered headings or steps',
    ],
    [
      ['done.md'],
      1,
      'every item of done.md is done: there is nothing to start',
    ],
    [
      [PATH, '--phases', 'A,B'],
      2,
      'as the plan of --from says what the phases are',
    ],
    [
      [PATH, '--template', 'feature'],
      2,
      "option '--from [file]' cannot be used with",
    ],
  ] as const) {
    const { stderr } = box.run(['start', '--from', ...words], { code });
    expect(stderr).toContain(sentence);
    if (code === 1) expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stateFiles(box.root)).toEqual([]);
  }
});
