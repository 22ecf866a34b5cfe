import { describe, expect, test } from 'vitest';
import type { DueArtifact } from '../../../src/guidance/artifacts/load-plain.ts';
import {
  buildGuidance,
  leftOutOf,
  type GuidanceInput,
} from '../../../src/guidance/guidance.ts';
import type {
  ReadingEntry,
  ReadingState,
} from '../../../src/guidance/reading/required-reading.ts';
import type { StepFrame } from '../../../src/guidance/step.ts';
import { aPhase, aRun, aSaid, localFile } from '../../support/runs.ts';
import { guidanceOf } from './support.ts';

const build = (fields: Partial<GuidanceInput> = {}) =>
  buildGuidance(guidanceOf(fields));
const unread = (...paths: string[]): ReadingEntry[] =>
  paths.map((path) => ({ path, state: 'unread' }));
const many = (count: number, text: string): string[] =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}`);
const sectionOf = (fields: Partial<GuidanceInput>, name: string): string[] =>
  build(fields)
    .sections.find((section) => section.name === name)
    ?.text.split('\n') ?? [];

const full: Partial<GuidanceInput> = {
  run: aRun({
    workflow: 'Release',
    workflow_type: 'planning',
    run_id: 'release-1',
    phase: aPhase({ current: 2, total: 3, name: 'Build' }),
    key_reminders: ['tag last', 'no force push', 'tag last'],
    context: { branch: 'main', reviewed: true },
    artifacts: { notes: 'docs/notes.md' },
    outputs: { 1: { text: 'a plan', artefacts: ['plan.md', 'todo.md'] } },
  }),
  isOwn: false,
  reading: unread('@docs/a.md', '@docs/b.md'),
  contentOf: (path) => (path === '@docs/b.md' ? 'Rule one.\n' : undefined),
  todo: ['In TODO.md: 1 of 2 done'],
  others: ['Other, phase 1/5 (other-1)'],
  sources: [
    localFile(aSaid({ workflow: 'Release', phase: { current: 1, total: 3 } })),
  ],
};

test('everything a session needs, most important first, nothing twice', () => {
  expect(build(full).text).toBe(`WORKFLOW RESTORED AFTER COMPACTION

Workflow: Release
Type: planning
Phase: 2/3 - Build (in_progress)
This replaces the Phase line of CLAUDE.local.md, which still says 1/3. \`holdfast update release-1 --phase 1\` goes there.

REQUIRED READING
@docs/a.md
@docs/b.md (content below)

ACTION REQUIRED
1. The files above are required reading: those without a mark whose content is not in this conversation still have to be opened with the Read tool.
2. Begin your next message with one line, then go on: ✅ Workflow restored: Release, Phase 2/3
3. Where a summary differs, these files and this run count; above all, the user's last word.
4. When done: holdfast advance release-20250501_080000
5. If this conversation is about something else, run \`holdfast release\`.

Key Reminders
- tag last
- no force push

Context
- branch: main
- reviewed
- notes: docs/notes.md
- files of phase 1: plan.md, todo.md
- output of phase 1: a plan

@docs/b.md
\`\`\`
Rule one.
\`\`\`

Todo
In TODO.md: 1 of 2 done

Other active runs
- Other, phase 1/5 (other-1)`);
  expect(build(full).inlined.map(({ id, content }) => [id, content])).toEqual([
    ['@docs/b.md', 'Rule one.\n'],
  ]);
});

const step: StepFrame = {
  title: 'Instructions for step 2 of 3 (code)',
  instructions: ['> Code it.'],
  preserved: ['- output of plan: in two parts'],
  feedback: ['**[CODE_PIVOT_FEEDBACK]:** again'],
  outputs: [],
  hidden: new Set(['context team', 'artifact notes']),
  leftBehind: ['context team', 'artifact notes'],
  unknown: ['later'],
};

test('the sections of a step stand before the context', () => {
  const guidance = build({ ...full, step });
  expect(guidance.sections.map(({ name }) => name)).toEqual([
    'head',
    'REQUIRED READING',
    'ACTION REQUIRED',
    'Key Reminders',
    'Instructions for step 2 of 3 (code)',
    'Preserved',
    'Feedback',
    'Context',
    'content of @docs/b.md',
    'Todo',
    'Other active runs',
  ]);
  expect(leftOutOf(guidance)).toContain(
    '"later" should be preserved, but does not exist yet',
  );
});

