import { describe, expect, test } from 'vitest';
import type { PlanFormatId } from '../../../../src/settings/settings.ts';
import { FORMATS, formatOf } from '../../../../src/sources/parse/formats.ts';
import { readPlan } from '../../../../src/sources/parse/plan.ts';
import { readFormat } from '../../../../src/sources/parse/read-format.ts';
import type { SourceStatus } from '../../../../src/sources/types.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import { cases } from '../../../support/cases.ts';

/** `active 2/3 Build called 7.1, undone 1, skipped 3, plan "…", next "…"`. */
function shown(reading: SourceStatus): string {
  if (!('said' in reading) || reading.said === undefined) return reading.state;
  const { phase, skipped = {}, undone = [], context } = reading.said;
  const { current, total, name = '', label, line, status } = phase ?? {};
  const number = line === undefined ? `${current}/${total} ${name}` : line;
  const { plan_name: _folder, plan_number: _number, ...facts } = context;
  const words = [
    phase === undefined ? 'no phase' : number.trim(),
    ...(status === 'completed' ? ['completed'] : []),
    ...(label === undefined ? [] : [`called ${label}`]),
    ...undone.map((n) => `undone ${n}`),
    ...Object.entries(skipped).map(([n, word]) => `skipped ${n} ${word}`),
    ...Object.entries(facts).map(([key, fact]) => `${key} "${String(fact)}"`),
  ];
  return `${reading.state} ${words.join(', ')}`;
}

function own(text: string): string {
  return shown(readPlan(text, 'CLAUDE/Plan/007-shop/PLAN.md'));
}

function read(
  format: PlanFormatId,
  text: string,
  companions: Record<string, string> = {},
  path = 'a/b/c.md',
): string {
  const source = {
    path,
    text,
    companions: new Map(Object.entries(companions)),
  };
  return shown(readFormat(FORMATS[format], source));
}

test.each(
  cases(`
    ## Phases ¶ - [completed] Survey the site ¶ - [in_progress] Pour concrete ¶ - [pending] Paint => active 2/3 Pour concrete
    ## Phases ¶ - [x] Survey ¶ - [/] Pour ¶ - [ ] Paint => active 2/3 Pour
    ## Phases ¶ - [x] Phase 1: Survey ¶ - [ ] Phase 2: Pour => active 2/2 Pour
    ## Phases ¶ - [x] **Phase 1:** Survey ¶ - [~] **Phase 2:** Pour ¶ - [ ] **Phase 3:** Paint => active 2/3 Pour
    ## Phases ¶ - [completed] Survey ¶ - [done] Pour => finished
    ## Phases ¶ - [pending] Survey ¶ - [todo] Pour => not_started
    ## 阶段 1：调研 ¶ - **状态：** 已完成 ¶ ## 阶段 2：设计 ¶ - **状态：** 进行中 ¶ ## 阶段 3：测试 => active 2/3 设计
    ### 第一阶段：调研 ¶ -**状态：**完成 ¶ ### 第 2 阶段：设计 ¶ -**状态：**进行中 ¶ ### 第三阶段：测试 => active 2/3 设计
    | 阶段 | 目标 | 状态 | ¶ |---|---|---| ¶ | 0 | 准备 | 完成 | ¶ | 1 | 编码 | 进行中 | ¶ | 2 | 发布 | 未开始 | => active 2/3 编码, called 1
    ### Phase 1: Fundament ¶ **Status:** Abgeschlossen ¶ ### Phase 2: Dach ¶ **Status:** In Arbeit => active 2/2 Dach
    ### Phase A: Dig ¶ - [x] a ¶ ### Phase B: Build ¶ - [ ] b => active 2/2 Build, called B, next_item "b"
    ### Phase A: Dig ✅ ¶ ### Phase B: Build => active 2/2 Build, called B
    ### Phase 1: Dig (done) ¶ ### Phase 2: Build 🔄 ¶ ### Phase 3: Paint => active 2/3 Build
    ### Phase 0: Set up ¶ - [x] a ¶ ### Phase 1: Build ¶ - [x] b ¶ - [ ] c => active 2/2 Build, called 1, next_item "c"
    ### Phase 0: Set up ✅ ¶ ### Phase 0.5: Move ✅ ¶ ### Phase 1: Build => active 3/3 Build, called 1
  `),
)('planning-with-files: %j', (text, outcome) => {
  expect(read('planning-with-files', `# Task Plan: Shed\n\n${text}\n`)).toBe(
    outcome,
  );
});

