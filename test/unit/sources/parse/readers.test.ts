import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLocalFile } from '../../../../src/sources/parse/local-file.ts';
import { readPlan } from '../../../../src/sources/parse/plan.ts';
import type {
  DeclaredWorkflow,
  SourceStatus,
} from '../../../../src/sources/types.ts';
import { standOf } from '../../../../src/state/marks.ts';
import { splitMark } from '../../../../src/state/split-mark.ts';
import { parsePhaseLine } from '../../../../src/state/phase-line.ts';
import { cases } from '../../../support/cases.ts';
import { anyCharacter } from '../../../support/arbitraries.ts';

/*
 * The specification of the readers: what people and agents write, and what it is taken for. What is not understood is
 * never asserted: `unclear` starts no run and ends none.
 */

const PATH = 'CLAUDE/Plan/066-seo/PLAN.md';

function read(text: string): SourceStatus {
  return readPlan(text, PATH);
}

function said(text: string): DeclaredWorkflow {
  const reading = read(text);
  if (!('said' in reading) || !reading.said)
    throw new Error(`it only says ${reading.state}`);
  return reading.said;
}

/** The cases of each outcome, with `;` between them. */
function grouped(table: string): [text: string, outcome: string][] {
  return table
    .trim()
    .split(/\n {2}(?=\S)/)
    .flatMap((group) => {
      const [outcome = ''] = group.split(': ', 1);
      const texts = group.slice(outcome.length + 2).split(/ ;\s+/);
      return texts.map((text): [string, string] => [text.trim(), outcome]);
    });
}

const STATUSES = grouped(`
  active: In Progress ; 🔄 In Progress (since Monday) ; in_progress ; IN-PROGRESS ; **In Progress**, nearly there ;
    ~~Not started~~ In Progress ; In Progress | **Owner**: Bob ; 🔄 ; 🔄 Building ; 🟢 Active ; Active ; Ongoing ; WIP ;
    Started ; Under way ; Testing ; In Review ; Ready for review ; Pending review ; Executing Phase 2 ;
    Implementation in progress ; Mostly in progress ; Progressing ; Phase 2 ; Phase 2 of 5 ; Phase 2 in progress ;
    Phase 1 done ; Completed Phase 1 ; ✅ Phase 1 complete, Phase 2 in progress ; Phases 1-2 complete ;
    3/5 phases complete ; 33% complete ; Almost done ; Partially complete ; Not done ; Incomplete ; Implementation ;
    Design phase ; Not yet complete ; Implemented, needs tests ; Implementation complete, pending review ;
    Code complete ; Complete except for the docs ; Complete (Phase 1 only) ; Done (tests pending) ; Done. Next: deploy ;
    Done? ; Draft complete, implementing ; Dropped Phase 2, Phase 3 in progress ; Ready for QA ; Ready to merge ;
    Complete: 3/4 ; Completed 3 of 4 phases ; Complete, now testing ; Done once CI passes ; Done by Friday? ;
    Done for now ; Done with design ; Done in part ; Complete for the backend ; Deployed to staging ; Reopened ;
    Rejected by the reviewer, fixing ; Draft → Implementing ; Halfway ; [ ] Complete ; Complete by Friday ;
    Completed by end of month ; 进行中 ; 進行中 ; In Arbeit ; en cours ; 未完成 ; Done on backend ; Delivered to QA ; Complete in feature branch ; Done in principle
  blocked: Blocked ; Still blocked ; Blocked (waiting for API key) ; 🔴 Blocked by #12 ; 🔄 Blocked ; Stuck on the login
  finished: Complete ; ✅ Complete ; ✅ ; COMPLETE ✅ (verified 2026-01-02) ; Completed: 2026-01-02 ;
    Both phases complete ; All of the phases are complete ; Merged to develop ; Completed in full ; Completed to spec ;
    Completed on 2026/01/02 ; Completed by Bob ; Done (2026-01-02) ; Done! ; Done, merged in PR #12 ;
    Done and deployed ; Done (was in progress) ; Finished (May 2025) ; Shipped 🚀 ; Implemented ; Released in v1.2 ;
    100% ; 100% complete ; 5/5 phases complete ; All phases complete ; Complete - all phases done ;
    Complete (all 5 phases) ; Everything done ; Completed ✅ All 5 phases done ; Fully implemented and tested ;
    Complete | Owner: Bob ; ~~In Progress~~ Done ; Merged to main ; Done 4/4 ; Completed 1/2/2026 ; Done on 3 Nov ;
    Merged in #42 ; [x] Complete ; 完成 ; ✅ 已完成（2026-01-02） ; Abgeschlossen ; terminé
  paused: Paused ; ⏸️ ; ⏸️ On Hold ; On hold until March ; Waiting for review ; Awaiting the API key ; Deferred ; 暂停 ; En pausa
  cancelled: Cancelled ; canceled (was in progress) ; Abandoned ; Superseded by 067 ; Obsolete - see 070 ; Won't do
  not_started: Not started ; Not yet started ; Not in progress ; ⬜ ; Draft ; Proposed ; Planned for 2027 ; Pending ;
    TODO ; Ready ; Ready to start ; Ready for implementation ; 0% ; To be started ; 未开始 ; Noch offen ; 未着手 ; à faire
  unclear: Planning ; Approved ; Open ; On track ; N/A ; 検討する ; vielleicht
`);

