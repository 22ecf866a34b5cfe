import { expect, test } from 'vitest';
import type { PlanFormatId } from '../../../../src/settings/settings.ts';
import { FORMATS } from '../../../../src/sources/parse/formats.ts';
import { readFormat } from '../../../../src/sources/parse/read-format.ts';
import { cases } from '../../../support/cases.ts';

const PATHS: Record<PlanFormatId, string> = {
  'spec-kit': 'specs/001-a/tasks.md',
  openspec: 'openspec/changes/a/tasks.md',
  'planning-with-files': 'task_plan.md',
  gsd: '.planning/STATE.md',
  superpowers: 'docs/superpowers/plans/x.md',
  kiro: '.kiro/specs/a/tasks.md',
  taskmaster: '.taskmaster/tasks/tasks.json',
  conductor: 'conductor/tracks/a/plan.md',
  bmad: 'docs/sprint-artifacts/sprint-status.yaml',
};

/** `active 2/3 Build, next 2.1 Write the parser`. */
function read(
  id: PlanFormatId,
  text: string,
  companions: Record<string, string> = {},
): string {
  const source = {
    path: PATHS[id],
    text,
    companions: new Map(Object.entries(companions)),
  };
  const reading = readFormat(FORMATS[id], source);
  if (!('said' in reading) || reading.said?.phase === undefined)
    return reading.state;
  const { phase, context, skipped = {}, undone = [] } = reading.said;
  const { current, total, name, status, line, label } = phase;
  const words = [
    line === undefined ? `${current}/${total} ${name}`.trim() : `"${line}"`,
    ...(status === 'blocked' ? [status] : []),
    ...(label === undefined ? [] : [`called ${label}`]),
    ...('next_item' in context ? [`next ${String(context['next_item'])}`] : []),
    ...Object.keys(skipped).map((n) => `skipped ${n}`),
    ...undone.map((n) => `undone ${n}`),
  ];
  return `${reading.state} ${words.join(', ')}`;
}

const ROADMAP = `# Roadmap: Shop
- [x] **Phase 1: Base** - a
- [x] **Phase 2: Cart** - b
- [ ] **Phase 3: Pay** - c
### Phase 2: Cart
- [x] 02-01: Add
### Phase 02.1: Repair (INSERTED)
- [ ] 02.1-01: Mend
### Phase 2.10: Tidy (INSERTED)
### Phase 2.9: Paint (INSERTED)
### Phase 10: Sell
### Phase 3: Pay
#### Plans
- [ ] 03-01: Charge
`;

test.each(
  cases(`
    **Phase:** 2 of 3 (Stabilize) ¶ Status: In progress => active 2/3 Stabilize
    Phase: 3 of 4 — Dashboard UI ¶ Status: In progress => active 3/4 Dashboard UI
    Phase: Phase 2 of 3: Build ¶ Status: In progress => active 2/3 Build
    Phase: 04-animation-implementation ¶ Status: In progress => active "04-animation-implementation", called 4
    Phase: 2.1 of 3 (Inserted) ¶ Status: In progress => active "2.1 of 3 (Inserted)", called 2.1
    Phase: 6 of 4 ¶ Status: In progress => active "6 of 4", called 6
    Phase: 3 ¶ Status: Phase complete => active "3", called 3
    Phase: [X] of [Y] ¶ Status: In progress => none
    Phase: 0 of 3 ¶ Status: In progress => none
    Phase: 1 of 999999999 ¶ Status: In progress => none
    Phase: TBD ¶ Status: In progress => none
    Phase: 2026-03-10 ¶ Status: In progress => none
    Phase: 1 of 3 (A) ¶ Status: Blocked on API => active 1/3 A, blocked
    Phase: 4 of 4 (D) ¶ Status: Completed 2 of 3 plans => active 4/4 D
    Phase: 4 of 4 (D) ¶ Status: complete-ish, verifying => active 4/4 D
    Phase: 2 of 4 (B) ¶ Status: Project not done => active 2/4 B
    Phase: 2 of 4 (B) ¶ Status: Previous milestone shipped, in progress on v2 => active 2/4 B
    Phase: 2 of 4 (B) ¶ Status: Milestone v1 completed; v2 in progress => active 2/4 B
    Phase: 2 of 4 (B) ¶ Status: All phases planned, 1 done => active 2/4 B
    Phase: 2 of 4 (B) ¶ Status: v1.0 MVP milestone complete => finished
    Phase: 4 of 4 (D) ¶ Status: Project complete, ready to archive => finished
    Phase: 1 of 3 (A) ¶ Status: 🔄 Executing => active 1/3 A
    Phase: 1 of 3 (A) ¶ Status: Plan 01-01 complete, ready for 01-02 => active 1/3 A
    Phase: 1 of 3 (A) ¶ Status: Phase complete => active 2/3
    Phase: 1 of 3 (A) ¶ Status: Ready to plan => not_started
    Phase: 1 of 3 (A) ¶ Status: Paused at task 2 => paused 1/3 A
    Phase: 1 of 3 (A) ¶ Status: Milestone v1.0 complete => finished
    Phase: 1 of 3 (A) ¶ Status: Milestone v1.1 in progress, Phase 1 complete => active 1/3 A
    --- ¶ status: executing ¶ progress: ¶   total_phases: 7 ¶ --- ¶ Phase: 5 ¶ Status: In progress => active 5/7
    - **Current Phase:** 02 ¶ - **Current Phase Name:** Combat ¶ - **Total Phases:** 5 ¶ - **Status:** Ready to plan => active 2/5 Combat
    --- ¶ current_phase: 02 ¶ status: planning ¶ --- ¶ - **Current Phase:** 02 ¶ - **Status:** Milestone complete => finished
  `),
)('GSD: %j is %s', (text, outcome) => {
  expect(read('gsd', `${text}\n`)).toBe(outcome);
});

