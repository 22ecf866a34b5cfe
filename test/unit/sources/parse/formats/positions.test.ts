import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../../../../src/sources/parse/formats.ts';
import { readFormat } from '../../../../../src/sources/parse/read-format.ts';
import type { SourceStatus } from '../../../../../src/sources/parse/types.ts';
import type { PlanFormatId } from '../../../../../src/settings/settings.ts';

function read(
  id: PlanFormatId,
  path: string,
  text: string,
  companions: Record<string, string> = {},
): SourceStatus {
  const files = new Map(Object.entries(companions));
  return readFormat(FORMATS[id], { path, text, companions: files, exists: () => false });
}

describe('GSD: the position', () => {
  const state = (phase: string, status = 'In progress'): SourceStatus =>
    read('gsd', '.planning/STATE.md', `# State\n\n**Phase:** ${phase}\n**Status:** ${status}\n`);

  test.each([
    ['2 of 3 (Stabilize)', 2, 3, 'Stabilize'],
    ['2/3', 2, 3, ''],
    ['3 of 4 — Dashboard UI', 3, 4, 'Dashboard UI'],
    ['Phase 2 of 3: Build', 2, 3, 'Build'],
    ['04-animation-implementation', 4, 4, 'animation-implementation'],
    ['2.1 of 3 (Inserted)', 2, 3, 'Inserted'],
  ])('Phase: %s', (phase, current, total, name) => {
    expect(state(phase)).toMatchObject({
      state: 'active',
      said: { phase: { current, total, name } },
    });
  });

  test.each(['[X] of [Y]', '0 of 0', '0 of 3', '1 of 999999999', 'TBD', '2026-03-10', ''])(
    'no phase: %s',
    (phase) => {
      expect(state(phase)).toEqual({ state: 'none' });
    },
  );

  test.each([
    ['In progress', 'active'],
    ['🔄 Executing', 'active'],
    ['Planning', 'active'],
    ['Verifying', 'active'],
    ['Plan 01-01 complete, ready for 01-02', 'active'],
    ['Phase complete', 'active'],
    ['Ready to plan', 'not_started'],
    ['Ready to execute', 'not_started'],
    ['Paused at task 2', 'paused'],
    ['Milestone v1.0 complete', 'finished'],
    ['Milestone v1.1 in progress, Phase 1 complete', 'active'],
  ])('the first of three phases is "%s"', (status, expected) => {
    expect(state('1 of 3 (A)', status).state).toBe(expected);
  });

  test('the number of phases may be in the front matter only', () => {
    const text =
      '---\nstatus: executing\nprogress:\n  total_phases: 7\n---\n\nPhase: 5\nStatus: In progress\n';
    expect(read('gsd', '.planning/STATE.md', text)).toMatchObject({
      said: { phase: { current: 5, total: 7, name: '' } },
    });
  });

  test('a phase that was inserted later is found in the roadmap', () => {
    const roadmap = '- [x] Phase 1: A\n- [x] Phase 2: B\n- [ ] Phase 2.1: C\n- [ ] Phase 3: D\n';
    const text = 'Phase: 2.1 of 3 (C)\nStatus: In progress\n';
    expect(
      read('gsd', '.planning/STATE.md', text, { '.planning/ROADMAP.md': roadmap }),
    ).toMatchObject({
      said: { phase: { current: 3, total: 4, name: 'C' }, phases: ['A', 'B', 'C', 'D'] },
    });
  });
});

describe('GSD: the roadmap', () => {
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
  const phases = [
    'Base',
    'Cart',
    'Repair (INSERTED)',
    'Paint (INSERTED)',
    'Tidy (INSERTED)',
    'Pay',
    'Sell',
  ];
  const state = (phase: string, status: string): SourceStatus =>
    read('gsd', '.planning/STATE.md', `Phase: ${phase}\nStatus: ${status}\n`, {
      '.planning/ROADMAP.md': ROADMAP,
    });

  test.each([
    ['02.1 (Repair)', 3, '02.1-01: Mend'],
    ['2.10 (Tidy)', 5, undefined],
    ['3 of 3 (Pay)', 6, '03-01: Charge'],
  ])('phases are in the order of their numbers: %s', (phase, current, next) => {
    const reading = state(phase, 'In progress');
    expect(reading).toMatchObject({ said: { phases, phase: { current, total: 7 } } });
    expect(reading).toHaveProperty('said.context', next === undefined ? {} : { next_item: next });
  });

  test.each([
    ['2 of 3 (Cart)', 2],
    ['3 of 3 (Pay)', 6],
  ])('a phase that is to be verified is not left: %s', (phase, current) => {
    expect(state(phase, 'Phase complete — ready for verification')).toMatchObject({
      state: 'active',
      said: { phase: { current } },
    });
  });
});

describe('GSD: fields of their own', () => {
  const state = (status: string, frontMatter = ''): SourceStatus =>
    read(
      'gsd',
      '.planning/STATE.md',
      `${frontMatter}# State\n\n- **Current Phase:** 02\n- **Current Phase Name:** Combat core\n- **Total Phases:** 5\n- **Status:** ${status}\n`,
    );

  test('give the position', () => {
    expect(state('Ready to plan')).toMatchObject({
      said: { phase: { current: 2, total: 5, name: 'Combat core' } },
    });
  });

  test('count more than the front matter', () => {
    const frontMatter = '---\ncurrent_phase: 02\nstatus: planning\n---\n';
    expect(state('Milestone complete', frontMatter)).toEqual({ state: 'finished' });
  });
});