test.each(STATUSES)('a plan whose status is %j is %s', (value, outcome) => {
  const reading = read(`# SEO workflow\n\n**Status**: ${value}\n`);
  const isBlocked =
    'said' in reading && reading.said?.phase?.status === 'blocked';
  expect(isBlocked ? 'blocked' : reading.state).toBe(outcome);
});

test('words that are added to the status of an active plan never make it finished', () => {
  const isActive = ([value, outcome]: [string, string]): boolean =>
    outcome === 'active' && value !== 'Implementation'; // `Implementation complete` is finished.
  const active = STATUSES.filter(isActive).map(([value]) => value);
  const words = fc.constantFrom(
    ...[
      '✅',
      'Done',
      'complete',
      'finished',
      'all phases complete,',
      '(2026-01-02)',
      'in',
      'by',
      'and',
    ],
    ...[
      '-',
      ',',
      'now',
      'shipped',
      '100%',
      'on',
      'for',
      'merged',
      'with',
      'verified',
      ':',
    ],
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...active),
      fc.array(words, { maxLength: 4 }),
      fc.array(words, { maxLength: 4 }),
      (value, before, after) => {
        expect(standOf([...before, value, ...after].join(' '))).not.toBe(
          'done',
        );
      },
    ),
  );
});

const PIECES =
  '✅ 🔄 ⬜ [ x ] ( ) - – : | / ~ * _ 0 1 2 done complete in_progress phase of'.split(
    ' ',
  );

test('any text is answered as a status, as a phase and as a name with marks', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 400 }),
    fc
      .array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((pieces) => pieces.join(' ')),
  );
  fc.assert(
    fc.property(text, (line) => {
      expect([undefined, 'string']).toContainEqual(standOf(line) && 'string');
      expect(line).toContain(splitMark(line).rest);
      const { current = 1, total = current } = parsePhaseLine(line).phase ?? {};
      expect(current).toBeLessThanOrEqual(total);
    }),
  );
});

