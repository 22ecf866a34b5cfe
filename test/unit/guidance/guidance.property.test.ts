import type { DueArtifact } from '../../../src/guidance/artifacts/load-plain.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildGuidance,
  readingLine,
  type GuidanceInput,
} from '../../../src/guidance/guidance.ts';
import { sanitizeLine, truncate } from '../../../src/text/sanitize.ts';
import {
  requiredPaths,
  type ReadingEntry,
} from '../../../src/guidance/reading/required-reading.ts';
import { PHASE_STATUSES } from '../../../src/state/types.ts';
import { aTemplate, action } from '../../support/templates.ts';
import { NO_STEP, stepFrame } from '../../../src/guidance/step.ts';
import { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import { stateWithMachine } from '../../../src/state/template-run.ts';
import { anyText } from '../../support/arbitraries.ts';
import {
  askedFor,
  hostTagIn,
  outsideFences,
  READING_STATES,
} from '../../support/guidance-text.ts';
import { todoLines } from '../../../src/guidance/todo/list.ts';
import { aRun, aSaid, aState, localFile } from '../../support/runs.ts';
import { AS_IS, guidanceOf } from './support.ts';
import { repetitions } from '../../support/repetitions.ts';

const TITLE = 'WORKFLOW RESTORED AFTER COMPACTION';
const HEADINGS = [
  TITLE,
  'REQUIRED READING',
  'ACTION REQUIRED',
  'Key Reminders',
  'Preserved',
  'Feedback',
  'Context',
  'Todo',
  'Other active runs',
];

const texts = fc.array(anyText(), { maxLength: 12 });
const named = <T>(value: fc.Arbitrary<T>) =>
  fc
    .array(fc.tuple(anyText(), value), { maxLength: 8 })
    .map(Object.fromEntries);
const states = fc.constantFrom<ReadingEntry['state']>(...READING_STATES);
const entry = fc.record({
  path: anyText().map((path) => `@${path}`),
  state: states,
});
/** Hundreds of entries for a few files, each spelled as somebody might spell it. */
const spelled = fc
  .array(
    fc.tuple(
      fc.constantFrom('', './', 'docs/../', './/', '/project/'),
      fc.oneof(
        fc.nat(150).map((number) => `docs/required-${number}.md`),
        fc.nat(3).map((number) => `${'long/'.repeat(60)}${number}.md`),
        fc.constantFrom(
          'a b.md',
          'a\u200Bb.md',
          'CLAUDE.md',
          '../outside.md',
          '~/home.md',
        ),
      ),
    ),
    { maxLength: 300 },
  )
  .map((paths) => {
    const required = paths.map(([start, path]) => `@${start}${path}`);
    return requiredPaths(
      aState({ required_reading: required }),
      '/project',
    ).map((path): ReadingEntry => ({
      path,
      state:
        path === '@CLAUDE.md'
          ? 'host'
          : /^@(?:~|\.\.)/.test(path)
            ? 'outside'
            : 'unread',
    }));
  });
const reading = fc.oneof(
  fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 12 }),
  spelled,
);

const phase = fc
  .record({
    current: fc.nat(1_000_000),
    more: fc.nat(1_000_000),
    name: anyText(),
    status: fc.constantFrom(...PHASE_STATUSES),
  })
  .map(({ current, more, ...rest }) => ({
    current,
    total: current + more,
    ...rest,
  }));