test.each(
  cases(`
    ## Phase 1: A ¶ - [x] a ¶ - [x] b ¶ - [ ] c ¶ ## Phase 2: B ¶ - [x] d ¶ - [ ] e => active 2/2 B, undone 1
    ## Phase 1: A ¶ - [x] a ¶ - [ ] b ¶ ## Phase 2: B ¶ - [x] c ¶ ## Phase 3: C ¶ - [x] d ¶ - [ ] e => active 3/3 C, undone 1
    ## Phase 1: A ¶ - [x] a ¶ - [ ] b ¶ ## Phase 2: B ¶ - [ ] c => active 1/2 A
    ## Phase 1: A ¶ - [x] a ¶ - [ ] b ¶ - [ ] c ¶ ## Phase 2: B ¶ - [x] d ¶ ## Phase 3: C ¶ - [x] e ¶ ## Phase 4: D ¶ - [ ] f => active open items from 1 (A) on, ticks up to 3 (C), none from 4 (D) on
    ## Phase 0: A ¶ - [x] a ¶ - [ ] b ¶ - [ ] c ¶ ## Phase 1: B ¶ - [x] d ¶ ## Phase 2: C ¶ - [x] e ¶ - [ ] f => active open items from 0 (A) on, ticks up to 2 (C)
    ## Phase 1: A ¶ - [ ] ✅ a ¶ - [ ] ✅ b ¶ ## Phase 2: B ¶ - [ ] ⬜ c => active 2/2 B
    ## Phase 1: A ¶ - [ ] ✅ a ¶ - [ ] ⬜ b ¶ ## Phase 2: B ¶ - [ ] ⬜ c => active 1/2 A
  `),
)('forgotten and contradicting boxes: %j', (text, outcome) => {
  expect(own(`# Shop\n\nStatus: In Progress\n\n${text}\n`)).toBe(outcome);
});