describe('where the status of a plan is', () => {
  test.each([
    ['**Status:** In Progress', 'active'],
    ['**Overall Status**: In Progress', 'active'],
    ['- **Status:** In Progress', 'active'],
    ['**Status**: <!-- one of … -->In Progress', 'active'],
    ['**Owner**: Bob\n**Status**: In Progress\n**Phase**: 2\n---', 'active'],
    ['## Status: In Progress (Phase 2)', 'active'],
    ['## Status\n\n- In Progress: tests are missing', 'active'],
    ['## 📊 Current Status\n**In Progress**', 'active'],
    ['Status\n------\nIn Progress', 'active'],
    ['| Field | Value |\n|---|---|\n| **Status** | In Progress |', 'active'],
    ['## Overview\n\n**Status**: In Progress', 'active'],
    ['🔄 In Progress', 'active'],
    ['✅ Complete (May 2025)\n\nIn Progress', 'finished'],
    ['Done is better\n\nIn Progress', 'active'],
    [`${'Some words.\n\n'.repeat(1000)}**Status**: In Progress`, 'active'],
    ['## Phase 1\n**Status**: Done\n## Status\nIn Progress', 'active'],
    [
      '**Status**: Complete\n## Phase 1\n**Status**: In Progress\n- [ ] Status: in progress',
      'finished',
    ],
    ['## Tasks\n### Task 1.1\n**Status**: In Progress', 'unclear'],
    ['- [ ] Status: In Progress\n- a\n  - Status: In Progress', 'unclear'],
    ['| Status | Task |\n|---|---|\n| In Progress | a |', 'unclear'],
    ['- ⬜ Not started\n- 🔄 In Progress', 'unclear'],
    ['```\n**Status**: In Progress\n```', 'unclear'],
    ['<!-- **Status**: In Progress -->', 'unclear'],
    ['In progress work is listed below. The status: in progress.', 'unclear'],
    ['## Overview\n🔄 In Progress', 'unclear'],
    // Without a status that is understood, marks and items decide.
    ['## 🔄 Phase 1: A', 'active'],
    ['## Phase 1: A\n**Status**: In Progress', 'active'],
    ['**Status**: Approved\n## ✅ Phase 1: A\n## Phase 2: B', 'active'],
    ['- [x] a\n- [ ] b', 'active'],
    ['- [ ] a\n- [ ] b', 'unclear'],
    ['## ✅ Phase 1: A\n## ✅ Phase 2: B', 'unclear'],
    ['**Status**: Not started\n## 🔄 Phase 1: A', 'not_started'],
    ['## 🔄 Legend', 'unclear'],
  ])('%j: %s', (body, state) => {
    expect(read(`# SEO workflow\n\n${body}\n`).state).toBe(state);
  });

  test.each([
    ['# 🔄 SEO workflow', 'active'],
    ['# ✅ SEO workflow\n## 🔄 Phase 1: A', 'unclear'],
    ['# SEO workflow - COMPLETE\n## 🔄 Phase 1: A', 'unclear'],
    ['# SEO\n**Status**: In Progress', 'active'],
    ['# SEO\n**Status**: Paused', 'paused'],
    ['# SEO\n**Status**: Approved\n- [x] a\n- [ ] b', 'none'],
    ['# SEO\n**Status**: In Progress\nIn two phases.', 'active'],
    ['# SEO\n**Status**: Approved\n```\nworkflow\n```', 'none'],
    ['---\nstatus: in-progress # yes\n---\n# SEO workflow', 'active'],
    ['---\nStatus: "In Progress"\n---\n# SEO workflow', 'active'],
    ['---\n# generated\nstatus: done\n---\n# SEO workflow', 'finished'],
    ['---\n# SEO workflow\n**Status**: In Progress\n---', 'active'],
    ['', 'none'],
  ])('%j: %s', (text, state) => {
    expect(read(text).state).toBe(state);
    expect(read(text.replaceAll('\n', '\r\n')).state).toBe(state);
  });
});

/** A phase as a plan writes it: its name and mark. */
const HEADS = grouped(`
  Design: Phase 1: Design ; Phase 1 - Design ; Phase 1 — Design ; PHASE 01 – Design ; Phase 1. Design ;
    **Phase 1**: Design ; Phase #1: Design ; Phase-1: Design ; Phase 1/5: Design ; Phase 1 of 5: Design ;
    Phase 1.5: Design ; Phase B: Design ; Phase III: Design ; Phase Two: Design ; 2. Phase Two: Design ;
    Phase 1: ~~Draft~~ Design
  Phase 1: Phase 1 ; Phase 1:
  Design (API): Phase 1: Design (API)
  Design (Week 3-4): Phase 1: Design (Week 3-4)
  Design - Complete the API: Phase 1: Design - Complete the API
  Replace ✓ by an icon: Phase 1: Replace ✓ by an icon
  Design, done: ✅ Phase 1: Design ; [x] Phase 1: Design ; [✔️] Phase 1: Design ; [DONE] Phase 1: Design ;
    Phase 1: Design ✅ ; Phase 1: Design [✔] ; Phase 1: Design - COMPLETE ; Phase 1: Design — Done (2026-01-02) ;
    Phase 1: Design ✅ COMPLETE - 2026-01-02 ; Phase 1: Design ✅ (Completed: Nov 12) ; Phase 1: Design **DONE** ;
    Phase 1: Design COMPLETE ; Phase 1: Design (100%) ; Phase 1: Design (5/5 tasks) ; Phase 1 (COMPLETE): Design ;
    Phase 1 ✅: Design ; Phase 1-2: Design ✅ ; Phases 1 & 2: Design - DONE ;
    Phase 1: Design - Complete ✅ (Commit abc123) ; Phase 1: ✅ Design ; Phase 1: [DONE] Design ;
    Phase 1: Design - Status: Complete ; Phase 1: Design | ✅ Complete ; Phase 1: Design -> done ; Phase 1: Design. Done.
  Phase 1, done: Phase 1: Done
  Design, under way: 🔄 Phase 1: Design ; Phase 1: Design - IN PROGRESS ; Phase 1: Design 🔄 In Progress ;
    Phase 1: Design (IN PROGRESS) ; Phase 1: Design [WIP] ; Phase 1: Design (current focus) ; Phase 1: Design \`in_progress\` ;
    Phase 1: Design ← current ; Phase 1: Design <-- WE ARE HERE ; Phase 1: Design 👈 ; Phase 1: Design — 60% ;
    Phase 1: Design (3/5 tasks) ; Phase 1: Design (done 3/5) ; Phase 1: Design - COMPLETE, tests pending ;
    Phase 1: Design (ready for review) ; 🚧 Phase 1: Design
  Design, blocked: Phase 1: Design - BLOCKED
  Design, open: Phase 1: Design (paused) ; ⬜ Phase 1: Design ; Phase 1: Design ⏳ Pending ;
    Phase 1: Design (not started) ; Phase 1: Design [TODO]
  Design, skipped: Phase 1: Design - SKIPPED ; Phase 1: Design (cancelled) ; Phase 1: Design - deferred to v2 ;
    Phase 1: Design (skipped: not needed) ; Phase 1: Design ⏭️ ; Phase 1: Design (out of scope) ;
    Phase 1: Design (merged into Phase 9)
`);