const run = fc
  .record(
    {
      workflow: anyText(),
      workflow_type: anyText(),
      phase,
      key_reminders: texts,
      context: named(fc.oneof(anyText(), fc.jsonValue())),
      artifacts: named(anyText()),
      outputs: named(
        fc.record({ text: anyText(), artefacts: texts }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: ['workflow', 'workflow_type', 'phase'] },
  )
  .map((fields) => aRun(fields));

/** A step whose words are anybody's: templates come with cloned repositories, feedback from any agent. */
const anyStep = fc
  .record({
    agent: fc.option(anyText(200)),
    instructions: fc
      .array(anyText(500), { maxLength: 30 })
      .map((lines) => lines.join('\n')),
    output: anyText(5_000),
    summary: anyText(100),
    why: anyText(200),
    feedback: fc.array(
      fc
        .array(anyText(500), { minLength: 1, maxLength: 30 })
        .map((lines) => lines.join('\n')),
      { maxLength: 3 },
    ),
    preserve: fc.subarray([
      'summary',
      'feedback',
      'build',
      'fact',
      'file',
      'nothing',
    ]),
    context: fc.constantFrom(
      'clear' as const,
      'compact' as const,
      'keep' as const,
    ),
    kind: fc.constantFrom('due', 'requested', 'performed', 'broken'),
  })
  .map(
    ({
      agent,
      instructions,
      output,
      summary,
      why,
      feedback,
      preserve,
      context,
      kind,
    }) => {
      const { state } = aRun();
      const broken = aRun({ machine: { step: why } });
      if (kind === 'broken') return stepFrame(broken, AS_IS);
      const check = action('check', {
        instructions,
        ...(agent === null ? {} : { agent }),
      });
      const template = aTemplate([action('build'), check], {
        transitions: [{ from: 'build', to: 'check', context, preserve }],
      });
      const machine = new WorkflowStateMachine(template);
      machine.start(summary);
      machine.advance(output);
      if (kind !== 'due')
        machine.markContextActionExecuted('2025-06-01T12:00:00.000Z');
      if (kind === 'performed')
        machine.performContextAction('clear', '2025-06-01T12:00:00.000Z');
      const entries = feedback.map((text) => ({ ...SENT_BACK, text }));
      const fields = { ...state, template: { ...template }, feedback: entries };
      const facts = { context: { fact: output }, artifacts: { file: why } };
      return stepFrame(
        {
          ...aRun(),
          state: stateWithMachine({ ...fields, ...facts }, machine),
        },
        AS_IS,
      );
    },
  );

const SENT_BACK = {
  from: 'final_review',
  to: 'check',
  tag: 'FINAL_PIVOT_FEEDBACK',
  at: '2025-06-01T12:00:00.000Z',
};

const anyArtifact: fc.Arbitrary<DueArtifact> = fc.record({
  id: anyText(60),
  description: anyText(200),
  loaded: fc.oneof(
    fc.record({
      kind: fc.constant('text' as const),
      text: anyText(1_500),
      path: anyText(100),
    }),
    fc.record({
      kind: fc.constantFrom('missing', 'listed', 'empty', 'refused'),
      words: anyText(400),
    }),
  ),
});

const anyTodo = fc
  .tuple(
    anyText(),
    fc.array(fc.record({ text: anyText(), done: fc.boolean() })),
  )
  .map(([path, items]) =>
    todoLines(
      path,
      items.map((item, index) => ({ ...item, n: index + 1 })),
    ),
  );

const stale = fc
  .tuple(anyText(), anyText())
  .map(([path, name]) => ({ ...localFile(aSaid({ phase: { name } })), path }));

const input: fc.Arbitrary<GuidanceInput> = fc
  .record({
    run,
    isOwn: fc.boolean(),
    reading,
    contents: fc.array(fc.option(anyText(1_000), { nil: undefined }), {
      minLength: 1,
      maxLength: 5,
    }),
    others: fc.array(anyText().map(sanitizeLine), { maxLength: 12 }),
    step: fc.option(anyStep, { nil: NO_STEP }),
    artifacts: fc.array(anyArtifact, { maxLength: 6 }),
    todo: anyTodo,
    sources: fc.array(stale, { maxLength: 1 }),
    maxChars: fc.integer({ min: 2_000, max: 8_000 }),
    inlineChars: fc.integer({ min: 0, max: 6_000 }),
  })
  .map(({ contents, ...rest }) =>
    guidanceOf({
      ...rest,
      contentOf: (path) =>
        contents[
          rest.reading.findIndex((one) => one.path === path) % contents.length
        ],
    }),
  );

type Guidance = ReturnType<typeof buildGuidance>;
type Rule = (
  guidance: Guidance & { lines: string[] },
  given: GuidanceInput,
) => void;

const RULES: Record<string, Rule> = {
  'the text stays within its budget': ({ text }, { maxChars }) =>
    expect(text.length).toBeLessThanOrEqual(maxChars),

  'everything through ACTION REQUIRED is in the first 2,000 characters': (
    { text },
    given,
  ) => {
    const name = given.others.length > 0 ? ` ${given.run.runId}` : '';
    const last = given.isOwn
      ? `When done: holdfast advance${name}`
      : '`holdfast release`.';
    const start = text.slice(0, 2_000).split('\n');
    const from = start.indexOf('ACTION REQUIRED');
    expect(from).toBeGreaterThan(0);
    expect(
      start
        .slice(from)
        .some((line) => /^\d+\. /.test(line) && line.endsWith(last)),
    ).toBe(true);
  },

  'each heading and each section stands once at most, in its order': ({
    text,
    sections,
    lines,
  }) => {
    const found = lines.filter((line) => HEADINGS.includes(line));
    expect(found).toEqual(
      HEADINGS.filter((heading) => found.includes(heading)),
    );
    expect(found).toEqual(expect.arrayContaining([TITLE, 'ACTION REQUIRED']));
    const names = sections
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('content'));
    expect(names).toEqual([...new Set(names)]);
    expect(text).toBe(sections.map((section) => section.text).join('\n\n'));
    const titles = lines.filter((line) =>
      /^(?:Instructions|Critical)\b/.test(line),
    );
    expect(new Set(titles.map((line) => line.split(' ')[0])).size).toBe(
      titles.length,
    );
  },

  'every required path is named once, or how to see the rest': (
    guidance,
    { reading: files },
  ) => {
    if (files.length === 0)
      return expect(guidance.lines).not.toContain('REQUIRED READING');
    const section = guidance.sections.find(
      ({ name }) => name === 'REQUIRED READING',
    );
    const [title, ...lines] = section?.text.split('\n') ?? [];
    expect(title).toBe('REQUIRED READING');
    const asked = askedFor(section?.text ?? '');
    expect(asked).toEqual([...new Set(asked)]);
    const inText = new Set(guidance.inlined.map(({ id }) => id));
    const all = [...new Set(files.map((one) => readingLine(one, inText)))];
    const isCut = lines.length !== all.length || lines.at(-1) !== all.at(-1);
    const shown = isCut ? lines.slice(0, -1) : lines;
    expect(shown).toEqual(all.slice(0, shown.length));
    const left = all.length - shown.length;
    if (isCut) expect(lines.at(-1)).toBe(`… ${left} more: \`holdfast status\``);
  },

  'no line of others passes for the workflow, the phase or a step': ({
    lines,
  }) => {
    for (const start of ['Workflow: ', 'Type: ', 'Phase: ', '1. ', '2. '])
      expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1);
  },

  'the workflow and its phase are always there': (
    { text, lines },
    { run: { state } },
  ) => {
    const { current, total } = state.phase;
    const workflow = truncate(sanitizeLine(state.workflow), 160);
    expect(lines).toContain(`Workflow: ${workflow}`);
    expect(lines.find((line) => line.startsWith('Phase: '))).toMatch(
      new RegExp(
        `^Phase: ${current}/${total}( - .*)? \\(${state.phase.status}\\)$`,
      ),
    );
    expect(text).toContain(
      `✅ Workflow restored: ${workflow}, Phase ${current}/${total}\n`,
    );
  },

  'no character is cut in half, no tag of the host is opened, every fence is closed':
    ({ text }) => {
      expect(text).not.toMatch(/\p{Surrogate}/u);
      expect(hostTagIn(text)).toBeNull();
      expect(outsideFences(`${text}\n\nend`)).toContain('end');
    },

  'feedback stands once, with its tag, and nothing else has one': (
    guidance,
    given,
  ) => {
    const { text, lines } = guidance;
    const tags = text.match(/\[[\w\s-]*_PIVOT_FEEDBACK\s*\]/gi) ?? [];
    const { feedback, preserved } = given.step;
    const all = [...feedback, ...preserved];
    const meant = all.filter((line) =>
      line.startsWith('**[FINAL_PIVOT_FEEDBACK]:** '),
    );
    expect(tags.length).toBeLessThanOrEqual(meant.length);
    if (feedback.length === 0) return;
    expect(lines).toContain('Feedback');
    if (given.maxChars < 6_000) return;
    expect(tags.length).toBeGreaterThan(0);
    expect(text).toContain('Work done since then may have to be reverted');
  },

  'a file is said to be below where its content is, and nowhere else': (
    guidance,
    given,
  ) => {
    const { text, inlined, sections } = guidance;
    const blocks = sections.filter(({ name }) =>
      name.startsWith('content of '),
    );
    expect(blocks).toHaveLength(
      new Set(inlined.map(({ block }) => block)).size,
    );
    for (const { block } of inlined) expect(text).toContain(`\n${block}`);
    const list = sections.find(({ name }) => name === 'REQUIRED READING');
    const marked = list?.text.match(/ \(content below\)$/gm) ?? [];
    const required = new Set(given.reading.map(({ path }) => path));
    const below = inlined.filter(({ id }) => required.has(id));
    const files = new Set(
      below.map(({ id }) => truncate(sanitizeLine(id), 240)),
    ).size;
    expect(marked.length).toBeLessThanOrEqual(files);
    if (list?.cut === null) expect(marked).toHaveLength(files);
  },
};

test('whatever a run contains, its guidance keeps these rules', () => {
  fc.assert(
    fc.property(input, (given) => {
      const guidance = buildGuidance(given);
      const lines = outsideFences(guidance.text);
      for (const rule of Object.values(RULES))
        rule({ ...guidance, lines }, given);
    }),
    { numRuns: repetitions(200) },
  );
});
