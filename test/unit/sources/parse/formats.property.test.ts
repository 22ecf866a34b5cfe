import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readAnyPlan,
  readStartedPlan,
} from '../../../../src/sources/parse/any-plan.ts';
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
  taskmaster: '.taskmaster/tasks/tasks.json',
  conductor: 'conductor/tracks/a/plan.md',
  bmad: 'docs/sprint-artifacts/sprint-status.yaml',
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
        // A plan without phases, or one that contradicts itself, says no number.
        const { current = 1, total = Infinity } = phase ?? {};
        expect(current).toBeGreaterThanOrEqual(1);
        expect(current).toBeLessThanOrEqual(total);
        if (phases && phase?.total !== undefined)
          expect(phases).toHaveLength(phase.total);
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
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), {
    minLength: 2,
    maxLength: 5,
  });
  const heading = fc.constantFrom('## Phase N: p', '### N. p', '## Step N - p');
  const render = (boxes: number[], ticked: number, style: string): string => {
    let count = 0;
    const phases = boxes.map((size, at) => {
      const items = Array.from({ length: size }, (_, item) => {
        const mark = count < ticked ? 'x' : ' ';
        count += 1;
        return `- [${mark}] ${at}-${item}`;
      });
      return [style.replace('N', String(at + 1)), ...items].join('\n');
    });
    return phases.join('\n\n');
  };
  fc.assert(
    fc.property(sizes, heading, fc.nat(20), (boxes, style, ticks) => {
      const all = boxes.reduce((sum, size) => sum + size, 0);
      const ticked = Math.min(ticks, all);
      const { phase, context } =
        readAnyPlan(render(boxes, ticked, style)) ?? {};
      let first = 0;
      let left = ticked;
      while (first < boxes.length && left >= (boxes[first] ?? 0)) {
        left -= boxes[first] ?? 0;
        first += 1;
      }
      const isDone = ticked === all;
      expect(phase?.total).toBe(boxes.length);
      expect(phase?.current).toBe(isDone ? boxes.length : first + 1);
      expect(phase?.status).toBe(isDone ? 'completed' : 'in_progress');
      if (!isDone) expect(context).toEqual({ next_item: `${first}-${left}` });
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
      const { current = 1, total = Infinity } = plan.phase ?? {};
      expect(current).toBeLessThanOrEqual(total);
    }),
  );
});