/** How a phase stands, seen from outside: it is followed by one without a mark. */
function standing(first: string, body: (first: string) => string): string {
  const {
    phases = [],
    phase,
    skipped,
  } = said(`# SEO\nStatus: In Progress\n\n${body(first)}\n`);
  const name = phases[0] ?? '';
  if (skipped?.['1'] !== undefined) return `${name}, skipped`;
  if (phase?.current !== 1) return `${name}, done`;
  return phase.status === 'blocked' ? `${name}, blocked` : name;
}

const NEXT = 'Phase 9: Last';
test.each(HEADS)('%j is the phase %s', (text, outcome) => {
  const seen = outcome.replace(/, (?:under way|open)$/, '');
  expect(standing(text, (first) => `## ${first}\n## ${NEXT}`)).toBe(seen);
  expect(standing(text, (first) => `- ${first}\n- ${NEXT}`)).toBe(seen);
  // Only a phase that is under way counts more than one that is marked so, too.
  const last = said(`# SEO\nStatus: In Progress\n## ${text}\n## 🔄 ${NEXT}\n`)
    .phase?.current;
  expect(last).toBe(outcome.endsWith('under way') ? 1 : 2);
});

/** Plans with their phases: the current one, how many there are, and what else is said. */
test.each(
  cases(`
    ## Phase 1: A ¶ ## ✅ Phase 2: B ¶ ## 🔄 Phase 3: C ¶ ## ⏳ Phase 4: D => 3/4 C, undone 1
    ## Phase 1: A - COMPLETE ¶ ## Phase 2: B - IN PROGRESS ¶ ## Phase 3: C => 2/3 B
    ## ✅ Phase 1: A ¶ ## Phase 1.5: X 🔄 ¶ ## Phase 2: B => 2/3 X
    ## ✅ Phase 1: A ¶ ## [x] Phase 2: B ¶ ## ⬜ Phase 3: C ¶ ## Phase 4: D => 3/4 C
    ## Phase 1: A ¶ ## Phase 2: B => 1/2 A
    - [x] Phase 1：設計 ¶ - [ ] Phase 2：実装 => 2/2 実装
    ## Phase 1: A ¶ ## ✅ Phase 2: B ¶ ## Phase 3: C => 3/3 C, undone 1
    ## Phase 1: A ¶ ## Phase 2: B ¶ - [ ] b ¶ ## ✅ Phase 3: C => 2/3 B, undone 1
    ## ✅ Phase 1: A ¶ ## ☑ Phase 2: B => 2/2 B completed
    ## Phase 1: A ¶ ## ✅ Phase 2: B => 2/2 B completed, undone 1
    ## ✅ Phase 1: A ¶ - [ ] a ¶ ## ⬜ Phase 2: B ¶ - [x] b ¶ ## Phase 3: C => 2/3 B
    ## Phase 1: A ¶ - [x] a ¶ - [✓] b ¶ - ✅ c ¶ - [ ] ~~d~~ ¶ ## Phase 2: B ¶ - [ ] e => 2/2 B
    ## Phase 1: A ¶ ✅ COMPLETE ¶  ¶ ## Phase 2: B ¶ 🔄 IN PROGRESS ¶ ## Phase 3: C => 2/3 B
    ## Phase 1: A ¶ - [x] a ¶ 1. [ ] b ¶ ## Phase 2: B => 1/2 A
    ## Phase 1: A ¶ - [x] a ¶ ## Notes ¶ - [ ] milk ¶ ## Phase 2: B => 2/2 B
    ## Phase 1: A ¶ **Status**: ✅ Complete ¶ ## Phase 2: B ¶ ### Task ¶ **Status**: Done => 2/2 B
    ## ✅ Phase 1: A ¶ ## Phase 2: B - SKIPPED ¶ ## Phase 3: C (deferred) ¶ ## Phase 4: D => 4/4 D, skipped 2 SKIPPED, skipped 3 deferred
    ## ✅ Phase 1: A ¶ ## Phase 2: B - BLOCKED ¶ ## Phase 3: C => 2/3 B blocked
    - [x] Phase 1: A ¶ - [ ] Phase 2: B ¶ - [ ] Phase 3: C => 2/3 B
    1. ✅ **Phase 1**: A ¶ 2. 🔄 **Phase 2**: B ¶ 3. Phase 3: C => 2/3 B
    - Phase 1: A ¶   - [x] a ¶ - Phase 2: B ¶   - [ ] b => 2/2 B
    | Phase | Name | Status | ¶ |---|---|---| ¶ | 1 | A | ✅ Done | ¶ | 2 | B | In Progress | ¶ | 3 | C | - | => 2/3 B
    | Phase | Status | ¶ |---|---| ¶ | Phase 1: A | ✅ | ¶ | Phase 2: B | 🔄 | => 2/2 B
    | Phase 1 | A | done | ¶ |---|---|---| ¶ | Phase 2 | B | todo | => 2/2 B
    **Phase 1: A** ✅ ¶  ¶ **Phase 2: B** - in progress ¶  ¶ **Phase 3: C** => 2/3 B
    - [x] Phase 1: A ¶ - [ ] Phase 2: B ¶  ¶ ## Phase 1: A ¶ ## Phase 2: B => 2/2 B
    ## Completed ¶ - Phase 1: A ¶ ## In Progress ¶ - Phase 2: B ¶ ## Remaining ¶ - Phase 3: C => 2/3 B
    ## Phase A: X ✅ ¶ ## Phase B: Y ¶ ## Phase C: Z => 2/3 Y
    ## Phase 2: B ¶ ### Phase 2.1: X ¶ ### Phase 2a ¶ ## Phase 1: A => 1/2 B
    ## ✅ Phase 1: A ¶ ## Phase 2: B ¶ ## ✅ Phase 1 summary => 2/2 B
    ## Phase 1: A ¶ ## The next Phase 3 ¶ - Phase 2 will be hard ¶ \`\`\` ¶ ## Phase 4 ¶ \`\`\` => 1/1 A
    ## ✅ Phase 1: A ¶ ## ~~Phase 2: B~~ ¶ ## Phase 3: C => 2/2 C
    ## Phase 1 ✅ A ¶ ## Phase 2 🔄 B ¶ ## Phase 3 ⬜ C => 2/3 B
    **Current Phase**: 2 ¶ ## Phase 1: A ¶ ## Phase 2: B ¶ ## Phase 3: C => 2/3 B, undone 1
    Status: Phase 1 complete, Phase 2 in progress ¶ ## Phase 1: A ¶ ## Phase 2: B ¶ ## Phase 3: C => 2/3 B
    Status: Phases 1-2 complete ¶ ## Phase 1: A ¶ ## Phase 2: B ¶ ## Phase 3: C => 3/3 C
    Status: Active, phase 3 after review ¶ ## Phase 1: A ¶ ## Phase 2: B ¶ ## Phase 3: C => 1/3 A
    ## Phase 1: A ¶ Status: ✅ PR #12 ¶ ## Phase 2: B => 2/2 B
    Status: Phase 2 of 3 ¶ ## Phase 1: A ¶ ## Phase 2: B ¶ ## Phase 3: C => 2/3 B, undone 1
    Current phase: Phase 1 (A) ¶ ## ✅ Phase 1: A ¶ ## Phase 2: B => 2/2 B
    A workflow. => 
  `),
)('the current phase of a plan: %j', (body, outcome) => {
  const {
    phase,
    skipped = {},
    undone = [],
  } = said(
    body.startsWith('Status')
      ? `# SEO\n${body}\n`
      : `# SEO\nStatus: In Progress\n\n${body}\n`,
  );
  const status = phase?.status === 'in_progress' ? '' : ` ${phase?.status}`;
  const shown = [
    ...(phase
      ? [`${phase.current}/${phase.total} ${phase.name}${status}`]
      : []),
    ...undone.map((n) => `undone ${n}`),
    ...Object.entries(skipped).map(([n, word]) => `skipped ${n} ${word}`),
  ];
  expect(shown.join(', ')).toBe(outcome);
});