describe('spec-kit: the pointer', () => {
  const FRESH = '# Tasks: A\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n';
  const pointed = (json: string): string =>
    read('spec-kit', 'specs/001-a/tasks.md', FRESH, { '.specify/feature.json': json }).state;

  test.each([
    '{"feature_directory": "specs/001-a"}',
    '{"feature_directory":"./specs/001-a/"}',
    '{"feature_directory": "/home/me/project/specs/001-a"}',
    String.raw`{"feature_directory": "C:\\project\\specs\\001-a"}`,
  ])('%s', (json) => {
    expect(pointed(json)).toBe('active');
  });

  test.each([
    '{"feature_directory": "specs/001-ab"}',
    '{"feature_directory": "otherspecs/001-a"}',
    '{"feature_directory": ""}',
    '{"feature_directory": null}',
    '{"feature_directory": "specs/001-a',
    'not JSON',
    '',
  ])('another feature, or none: %s', (json) => {
    expect(pointed(json)).toBe('not_started');
  });
});

test('a status line counts more than the boxes of its phase', () => {
  const plan = `# Task Plan: A
### Phase 1: One
- [ ] left open
**Status:** complete
### Phase 2: Two
- [x] done
**Status:** pending
`;
  expect(read('planning-with-files', 'task_plan.md', plan)).toMatchObject({
    state: 'active',
    said: { phase: { current: 2, name: 'Two' } },
  });
});

describe('superpowers: the ledger', () => {
  const plan = [1, 2].map((n) => `### Task ${n}: T${n}\n- [ ] **Step 1: Do it**\n`).join('\n');
  const withLedger = (path: string, ledger: string): SourceStatus =>
    read('superpowers', 'docs/superpowers/plans/x.md', plan, { [path]: ledger });
  const OWN = '.superpowers/sdd/x/progress.md';
  const SHARED = '.superpowers/sdd/progress.md';

  test.each([
    [OWN, '# Progress\n\nTask 1: dispatching (base 6696774)\n', 1],
    [OWN, 'Task 1: complete (commits a..b, review clean)\nTask 2: implemented\n', 2],
    [OWN, '- [x] Task 1: complete (commit a)\n- [ ] Task 2: next\n', 2],
    [OWN, '- [x] Task 1: add channels\n- [ ] Task 2: add a schema\n', 2],
    [OWN, 'Task 1: DONE_WITH_CONCERNS\nTask 1: minor (deferred): naming\n', 1],
    [SHARED, 'Plan: docs/superpowers/plans/x.md\n\nTask 1: complete (commits a..b)\n', 2],
    [SHARED, '**Plan:** `docs/superpowers/plans/x.md`\nTask 1: complete\n', 2],
  ])('%s: %j', (path, ledger, current) => {
    expect(withLedger(path, ledger)).toMatchObject({
      state: 'active',
      said: { phase: { current, total: 2 } },
    });
  });

  test.each([
    [OWN, ' \n'],
    [SHARED, 'Task 1: complete (commits a..b)\n'],
    [SHARED, 'Plan: docs/superpowers/plans/other.md\nTask 1: complete\n'],
    [SHARED, 'Plan: docs/superpowers/plans/x.md\nTask 1: complete\nPlan: plans/y.md\n'],
  ])('nothing of this plan in %s: %j', (path, ledger) => {
    expect(withLedger(path, ledger)).toEqual({ state: 'not_started' });
  });
});

test('superpowers: tasks finished out of order leave the first unfinished one', () => {
  const plan = [1, 2, 3].map((n) => `### Task ${n}: T${n}\n- [ ] **Step 1: Do it**\n`).join('\n');
  const ledger = 'Task 1: complete (commits a..b)\nTask 3: complete (commits b..c)\n';
  expect(
    read('superpowers', 'docs/superpowers/plans/x.md', plan, {
      '.superpowers/sdd/x/progress.md': ledger,
    }),
  ).toMatchObject({ said: { workflow: 'x', phase: { current: 2, total: 3, name: 'T2' } } });
});

test('Kiro: open optional items do not keep a plan open', () => {
  const plan = '- [x] 1. Build\n  - [x] 1.1 Code\n  - [ ]* 1.2 Tests\n- [ ]* 2. More tests\n';
  expect(read('kiro', '.kiro/specs/a/tasks.md', plan)).toEqual({ state: 'finished' });
});

test('a plan that a person started a run from is in progress before anything is done', () => {
  const source = {
    path: '.planning/STATE.md',
    text: 'Phase: 1 of 3 (A)\nStatus: Paused\n',
    companions: new Map<string, string>(),
    exists: () => false,
  };
  expect(readFormat(FORMATS.gsd, source).state).toBe('paused');
  expect(readFormat(FORMATS.gsd, source, true)).toMatchObject({
    state: 'active',
    said: { phase: { current: 1, total: 3, name: 'A' } },
  });
});

test('a long title and a long phase name are cut', () => {
  const long = 'y'.repeat(5_000);
  const plan = `# Tasks: ${long}\n## Phase 1: ${long}\n- [x] T001 a\n- [ ] T002 b\n`;
  expect(read('spec-kit', 'specs/1-a/tasks.md', plan)).toMatchObject({
    said: {
      workflow: expect.stringMatching(/^y{199}…$/),
      phase: { name: expect.stringMatching(/^y{199}…$/) },
    },
  });
});

test('a long item is cut', () => {
  const plan = `## 1. A\n- [x] 1.1 done\n- [ ] 1.2 ${'x'.repeat(5_000)}\n`;
  const reading = read('openspec', 'openspec/changes/a/tasks.md', plan);
  expect(reading).toMatchObject({
    said: { context: { next_item: expect.stringMatching(/^1\.2 x{200,300}…$/) } },
  });
});
