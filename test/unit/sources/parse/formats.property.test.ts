import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readAnyPlan,
  readStartedPlan,
} from '../../../../src/sources/parse/read-format.ts';
import { FORMATS, formatOf } from '../../../../src/sources/parse/formats.ts';
import { readFormat } from '../../../../src/sources/parse/read-format.ts';
import type { SourceStatus } from '../../../../src/sources/types.ts';
import {
  DEFAULTS,
  type PlanFormatId,
} from '../../../../src/settings/settings.ts';
import { planFixtures } from '../../../support/plan-fixtures.ts';
import { anyCharacter } from '../../../support/arbitraries.ts';

const fixtures = planFixtures();
const PATHS: Record<PlanFormatId, string> = {
  'spec-kit': 'specs/001-a/tasks.md',
  openspec: 'openspec/changes/a/tasks.md',
  'planning-with-files': '.planning/a/task_plan.md',
  gsd: '.planning/STATE.md',
  superpowers: 'docs/superpowers/plans/a.md',
  kiro: '.kiro/specs/a/tasks.md',
};

/** The text is the plan and all of its companions, so that hostile companions are read, too. */
function read(id: PlanFormatId, text: string): SourceStatus {
  const format = FORMATS[id];
  const path = PATHS[id];
  const companions = new Map(
    (format.companions?.(path) ?? []).map((name) => [name, text]),
  );
  return readFormat(format, { path, text, companions });
}

const lines = [
  ...new Set(
    fixtures
      .flatMap(({ files }) => Object.values(files))
      .flatMap((text) => text.split('\n')),
  ),
];
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...lines) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '```',
      '<!--',
      '-->',
      '---',
      '~~',
      '\t- [ ] tab',
    ),
  },
);
const document = fc
  .array(piece, { maxLength: 60 })
  .map((parts) => parts.join('\n'));

describe.each(DEFAULTS.detect.formats)('%s', (id) => {
  test('any text is answered, and an active plan is consistent', () => {
    fc.assert(
      fc.property(document, (text) => {
        const reading = read(id, text);
        if (reading.state !== 'active') return;
        const {
          workflow,
          phase,
          phases,
          required_reading: reading_,
          context,
        } = reading.said;
        expect(workflow).not.toBe('');
        expect(phase?.current).toBeGreaterThanOrEqual(1);
        expect(phase?.current).toBeLessThanOrEqual(phase?.total ?? Infinity);
        if (phases) expect(phases).toHaveLength(phase?.total ?? 0);
        if (phases) expect(phases[(phase?.current ?? 0) - 1]).toBe(phase?.name);
        expect(reading_[0]).toBe(`@${PATHS[id]}`);
        if ('next_item' in context)
          expect(String(context['next_item']).length).toBeLessThan(302);
      }),
    );
  });

  test('any prefix of a plan is answered', () => {
    for (const { files } of fixtures.filter(({ format }) => format === id)) {
      const path =
        Object.keys(files).find((name) => formatOf(name, [id])) ?? '';
      const text = files[path] ?? '';
      for (let length = 0; length <= text.length; length += 23)
        expect(read(id, text.slice(0, length))).toBeTypeOf('object');
    }
  });
});

test('a plan to start from is at its first open box, and ticking that never moves it back', () => {
  const plan = fc.array(
    fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const heading = fc.constantFrom(
    '## Phase N: p',
    '### N. p',
    '## p',
    '## Step N - p',
  );
  const render = (phases: boolean[][], style: string): string =>
    phases
      .map((boxes, at) =>
        [
          style.replace('N', String(at + 1)),
          ...boxes.map(
            (isTicked, item) => `- [${isTicked ? 'x' : ' '}] ${at}-${item}`,
          ),
        ].join('\n'),
      )
      .join('\n\n');
  fc.assert(
    fc.property(plan, heading, (phases, style) => {
      const { phase, context } = readAnyPlan(render(phases, style)) ?? {};
      const open = phases.findIndex((boxes) => boxes.includes(false));
      expect(phase?.total).toBe(phases.length);
      expect(phase?.current).toBe(open < 0 ? phases.length : open + 1);
      expect(phase?.status).toBe(open < 0 ? 'completed' : 'in_progress');
      if (open < 0) return;
      const item = phases[open]?.indexOf(false) ?? 0;
      expect(context).toEqual({ next_item: `${open}-${item}` });
      const ticked = phases.map((boxes, at) =>
        boxes.map(
          (isTicked, index) => isTicked || (at === open && index === item),
        ),
      );
      expect(
        readAnyPlan(render(ticked, style))?.phase?.current,
      ).toBeGreaterThanOrEqual(open + 1);
    }),
  );
});

test('what is kept of a megabyte of phases is bounded', () => {
  const text = '## Phase 1: a\n- [x] b\n'.repeat(45_000);
  const source = {
    path: 'docs/a.md',
    text,
    companions: new Map<string, string>(),
  };
  expect(
    JSON.stringify(readStartedPlan(source, undefined)).length,
  ).toBeLessThan(250_000);
});

test('any text can be read as a plan to start from', () => {
  fc.assert(
    fc.property(document, (text) => {
      const plan = readAnyPlan(text);
      if (plan === null) return;
      expect(plan.workflow).not.toBe('');
      expect(plan.phase?.current).toBeLessThanOrEqual(plan.phase?.total ?? 0);
    }),
  );
});