/** The value of a Phase line in the local file: numbers, name, status; a line in quotes stands for itself. */
const LINES = cases(`
  4/10 - SEO => 4/10 SEO
  4 out of 10: SEO => 4/10 SEO
  4/10 SEO => 4/10 SEO
  Phase 4 of 10: SEO => 4/10 SEO
  [4/10] SEO => 4/10 SEO
  4/10 => 4/10
  0/3 - Setup => ? Setup "0/3 - Setup"
  1/2 - Build (API) => 1/2 Build (API)
  1/2 - Build (API) (done) => 1/2 Build (API) completed
  4/10 - SEO (🔄 in progress) => 4/10 SEO in_progress
  4/10 - SEO (blocked) => 4/10 SEO blocked
  4/10 - SEO [TODO] => 4/10 SEO not_started
  4/10 - SEO (not done) => 4/10 SEO
  4/10 - SEO (skipped) => 4/10 SEO (skipped) not_started
  4/10 - In Progress: SEO => 4/10 SEO in_progress
  4. SEO => 4 SEO "4. SEO"
  On hold => "On hold"
  4/10 complete => 4/10 completed
  3/5 phases complete => 3/5 completed
  4/10 (SEO) => 4/10 SEO
  4/10 - SEO, next: Ship => 4/10 SEO, next: Ship
  4/10+ - SEO => ? SEO "4/10+ - SEO"
  4 => 4 "4"
  4 - SEO => 4 SEO "4 - SEO"
  SEO => SEO "SEO"
  SEO (done) => SEO completed "SEO (done)"
  2 factor login => 2 factor login "2 factor login"
  3D rendering => 3D rendering "3D rendering"
  4/10/2025 => 4/10/2025 "4/10/2025"
  2a/3 - Foo => ? Foo "2a/3 - Foo"
  2.5/4 - Foo => ? Foo "2.5/4 - Foo"
  Phase 2.5 - Foo => ? Foo "Phase 2.5 - Foo"
  2b of 4: Foo => ? Foo "2b of 4: Foo"
  1-2/5 - Both => ? Both "1-2/5 - Both"
  11/10 - Build => ? Build "11/10 - Build"
  4/0 - Build => ? Build "4/0 - Build"
  -1/5 - Build => ? Build "-1/5 - Build"
  99999999999999999999/99999999999999999999 => ? "99999999999999999999/99999999999999999999"
  None => nothing
  N/A => nothing
  - => nothing
  TBD => nothing
  <n>/<total> - <name> => nothing
  [current]/[total] => nothing
  X/Y - Name => nothing
`);