test.each(
  cases(`
    | Item | Effort | Needs | ¶ |---|---|---| ¶ | Login | 2d | Phase 7 | ¶ | Cart | 3d | Phase 8 | => active no phase
    | Task | Phase | Status | ¶ |---|---|---| ¶ | Login | Phase 1 | Done | ¶ | Cart | Phase 2 | In progress | => active 2/2 Phase 2
    | Date | Phase | What | ¶ |---|---|---| ¶ | Mon | 1 | dug | ¶ | Tue | 1 | dug more | ¶ | Wed | 2 | built | => active no phase
    ## Phase 1: Dig ✅ ¶ ## Phase 2: Build ¶ ¶ | Date | Phase | What | ¶ |---|---|---| ¶ | 1 | 1 | x | ¶ | 2 | 2 | x | ¶ | 3 | 2 | x | => active 2/2 Build
    ### Phase 1 Summary: ¶ text ¶ ## Phase 1: Dig ✅ ¶ ## Phase 2: Build => active 2/2 Build
    ## Phase 1: Dig ✅ ¶ ## Phase 2: Build ¶ ### Phase 2 Notes ¶ - [ ] a ¶ ## Phase 3: Paint => active 2/3 Build
    ## Phase 1: Dig ✅ ¶ ## Phase 2: Probe (deferred to the host) ¶ ## Phase 3: Paint => active 2/3 Probe (deferred to the host)
    ## Phase 1: Dig ✅ ¶ ## Phase 2: Probe (postponed to the customer's site) ¶ ## Phase 3: C => active 2/3 Probe (postponed to the customer's site)
    ## Phase 1: Dig ✅ ¶ ## Phase 2: Probe (deferred to v2) ¶ ## Phase 3: Paint => active 3/3 Paint, skipped 2 deferred to v2
    ## Phase 1: Dig ✅ ¶ ## ~~Phase 2: Review~~ — CANCELLED ¶ ## Phase 3: Paint => active 3/3 Paint, skipped 2 CANCELLED
    - [x] Phase 1: Dig ¶ - ~~Phase 2: Review~~ (skipped) ¶ - [ ] Phase 3: Paint => active 3/3 Paint, skipped 2 skipped
    ## Phase 1: Dig ✅ ¶ ## ~~Phase 2: Review~~ ¶ ## Phase 3: Paint => active 2/2 Paint, called 3
    ## Phase 1: Dig → ✅ Completed (needs deployment testing) ¶ ## Phase 2: Build => active 2/2 Build
    ## Phase 1: Dig - Done (tests pending) ¶ ## Phase 2: Build => active 2/2 Build
    ### Done ¶ ✅ **Phase 1: Dig** - dug ¶ ## Phase 1: Dig - 🔄 IN PROGRESS ¶ ## Phase 2: Build => active 2/2 Build
    ### P0 — Blockers ¶ - [x] a ¶ ### P1 — Tidy up ¶ - [ ] b => active 2/2 Tidy up, called P1
    ### P0: Must ✅ ¶ ### P1: Should ¶ ### P2: Could => active 2/3 Should, called P1
    - [x] a ¶ - [ ] b => active no phase, next_item "b"
    ## Shell ¶ - [x] a ¶ ## Roof ¶ - [x] b ¶ - [ ] c => active no phase, next_item "c"
  `),
)('what a phase is: %j', (text, outcome) => {
  expect(own(`# Shop\n\nStatus: In Progress\n\n${text}\n`)).toBe(outcome);
});

test('a remark behind done is said with the name', () => {
  const text =
    '# Shop\nStatus: In Progress\n## Phase 1: Dig - Completed (needs a second look)\n## Phase 2: Build\n';
  const reading = readPlan(text, 'CLAUDE/Plan/007-shop/PLAN.md');
  expect(reading).toMatchObject({
    said: { phases: ['Dig (needs a second look)', 'Build'] },
  });
});

test.each<[PlanFormatId, string, string]>([
  [
    'spec-kit',
    '## Setup\n- [x] T1 a\n## Core\n- [ ] T2 b\n',
    'active no phase, next_item "T2 b"',
  ],
  [
    'planning-with-files',
    '## Checks\n- [ ] a\n## Sources\n- [x] b\n',
    'active no phase, next_item "a"',
  ],
  ['kiro', '## Work\n- [x] a\n- [ ] b\n', 'active no phase, next_item "b"'],
  [
    'superpowers',
    '## 阶段 0：环境\n- [x] a\n## 阶段 1：身份\n- [x] b\n- [ ] c\n',
    'active 2/2 身份, called 1, next_item "c"',
  ],
  [
    'superpowers',
    '### Task 1: A\n- [x] a\n### Task 2: B\n- [ ] b\n',
    'active 2/2 B, next_item "b"',
  ],
])('%s: %j', (format, text, outcome) => {
  expect(read(format, text)).toBe(outcome);
});

