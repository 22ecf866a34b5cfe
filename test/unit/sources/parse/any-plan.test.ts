import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../../../src/sources/parse/formats.ts';
import {
  readAnyPlan,
  readStartedPlan,
} from '../../../../src/sources/parse/any-plan.ts';
import { countOpenItems } from '../../../../src/sources/open-items.ts';
import type { PlanFormatId } from '../../../../src/settings/settings.ts';
import { cases } from '../../../support/cases.ts';

/** The current phase, all of them, and the next item. */
test.each(
  cases(`
    # Plan ¶ ## Step 1: Read ¶ All of it. ¶ ## Step 2: Write => 1/2 Read, Read Write
    ## Before ¶ - [x] Pack ¶ ## Notes ¶ Fragile. ¶ ## After ¶ - [ ] Unpack => no phases, next Unpack
    - [x] one ¶ - [ ] two => no phases, next two
    # Plan: Sign in ¶ ## Changes ¶ ### 1. Add \`a.ts\` ¶ ### 2. Wire ¶ 1. Import it ¶ 2. Call it ¶ ### 3. Tests ¶ ## Verification ¶ Run. => 1/3 Add \`a.ts\`, Add \`a.ts\` Wire Tests
    ## Phase 1: Read ¶ All. ¶ ## Phase 2: Build ¶ - [x] a ¶ - [ ] b ¶ ## Phase 3: Ship ¶ - [ ] c => 2/3 Build, Read Build Ship, next b
    ## Phase 1: A ¶ - [ ] a ¶ ## Phase 2: B 🔄 ¶ - [ ] b => 2/2 B, A B, next b
    ## A ¶ - [x] a ¶ ## B ¶ - [-] b ¶ - [ ] c ¶ ## C ¶ - [ ] d => no phases, next b
    ## Phase 1: A ✅ ¶ - [ ] a ¶ ## Phase 2: B ¶ - [ ] b => 2/2 B, A B, next b
    ## Phase 1: A ¶ - [x] a ¶ ## Phase 2: B ¶ Text. => 2/2 B, A B
    ## A ¶ - [x] a ¶ ## B ¶ - [x] b => no phases
    ## A ¶ - [ ] a ¶   - [x] b ¶   - [ ] c ¶ - [ ] d => no phases, next c
    ## A ¶ Fields: x ¶ --- ¶ - [ ] a => no phases, next a
    * [x] a ¶ + [X] b ¶ 1. [✓] c ¶ 2) [✔️] d ¶ - [~] e ¶ - [ ] f => no phases, next e
    ## A ¶ - [2026-03-10] written ¶ - [x](link) too ¶ - [P] a label => nothing
    ## A ¶ - [ ] {{TASK}} ¶ - [ ]* optional ¶ - [ ] 1.1 ¶ - [ ] ¶ - [] empty => nothing
    ## A ¶ <!-- ¶ - [ ] a ¶ --> ¶ - [ ] ~~a~~ ¶ - [ ] <!-- b --> => nothing
    ## A ¶ [ ] no item ¶ > - [ ] quoted ¶ \`- [ ]\` in code ¶ Progress: [░░░░] 0% => nothing
    ## 1. Only ¶ Text. => nothing
    ## Phase 1 => nothing
    \`\`\` ¶ - [ ] code ¶ \`\`\` => nothing
  `),
)('any plan: %j', (text, outcome) => {
  const plan = readAnyPlan(text);
  if (plan === null) return expect('nothing').toBe(outcome);
  const { phase, phases = [], context } = plan;
  const status = phase?.status === 'in_progress' ? '' : ` ${phase?.status}`;
  const shown = [
    phase
      ? `${phase.current}/${phase.total} ${phase.name}${status}`
      : 'no phases',
    ...(phases.length > 0 ? [phases.join(' ')] : []),
    ...Object.values(context).map((item) => `next ${String(item)}`),
  ];
  expect(shown.join(', ')).toBe(outcome);
});