test.each(LINES)('the phase line %j says %s', (line, outcome) => {
  const { phase } = parsePhaseLine(line);
  const { current, total, name, status, line: whole } = phase ?? {};
  const numbers = total === undefined ? current : `${current}/${total}`;
  const words = [
    phase?.total_known === false ? '?' : numbers,
    name,
    status,
    whole === undefined ? undefined : `"${whole}"`,
  ];
  expect(
    words.filter((word) => word !== undefined).join(' ') || 'nothing',
  ).toBe(outcome);
});

/** The lines of a section, and what each workflow in it says. */
test.each(
  cases(`
    Workflow: A ¶ Phase: 1/2 - X => A active 1/2
    Workflow: A => A active
    Workflow: A ¶ Phase: Build => A active "Build"
    Workflow: A ¶ Phase: <n>/<m> => A active
    Current Workflow: A ¶ Current Phase: 1/2 => A active 1/2
    Workflow: A ¶ - Phase 1: X ✅ ¶ - Phase 2: Y ¶ - Phase 3: Z => A active 2/3 in_progress
    Phase: 1/2 => 
    Workflow: None => 
    Workflow: None (last: SEO, done) ¶ Phase: N/A => 
    Workflow: N/A => 
    Workflow: - ¶ Phase: - => 
    Workflow: (no active workflow) => 
    Workflow: _none_ => 
    Workflow: <name> ¶ Phase: <n>/<total> - <name> => 
    Workflow: {{workflow}} => 
    Workflow: YOUR_WORKFLOW_NAME => 
    Workflow: COMPLETE ✅ => 
    Workflow: None of the above ¶ Phase: 1/2 => None of the above active 1/2
    My workflow: first this. ¶ Each phase: that. => 
    \`\`\` ¶ Workflow: A ¶ Phase: 1/2 ¶ \`\`\` => 
    <!-- ¶ Workflow: A ¶  ¶ Phase: 1/2 ¶ --> => 
    ~~Workflow: A~~ ¶ Phase: 1/2 => 
    Workflow: A ¶ ~~Phase: 1/2~~ => A active
    Workflow: A ¶ Phase: 3/3 - Ship (completed) => A finished 3/3 completed
    Workflow: A ¶ Phase: ✅ 3/3 - Ship => A finished 3/3 completed
    Workflow: A ¶ Phase: Ship - COMPLETE => A unclear completed "Ship - COMPLETE"
    Workflow: A ¶ Phase: Completed => A finished completed "Completed"
    Workflow: A ¶ Phase: All 5 phases complete => A finished completed "All 5 phases complete"
    Workflow: A ¶ Phase: Phase B - COMPLETE => A active ? completed "Phase B - COMPLETE"
    Workflow: A ¶ Phase: 2 von 5 - Build ✅ => A active ? completed "2 von 5 - Build ✅"
    Workflow: A ¶ Phase: II/V - Build (DONE) => A active ? completed "II/V - Build (DONE)"
    Workflow: A ¶ Phase: two of five (DONE) => A active ? completed "two of five (DONE)"
    Workflow: A ¶ Phase: 2 / ? - COMPLETE => A active ? completed "2 / ? - COMPLETE"
    Workflow: A ¶ Phase: ５/１０ Test (DONE) => A active ? completed "５/１０ Test (DONE)"
    Workflow: A ¶ Phase: A - COMPLETE => A active ? completed "A - COMPLETE"
    Workflow: A ¶ Phase: Build (open), Design (done) => A active ? completed "Build (open), Design (done)"
    Workflow: A ¶ Phase: Build - DONE, next: Test => A active ? completed "Build - DONE, next: Test"
    Workflow: A ¶ Phase: 3/3 - Ship: done 2/7 => A active 3/3 in_progress
    Workflow: A ¶ Phase: 1/3 (done) ¶ Phase: 2/3 🔄 ¶ Phase: 3/3 (deferred) => A active 2/3 in_progress
    Workflow: A ¶ Required Reading: @a.md, @b.md => A active @a.md @b.md
    Workflow: A ¶ Status: Completed => A finished completed
    Workflow: A ¶ Phase: 3/3 - Ship ¶ Status: ✅ Done => A finished 3/3 completed
    Workflow: A - COMPLETE ¶ Phase: 3/3 - Ship => A finished 3/3 completed
    Workflow: Миграция ✅ done ¶ Phase: 2/5 - B => Миграция active 2/5 completed
    Workflow: A ¶ Phase: 3/3 - ΕΛΕΓΧΟΣ DONE => A active 3/3
    Workflow: 移行 (done) ¶ Phase: 5/5 - テスト DONE => 移行 finished 5/5 completed
    Workflow: A ¶ Phase: 3/3 - Ship => A active 3/3
    Workflow: A ¶ Phase: 3/3 - Ship ¶ Status: Phase 2 complete => A active 3/3 in_progress
    Workflow: A ¶ Phase: 2/3 - Build (completed) => A active 2/3 completed
    Workflow: A ¶ Phase: 2/3 - Build ¶ Status: Completed => A active 2/3 completed
    Workflow: A ¶ Phase: 3 - Ship (completed) => A active 3/? completed "3 - Ship (completed)"
    Workflow: A ¶ Phase: 2a/3 - Build (completed) => A active ? completed "2a/3 - Build (completed)"
    Workflow: A ¶ Phase: 2/3 ¶ Status: Paused => A paused 2/3
    Workflow: A ¶ Phase: 2/3 - Build (on hold) => A paused 2/3
    Workflow: A ¶ Phase: 2/3 ¶ Status: Cancelled => A cancelled 2/3
    Workflow: A ¶ Phase: 2/3 ¶ Status: Blocked by CI => A active 2/3 blocked
    Workflow: A ¶ Phase: 2/3 (blocked) ¶ Status: in progress => A active 2/3 blocked
    Workflow: A ¶ Phase: 2/3 ¶ Status: Not started => A active 2/3 not_started
    Workflow: A ¶ Phase: 2/3 ¶ Status: whatever => A active 2/3
    Workflow: A ¶ Phase: 2/3 ¶ ## Tasks ¶ Status: done => A active 2/3
    Workflow: A ¶ Phase: 2/3 ¶ - a task ¶   Status: done => A active 2/3
    Workflow: A ¶ Phase: 2/3 ¶ - [x] Status: done => A active 2/3
    Workflow: A ¶ Phase: 2/3 ¶  ¶ Context: ¶ - status: done => A active 2/3
    Workflow: A ¶ Phase: 1/3 - X (completed) ¶ Phase: 2/3 - Y => A active 2/3
    Workflow: A ¶ Phase: 1/3 - X ✅ ¶ Phase: 2/3 - Y ✅ => A active 2/3 completed
    Workflow: A ¶ Phase: 2/3 ¶ ## Old notes ¶ Phase: 1/3 => A active 2/3
    Workflow: A ¶ Phase: 3: Ship => A active 3/? "3: Ship"
    Workflow: A ¶ Phase: 1/2 ¶ @a.md ¶  ¶ Workflow: B ¶ Phase: 2/3 ¶ @b.md => A active 1/2 @a.md; B active 2/3 @b.md
    ## One ¶ Workflow: A ¶ @a.md ¶ ## Two ¶ @b.md ¶ Workflow: B => A active @a.md; B active @b.md
    Workflow: A ¶ @a.md ¶ ## Before ¶ Workflow: B ¶ Phase: 2/2 (done) ¶ @b.md => A active @a.md; B finished 2/2 completed @b.md
    ## Details ¶ Workflow: A ¶ Phase: 1/2 ¶ ## Reading ¶ @a.md => A active 1/2 @a.md
    Workflow: A ¶ Phase: 1/2 ¶ Workflow: a ¶ @a.md => A active 1/2 @a.md
    Workflow: A ¶ Phase: 1/2 ¶  ¶ # Other ¶ @b.md ¶ Type: planning => A active 1/2
  `),
)('a section of the local file: %j', (lines, outcome) => {
  for (const newline of ['\n', '\r\n']) {
    const text = `# Workflow State\n${lines}\n`.replaceAll('\n', newline);
    const shown = readLocalFile(text).map(({ state, said: declared }) => {
      const {
        current,
        total,
        status,
        line,
        total_known: isKnown,
      } = declared.phase ?? {};
      const numbers =
        current === undefined ? undefined : `${current}/${total ?? '?'}`;
      return [
        declared.workflow,
        state,
        isKnown === false ? '?' : numbers,
        status,
        line && `"${line}"`,
        ...declared.required_reading,
      ]
        .filter((word) => word !== undefined)
        .join(' ');
    });
    expect(shown.join('; ')).toBe(outcome);
  }
});