test.each([
  ['02.1 (Repair)', 'In progress', 'active 3/7 Repair (INSERTED), called 2.1'],
  ['2.10 (Tidy)', 'In progress', 'active 5/7 Tidy (INSERTED), called 2.10'],
  ['3 of 3 (Pay)', 'In progress', 'active 3/3 Pay'],
  ['7.1 of 3 (New)', 'In progress', 'active "7.1 of 3 (New)", called 7.1'],
  [
    '2.1 of 3 (Repair)',
    'In progress',
    'active "2.1 of 3 (Repair)", called 2.1',
  ],
  [
    '2 of 3 (Cart)',
    'Phase complete — ready for verification',
    'active 2/3 Cart',
  ],
  ['3 of 3 (Pay)', 'Phase complete — ready for verification', 'active 3/3 Pay'],
])(
  'GSD: the phases of a roadmap are in the order of their numbers: %s, %s',
  (phase, status, is) => {
    const state = `Phase: ${phase}\nStatus: ${status}\n`;
    expect(read('gsd', state, { '.planning/ROADMAP.md': ROADMAP })).toBe(is);
  },
);

test.each([
  ['{"feature_directory": "specs/001-a"}', true],
  ['{"feature_directory": "/home/me/project/specs/001-a"}', true],
  [String.raw`{"feature_directory": "C:\\project\\specs\\001-a"}`, true],
  ['{"feature_directory": "specs/001-ab"}', false],
  ['{"feature_directory": "otherspecs/001-a"}', false],
  ['{"feature_directory": "specs/001-a', false],
  ['', false],
])('spec-kit: does %s point to the feature? %j', (json, isPointedTo) => {
  const fresh = '# Tasks: A\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n';
  const reading = read('spec-kit', fresh, { '.specify/feature.json': json });
  expect(reading).toBe(
    isPointedTo ? 'active 1/1 Setup, next T001 Begin' : 'not_started',
  );
});

/** Which tasks of a plan of superpowers are next by its ledger. */
test.each([
  ['# Progress\n\nTask 1: dispatching (base 6696774)\n', 1],
  ['Task 1: complete (commits a..b, review clean)\nTask 2: implemented\n', 2],
  ['- [x] Task 1: complete (commit a)\n- [ ] Task 2: next\n', 2],
  ['Task 1: DONE_WITH_CONCERNS\nTask 1: minor (deferred): naming\n', 1],
  ['Task 1: complete except tests (commits a..b)\n', 1],
  ['Task 1: complete (commits a..b)\nTask 3: complete (commits b..c)\n', 2],
  [' \n', null],
])('superpowers: the ledger %j', (ledger, current) => {
  const plan = [1, 2, 3]
    .map((n) => `### Task ${n}: T${n}\n- [ ] **Step 1: Do it**\n`)
    .join('\n');
  const reading = read('superpowers', plan, {
    '.superpowers/sdd/x/progress.md': ledger,
  });
  const active = `active ${current}/3 T${current}, next Step 1: Do it`;
  expect(reading).toBe(current === null ? 'not_started' : active);
});

test.each<[string, PlanFormatId, string, string]>([
  [
    'a status line counts more than the boxes of its phase',
    'planning-with-files',
    '### Phase 1: One\n- [ ] left\n**Status:** complete\n### Phase 2: Two\n- [x] done\n**Status:** pending\n',
    'active 2/2 Two',
  ],
  [
    'a phase that is skipped, or open before the current one, is not done',
    'planning-with-files',
    '### Phase 1: One\n- [ ] a\n### Phase 2: Two\n**Status:** skipped\n### Phase 3: Three\n**Status:** in progress\n',
    'active 3/3 Three, skipped 2, undone 1',
  ],
  [
    'open optional items do not keep a plan open',
    'kiro',
    '- [x] 1. Build\n  - [x] 1.1 Code\n  - [ ]* 1.2 Tests\n- [ ]* 2. More tests\n',
    'finished',
  ],
  [
    'long items are cut',
    'openspec',
    `## 1. A\n- [x] 1.1 done\n- [ ] 1.2 ${'x'.repeat(5_000)}\n`,
    `active 1/1 A, next 1.2 ${'x'.repeat(295)}…`,
  ],
])('%s', (_title, format, text, outcome) => {
  expect(read(format, text)).toBe(outcome);
});
