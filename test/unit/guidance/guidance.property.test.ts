import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGuidance, type GuidanceInput } from '../../../src/guidance/guidance.ts';
import { oneLine, shortened } from '../../../src/guidance/plain.ts';
import type { ReadingEntry } from '../../../src/guidance/reading-list.ts';
import { PHASE_STATUSES } from '../../../src/state/types.ts';
import { aTemplate, action, started } from '../../support/templates.ts';
import type { ContextActionState } from '../../../src/workflow/context-action.ts';
import type { DueArtifact } from '../../../src/guidance/artifacts.ts';
import type { StepView } from '../../../src/workflow/run-view.ts';
import { anyText } from '../../support/arbitraries.ts';
import { aRun } from '../../support/runs.ts';

const TITLE = 'WORKFLOW RESTORED AFTER COMPACTION';
const HEADINGS = [
  TITLE,
  'REQUIRED READING',
  'ACTION REQUIRED',
  'Key Reminders',
  'Context',
  'Todo',
  'Other active runs',
];

const texts = fc.array(anyText(), { maxLength: 12 });
const named = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(anyText(), value), { maxLength: 8 }).map(Object.fromEntries);
const states = fc.constantFrom<ReadingEntry['state']>(
  ...(['in_context', 'changed', 'unread', 'missing', 'outside', 'host'] as const),
);
const entry = fc.record({ path: anyText().map((path) => `@${path}`), state: states });
const reading = fc.oneof(
  fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 12 }),
  fc.integer({ min: 0, max: 200 }).map((count) =>
    Array.from({ length: count }, (_, index): ReadingEntry => {
      return { path: `@docs/required-${index}.md`, state: 'unread' };
    }),
  ),
);

const phase = fc
  .record({
    current: fc.nat(1_000_000),
    more: fc.nat(1_000_000),
    name: anyText(),
    status: fc.constantFrom(...PHASE_STATUSES),
  })
  .map(({ current, more, ...rest }) => ({ current, total: current + more, ...rest }));
const run = fc
  .record(
    {
      workflow: anyText(),
      workflow_type: anyText(),
      phase,
      key_reminders: texts,
      context: named(fc.oneof(anyText(), fc.jsonValue())),
      artifacts: named(anyText()),
      outputs: named(fc.record({ text: anyText(), artefacts: texts }, { requiredKeys: [] })),
    },
    { requiredKeys: ['workflow', 'workflow_type', 'phase'] },
  )
  .map((fields) => aRun(fields));

/** Sentences of ours, about a run whose name is as long as a file's may be. */
const notes = fc.subarray([
  `This session does not hold this run: \`holdfast claim ${'r'.repeat(244)}\` takes it.`,
  'If this conversation is about something else, all of this can be ignored: `holdfast release` says so.',
]);

/** A step whose words are anybody's: templates come with cloned repositories. */
const anyStep = fc
  .record({
    agent: fc.option(anyText(200)),
    title: anyText(200),
    instructions: fc.array(anyText(500), { maxLength: 30 }).map((lines) => lines.join('\n')),
    output: anyText(1_000),
    why: anyText(200),
    kind: fc.constantFrom('none', 'due', 'requested', 'performed', 'broken'),
  })
  .map(({ agent, title, instructions, output, why, kind }): StepView => {
    if (kind === 'broken') return { kind, why };
    const template = aTemplate([action('build', { title, instructions })]);
    const status = { ...started(template).getStatus(), agent };
    const pending = { command: '/clear', state: kind } as ContextActionState;
    return { kind: 'step', status, action: kind === 'none' ? null : pending, outputs: { output } };
  });

const anyArtifact: fc.Arbitrary<DueArtifact> = fc.record({
  id: anyText(60),
  description: fc.option(anyText(200), { nil: undefined }),
  loaded: fc.oneof(
    fc.record({
      kind: fc.constant('text' as const),
      text: anyText(1_500),
      size: fc.nat(2_000_000),
      path: anyText(100),
    }),
    fc.record({ kind: fc.constant('missing' as const), what: anyText(200), hint: anyText(200) }),
    fc.record({ kind: fc.constant('listed' as const), words: anyText(300) }),
    fc.record({ kind: fc.constant('empty' as const), path: anyText(100) }),
    fc.record({
      kind: fc.constant('refused' as const),
      why: fc.constant('too large' as const),
      path: anyText(100),
    }),
  ),
});

const anyTodo = fc.record({
  done: fc.nat(1_000),
  total: fc.nat(1_000),
  current: fc.option(fc.record({ n: fc.nat(1_000), text: anyText(), done: fc.constant(false) })),
});