test.each<[ReadingState, string, number]>([
  ['changed', '@a.md', 1],
  ['missing', '@a.md (missing)', 0],
  ['outside', '@a.md (outside the project)', 0],
  ['host', '@a.md (loaded by the host)', 0],
])(
  'a required file that is %s is marked, and given or asked for if it can be',
  (state, line, count) => {
    const reading: ReadingEntry[] = [{ path: '@a.md', state }];
    expect(sectionOf({ reading }, 'REQUIRED READING')).toEqual([
      'REQUIRED READING',
      line,
    ]);
    const [, first] = sectionOf({ reading }, 'ACTION REQUIRED');
    const asks =
      /^1\. The files above are required .* still have to be opened with the Read tool\.$/;
    expect(first).toMatch(
      count === 1 ? asks : /^1\. Begin your next message with .*: ✅/,
    );
    expect(build({ reading, contentOf: () => 'text' }).inlined).toHaveLength(
      count,
    );
  },
);

test.each<[string, Partial<GuidanceInput>, RegExp]>([
  ['a phase that goes on', {}, /with one line, then go on: ✅/],
  [
    'a phase that waits for the word of the user',
    {
      run: aRun({
        phase: aPhase({
          status: 'not_started',
          waits_since: '2025-06-01T11:00:00.000Z',
        }),
      }),
    },
    /with one line: ✅/,
  ],
  [
    'a user who wants to be asked first',
    { isCompacted: true, confirms: true },
    /with one line: ✅/,
  ],
])('for %s, the line that the user looks for is one line', (_, input, line) => {
  const lines = sectionOf(input, 'ACTION REQUIRED');
  expect(lines?.filter((each) => each.includes('✅'))).toEqual([
    expect.stringMatching(line),
  ]);
});

describe('contents', () => {
  const [large, whole] = ['x'.repeat(11), 'x'.repeat(10)];
  test.each([
    [
      'in their order, while they fit',
      '@z=zzzz @a=aaaa @m=mm @b=b',
      '@z @a @m',
    ],
    [
      'never in part, also before a smaller one',
      `@large=${large} @whole=${whole}`,
      '@whole',
    ],
    [
      'not if they are empty, blank or cannot be read',
      '@a= @b=\n\t\r\n @c @d=text',
      '@d',
    ],
  ])('are given %s', (_how, files, given) => {
    const contents = new Map(
      files.split(' ').map((file): [string, string | undefined] => {
        const [path = '', content] = file.split('=');
        return [path, content];
      }),
    );
    const { inlined } = build({
      reading: unread(...contents.keys()),
      contentOf: (path) => contents.get(path),
      inlineChars: 10,
    });
    expect(inlined.map(({ id }) => id).join(' ')).toBe(given);
  });

  test('of critical artifacts come after those of required files, with what is left', () => {
    const due = (id: string, text: string): DueArtifact => ({
      id,
      loaded: { kind: 'text', text, path: `docs/${id}.md` },
    });
    const artifacts = [
      due('a', 'x'.repeat(60)),
      due('b', 'y'.repeat(50)),
      due('c', 'z'.repeat(40)),
    ];
    const fields = {
      artifacts,
      reading: unread('@r.md'),
      contentOf: () => 'rule',
    };
    const { text, inlined: given } = build({ ...fields, inlineChars: 104 });
    expect(given.map(({ id }) => id)).toEqual(['@r.md', 'a', 'c']);
    expect(text).toContain(
      `\nArtifact a (@docs/a.md)\n\`\`\`\n${'x'.repeat(60)}\n\`\`\``,
    );
    expect(text).toContain(
      '- a: content below\n- b: @docs/b.md (50 bytes), to be opened',
    );
  });
});