describe('GSD', () => {
  const STATE = '.planning/STATE.md';
  const ROADMAP = {
    '.planning/ROADMAP.md': [
      '# Roadmap',
      '## v1.0 Base (shipped)',
      '- [x] **Phase 1: Dig** - a',
      '- [x] **Phase 2: Pour** - b',
      '## v1.1 Walls',
      '- [x] **Phase 3: Bricks** - c',
      '- [ ] **Phase 4: Mortar** - d',
      '### Phase 3.1: Scaffold (INSERTED)',
      '- [ ] 03.1-01: Borrow it',
      '### Phase 4: Mortar',
      '- [ ] 04-01: Mix',
    ].join('\n'),
  };
  test.each(
    cases(`
      Phase: 4 of 5 (Mortar) ¶ Plan: 2 of 3 in current phase ¶ Status: In progress => active 4/5 Mortar, plan "2 of 3 in current phase", status "In progress"
      Phase: 4 ¶ Plan: 1 of 2 ¶ Status: Executing Phase 4 => active 5/5 Mortar, called 4, plan "1 of 2", status "Executing Phase 4"
      --- ¶ milestone: v1.1 ¶ --- ¶ Phase: 4 ¶ Status: Ready to plan => active 3/3 Mortar, called 4, status "Ready to plan"
      --- ¶ milestone: v1.1 ¶ --- ¶ Phase: 3.1 of 4 (Scaffold) ¶ Status: In progress => active 3.1 of 4 (Scaffold), called 3.1, status "In progress"
      --- ¶ milestone: v1.1 ¶ --- ¶ Phase: 3.1 ¶ Status: In progress => active 2/3 Scaffold (INSERTED), called 3.1, status "In progress"
      --- ¶ stopped_at: Completed 12-paint plan 02 ¶ --- ¶ Phase: 6 of 8 (Doors) ¶ Status: In progress => active the file contradicts itself: 12 by "stopped_at", 6 of 8 (Doors) by "Phase", status "In progress"
      --- ¶ stopped_at: Phase 3 complete, phase 4 planned ¶ --- ¶ Phase: 1 of 2 (Dig) ¶ Status: In progress => active the file contradicts itself: 4 (Mortar) by "stopped_at", 1 of 2 (Dig) by "Phase", status "In progress"
      --- ¶ stopped_at: Completed 05-roof plan 02 ¶ --- ¶ Phase: 6 of 8 (Doors) ¶ Status: In progress => active 6/8 Doors, status "In progress"
      Phase: 4 of 4 (Mortar) ¶ Status: All v1.1 phases complete => finished
      Phase: 2 of 2 (Pour) ¶ Status: All phases complete => finished
      Phase: 3 of 5 (Walls) — IN PROGRESS ¶ Status: Parts are ready => active 3/5 Walls, status "Parts are ready"
    `),
  )('%j', (text, outcome) => {
    expect(read('gsd', `${text}\n`, ROADMAP, STATE)).toBe(outcome);
  });
});

describe('Taskmaster', () => {
  const PATH = '.taskmaster/tasks/tasks.json';
  const tasks = [
    { id: 1, title: 'Dig', status: 'done' },
    {
      id: 2,
      title: 'Build',
      status: 'in-progress',
      subtasks: [
        { id: 1, title: 'Walls', status: 'done' },
        { id: 2, title: 'Roof', status: 'pending' },
      ],
    },
    { id: 3, title: 'Paint', status: 'deferred' },
  ];
  const other = [{ id: 1, title: 'Think', status: 'pending' }];
  const active = 'active 2/3 Build, skipped 3 deferred, next_item "2.2 Roof"';

  test.each<[string, object, object | null, string]>([
    [
      'the tag that the state names',
      { master: { tasks: other }, shed: { tasks } },
      { currentTag: 'shed' },
      active,
    ],
    ['the only tag', { shed: { tasks } }, null, active],
    ['a file without tags', { tasks }, null, active],
    [
      'none of several tags',
      { master: { tasks }, shed: { tasks } },
      null,
      'none',
    ],
    [
      'no tag that is not there',
      { master: { tasks } },
      { currentTag: 'gone' },
      'none',
    ],
    [
      'a list that nobody has begun',
      { master: { tasks: other } },
      null,
      'not_started',
    ],
    [
      'a list that is done',
      { master: { tasks: [tasks[0], tasks[2]] } },
      null,
      'finished',
    ],
  ])('reads %s', (_, file, state, outcome) => {
    const companions: Record<string, string> = {};
    if (state !== null)
      companions['.taskmaster/state.json'] = JSON.stringify(state);
    expect(read('taskmaster', JSON.stringify(file), companions, PATH)).toBe(
      outcome,
    );
  });

  test.each([
    '',
    '{',
    '[]',
    '{"master": 3}',
    '{"master": {"tasks": [1, null]}}',
  ])('says nothing of %j', (text) => {
    expect(read('taskmaster', text, {}, PATH)).toBe('none');
  });
});