const input: fc.Arbitrary<GuidanceInput> = fc
  .record({
    title: fc.constant(TITLE),
    run,
    reading,
    contents: fc.array(fc.option(anyText(1_000), { nil: undefined }), {
      minLength: 1,
      maxLength: 5,
    }),
    others: fc.array(anyText().map(oneLine), { maxLength: 12 }),
    notes,
    step: fc.option(anyStep),
    artifacts: fc.array(anyArtifact, { maxLength: 6 }),
    todo: fc.option(anyTodo),
    stalePhase: fc.option(fc.record({ path: anyText(), says: anyText() })),
    maxChars: fc.integer({ min: 2_000, max: 8_000 }),
    inlineChars: fc.integer({ min: 0, max: 6_000 }),
  })
  .map(({ contents, ...rest }) => ({
    ...rest,
    contentOf: (path) =>
      contents[rest.reading.findIndex((one) => one.path === path) % contents.length],
  }));

const always = (rule: (text: string, given: GuidanceInput) => void): void =>
  fc.assert(
    fc.property(input, (given) => {
      rule(buildGuidance(given).text, given);
    }),
    { numRuns: 100 },
  );

/** Line by line as Markdown is read: what stands in a fence is none of ours. */
function outsideFences(text: string): string[] {
  let fence: string | null = null;
  return text.split('\n').filter((line) => {
    if (fence === null) {
      fence = /^`{3,}$/.exec(line)?.[0] ?? null;
      return fence === null;
    }
    if (/^`+$/.test(line) && line.length >= fence.length) fence = null;
    return false;
  });
}

test('the text stays within its budget', () => {
  always((text, { maxChars }) => expect(text.length).toBeLessThanOrEqual(maxChars));
});

test('everything through ACTION REQUIRED lies in the first 2,000 characters', () => {
  always((text, given) => {
    const last = given.notes.at(-1) ?? 'When done: holdfast advance';
    const start = text.slice(0, 2_000).split('\n');
    const from = start.indexOf('ACTION REQUIRED');
    expect(from).toBeGreaterThan(0);
    expect(start.slice(from).some((line) => /^\d+\. /.test(line) && line.endsWith(last))).toBe(
      true,
    );
  });
});

test('each heading of ours stands once at most, and in its order', () => {
  always((text) => {
    const found = outsideFences(text).filter((line) => HEADINGS.includes(line));
    expect(found).toEqual(HEADINGS.filter((heading) => found.includes(heading)));
    expect(found).toEqual(expect.arrayContaining([TITLE, 'ACTION REQUIRED']));
  });
});

test('no line of others passes for the workflow, the phase or a step', () => {
  always((text) => {
    const lines = outsideFences(text);
    for (const start of ['Workflow: ', 'Type: ', 'Phase: ', '1. ', '2. ']) {
      expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1);
    }
  });
});

test('the workflow and its phase are always there', () => {
  always((text, { run: { state } }) => {
    const { current, total } = state.phase;
    const workflow = shortened(oneLine(state.workflow), 160);
    const lines = outsideFences(text);
    expect(lines).toContain(`Workflow: ${workflow}`);
    expect(lines.find((line) => line.startsWith('Phase: '))).toMatch(
      new RegExp(`^Phase: ${current}/${total}( - .*)? \\(${state.phase.status}\\)$`),
    );
    expect(text).toContain(`✅ Workflow restored: ${workflow}, Phase ${current}/${total}\n`);
  });
});

test('no character is cut in half, no tag of the host is opened, every fence is closed', () => {
  always((text) => {
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(text).not.toMatch(/<\/?\s*system/i);
    expect(outsideFences(`${text}\n\nend`)).toContain('end');
  });
});

test('a file is said to be below where its content is, and nowhere else', () => {
  fc.assert(
    fc.property(input, (given) => {
      const { text, inlined, sections } = buildGuidance(given);
      const blocks = sections.filter(({ name }) => name.startsWith('content of '));
      expect(blocks).toHaveLength(inlined.length);
      for (const { block } of inlined) expect(text).toContain(`\n${block}`);
      const list = sections.find(({ name }) => name === 'REQUIRED READING');
      const marked = list?.text.match(/ \(content below\)$/gm) ?? [];
      const required = new Set(given.reading.map(({ path }) => path));
      const files = inlined.filter(({ id }) => required.has(id)).length;
      expect(marked.length).toBeLessThanOrEqual(files);
      if (list?.cut === null) expect(marked).toHaveLength(files);
    }),
  );
});