test('reminders and facts are given whole while they fit, then the longest is cut, with what is missing', () => {
  const [long, longer] = ['r'.repeat(500), 'v'.repeat(1_500)];
  const whole = aRun({
    key_reminders: [long, 'second'],
    context: { k: longer },
  });
  expect(sectionOf({ run: whole }, 'Key Reminders').slice(1)).toEqual([
    `- ${long}`,
    '- second',
  ]);
  expect(sectionOf({ run: whole }, 'Context').slice(1)).toEqual([
    `- k: ${longer}`,
  ]);

  const run = aRun({
    context: { a: 'short', k: 'v'.repeat(20_000), l: 'w'.repeat(900) },
  });
  const [, first, second = '', third] = sectionOf({ run }, 'Context');
  expect([first, third]).toEqual(['- a: short', `- l: ${'w'.repeat(900)}`]);
  const [, kept = '', left] =
    /^- k: (v+)… \((\d+) more characters: `holdfast show \S+`\)$/.exec(
      second,
    ) ?? [];
  expect(kept.length + Number(left)).toBe(20_000);
  expect(kept.length).toBeGreaterThan(4_000);
});

describe('the budget', () => {
  const crowd = many(400, 'a line of some length');
  const crowded: Partial<GuidanceInput> = {
    run: aRun({
      key_reminders: crowd,
      context: Object.fromEntries(crowd.map((key) => [key, 1])),
    }),
    reading: unread(...many(100, '@docs/a-required-file.md')),
    todo: ['In TODO.md: 0 of 5 done'],
    others: crowd,
  };

  test.each([
    ['Key Reminders', 900, String.raw`holdfast show \S+`],
    ['Context', 700, String.raw`holdfast show \S+`],
    ['Other active runs', 500, 'holdfast list'],
  ])(
    'none starves %s: of its %i characters it has what it can use',
    (name, share, shownBy) => {
      for (const scale of [0.5, 1]) {
        const fields = {
          ...crowded,
          reading: unread('@a.md', '@b.md'),
          contentOf: () => 'x'.repeat(900),
          maxChars: 8_000 * scale,
        };
        const text = sectionOf(fields, name).join('\n');
        expect(text.length).toBeGreaterThan(share * scale - 50);
        expect(text).toMatch(new RegExp(`\\n… \\d+ more: \`${shownBy}\`$`));
        expect(build(fields).text.length).toBeLessThanOrEqual(fields.maxChars);
      }
    },
  );
});

test('ACTION REQUIRED ends within the first 2,000 characters, and files are named, whatever was skipped', () => {
  const phases = many(
    12,
    'a phase whose name is longer than it should be for any list of them',
  );
  const skipped = Object.fromEntries(phases.map((name, at) => [at + 1, name]));
  const run = aRun({ phases, skipped, phase: aPhase({ total: 12 }) });
  const reading = unread(...many(9, '@docs/a.md'));
  const { text, inlined } = build({
    run,
    reading,
    isCompacted: false,
    contentOf: (path) => path,
  });
  expect(inlined).toHaveLength(9);
  expect(text.slice(0, 2_000)).toMatch(
    /Skipped, not done: .*\n@docs.*✅ Workflow restored: .*When done: holdfast advance/s,
  );
});

describe('what is left out', () => {
  const leftOut = (fields: Partial<GuidanceInput>): string[] =>
    leftOutOf(build(fields));

  test('is told with its reason', () => {
    expect(
      leftOut({ reading: unread('@a.md'), contentOf: () => 'x'.repeat(3_000) }),
    ).toEqual([
      'content of @a.md: no space for its 3000 characters; listed for the Read tool',
    ]);
    expect(leftOut({ reading: unread('@a.md') })[0]).toContain(
      'withheld from agents',
    );
    expect(
      leftOut({ reading: unread('@a.md'), contentOf: () => ' \n' }),
    ).toEqual([]);
  });

  test('names what a clear does not carry over', () => {
    const run = aRun({
      context: { team: 'us', budget: 2 },
      artifacts: { notes: 'notes.md' },
    });
    expect(leftOut({ run, step }).join('\n')).toMatch(
      /\n"context team": .*\n"artifact notes": /,
    );
    expect(sectionOf({ run, step }, 'Context')).toEqual([
      'Context',
      '- budget: 2',
    ]);
  });
});