test.each(
  cases(`
    epic-1: done ¶ 1-1-dig: done ¶ epic-2: in-progress ¶ 2-1-walls: done ¶ 2-2-roof: review ¶ 2-3-doors: backlog => active 2/2 Epic 2, next_item "2-2-roof"
    epic-1: backlog ¶ 1-1-dig: done ¶ 1-2-fill: ready-for-dev ¶ epic-1-retrospective: optional => active 1/1 Epic 1, next_item "1-2-fill"
    epic-1: backlog ¶ 1-1-dig: backlog => not_started
    epic-1: done ¶ 1-1-dig: done => finished
    epic-3: contexted ¶ 3-1-dig: drafted # soon => active 1/1 Epic 3, called 3, next_item "3-1-dig"
  `),
)('BMAD: %j', (text, outcome) => {
  const lines = text.split('\n').map((line) => `  ${line}`);
  const file = [
    'project: Shed',
    'development_status:',
    ...lines,
    'story_location: x',
  ];
  expect(read('bmad', file.join('\n'))).toBe(outcome);
});

describe('Conductor', () => {
  const PATH = 'conductor/tracks/shed_20260102/plan.md';
  const PLAN =
    '# Implementation Plan\n## Phase 1: Dig\n- [x] Task: a\n## Phase 2: Build\n- [~] Task: b\n- [ ] Task: c\n';
  const tracks = (mark: string): Record<string, string> => ({
    'conductor/tracks.md': `# Tracks\n\n## [x] Track: Fence\n*Link: [./conductor/tracks/fence_1/](./conductor/tracks/fence_1/)*\n\n## [${mark}] Track: Shed\n*Link: [./conductor/tracks/shed_20260102/](./conductor/tracks/shed_20260102/)*\n`,
  });

  test('a track that is under way gives its phase and next task', () => {
    expect(read('conductor', PLAN, tracks('~'), PATH)).toBe(
      'active 2/2 Build, next_item "Task: b"',
    );
  });

  test('a track is pointed to before anything is ticked, and over when the list of tracks says so', () => {
    const fresh = PLAN.replaceAll(/\[[x~]\]/g, '[ ]');
    expect(read('conductor', fresh, tracks('~'), PATH)).toBe(
      'active 1/2 Dig, next_item "Task: a"',
    );
    expect(read('conductor', fresh, tracks(' '), PATH)).toBe('not_started');
    expect(read('conductor', PLAN, tracks('x'), PATH)).toBe('finished');
  });
});

test.each<[string, PlanFormatId]>([
  ['.specify/specs/001-a/tasks.md', 'spec-kit'],
  ['specs/001-a/tasks.md', 'spec-kit'],
  ['.taskmaster/tasks/tasks.json', 'taskmaster'],
  ['conductor/tracks/a/plan.md', 'conductor'],
  ['_bmad-output/implementation-artifacts/sprint-status.yaml', 'bmad'],
  ['docs/sprint-artifacts/sprint-status.yaml', 'bmad'],
])('%s is a plan of %s', (path, format) => {
  expect(formatOf(path, DEFAULTS.detect.formats)).toBe(format);
});