test.each(
  cases(`
    # Current Workflow State => yes
    WORKFLOW STATE => yes
    workflow state: => yes
    ### Active Workflow State (auto-saved) => yes
    ## Claude Workflow State - do not delete => yes
    # Workflow State for Shop => yes
    > **Workflow State** => yes
    WORKFLOW_STATE => yes
    <!-- Workflow State --> => yes
    <!-- BEGIN WORKFLOW STATE --> => yes
    <!-- workflow-state: start --> => yes
    <!-- keep the workflow state below up to date --> => no
    Remember to keep the workflow state up to date. => no
    The workflow state: it is kept elsewhere => no
    Workflow state is saved by a hook => no
    ## Why workflow state matters => no
    \`Workflow\` state => no
  `),
)('is %j a marker? %s', (marker, answer) => {
  const found = readLocalFile(
    `${marker}\n\nWorkflow: SEO\nPhase: 1/2\n`,
  ).length;
  expect(found > 0 ? 'yes' : 'no').toBe(answer);
});

test.each([
  ['<!-- Workflow State -->\nWorkflow: A\n<!-- /Workflow State -->\n@b.md', []],
  [
    '<!-- Workflow State -->\nWorkflow: A\n@a.md\n<!-- End Workflow State -->\n@b.md',
    ['@a.md'],
  ],
  ['<!-- Workflow State -->\nWorkflow: A\n<!-- a remark -->\n@a.md', ['@a.md']],
  ['<!-- Workflow State -->\nWorkflow: A\n## Notes\n@b.md', []],
])('a marker in a comment: %j', (text, reading) => {
  expect(
    readLocalFile(text).map(({ said: declared }) => declared.required_reading),
  ).toEqual([reading]);
});

test('a section that says finished, paused or cancelled in its heading says so', () => {
  const state = (marker: string): unknown =>
    readLocalFile(`## ${marker}\nWorkflow: A\nPhase: 3/3\n`)[0]?.state;
  expect(state('Workflow State (COMPLETED)')).toBe('finished');
  expect(state('Workflow State - PAUSED')).toBe('paused');
  expect(state('Workflow State ✅')).toBe('finished');
  expect(state('Workflow State')).toBe('active');
});