test.each([
  ['# Retry queue implementation plan', 'Retry queue'],
  ['# Implementation Plan — Retry queue', 'Retry queue'],
  ['Retry queue\n===', 'Retry queue'],
  ['# [Feature Name] Implementation Plan', 'moth'],
  ['', 'moth'],
])('the name of a plan that begins with %j', (title, name) => {
  expect(readAnyPlan(`${title}\n\n- [ ] a\n`, 'plans/moth.md')?.workflow).toBe(
    name,
  );
});

describe('a plan that a run was started from', () => {
  const move = (status: string): string =>
    `# Plan 7: Move\n\n**Status**: ${status}\n\n## Phase 1: Pack\n- [ ] a\n## Phase 2: Go\n`;
  const own = 'CLAUDE/Plan/007-move/PLAN.md';
  const tasks = '- [ ] 1. Build\n  - [ ] 1.1 Code\n- [ ] 2. Test\n';
  const active = (said: object): object => ({ state: 'active', said });

  test.each<[string, PlanFormatId | 'own' | undefined, string, string, object]>(
    [
      [
        'requires itself',
        undefined,
        'docs/a.md',
        '## A\n- [ ] a\n',
        active({ workflow: 'a', required_reading: ['@docs/a.md'] }),
      ],
      [
        'is finished with its boxes',
        undefined,
        'a.md',
        '## A\n- [x] a\n',
        { state: 'finished' },
      ],
      [
        'says nothing without any',
        undefined,
        'a.md',
        '# A\n\nProse.\n',
        { state: 'none' },
      ],
      [
        "is read in the tool's own format if it has one",
        'kiro',
        '.kiro/specs/login/tasks.md',
        tasks,
        active({
          workflow: 'login',
          phases: ['Build', 'Test'],
          context: { next_item: '1.1 Code' },
        }),
      ],
      [
        "and as any plan where the tool's format finds nothing",
        'superpowers',
        'docs/plans/a.md',
        '# A\n## One\n- [ ] a\n',
        active({ workflow: 'A', context: { next_item: 'a' } }),
      ],
      [
        'also one that is not started yet',
        'own',
        own,
        move('Not Started'),
        active({ phases: ['Pack', 'Go'], required_reading: [`@${own}`] }),
      ],
      [
        'but not one that is finished',
        'own',
        own,
        move('Complete'),
        { state: 'finished' },
      ],
    ],
  )('%s', (_title, format, path, text, expected) => {
    const source = { path, text, companions: new Map<string, string>() };
    const tool =
      format === 'own' || format === undefined ? format : FORMATS[format];
    expect(readStartedPlan(source, tool)).toMatchObject(expected);
  });
});

test.each<[string, string, number, PlanFormatId?, string?]>([
  [
    'those under way',
    '## Phase 1: X\n- [x] a\n- [ ] b\n## Phase 2: Y\n- [-] c\n',
    2,
  ],
  ['none', '# A\n\n- [x] a\n', 0],
  [
    'not those of a phase that is done',
    '## Phase 1: X ✅\n- [ ] a\n## Phase 2: Y\n- [ ] b\n',
    1,
  ],
  [
    'nor of one that is skipped',
    '# X\n## Phase 1: X (SKIPPED)\n### Sub\n- [ ] a\n## Two\n- [ ] b\n',
    1,
  ],
  [
    'nor of one that the run has skipped',
    '## Phase 1: A\n### Sub\n- [ ] a\n## Two\n- [ ] b\n',
    1,
  ],
  [
    'not optional ones',
    '- [x] 1. A\n- [ ] 2. B\n  - [ ] 2.1 c\n  - [ ]* 2.2 d\n',
    1,
    'kiro',
  ],
  [
    'those of the roadmap in GSD',
    '# Project State\n\nPhase: 2 of 3 (Build)\nStatus: In progress\n',
    2,
    'gsd',
    '### Phase 1: A\n- [ ] a\n### Phase 2: B\n- [x] b\n- [ ] c\n### Phase 3: C\n- [ ] d\n',
  ],
])('open items: %s', (_title, text, count, format, roadmap) => {
  const companions = new Map(
    roadmap ? [['.planning/ROADMAP.md', roadmap]] : [],
  );
  const source = { path: 'plan.md', text, companions };
  expect(
    countOpenItems(source, format && FORMATS[format], undefined, ['A']),
  ).toBe(count);
});
