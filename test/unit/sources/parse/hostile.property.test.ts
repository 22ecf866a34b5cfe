import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLocalFile } from '../../../../src/sources/parse/local-file.ts';
import { readPlan } from '../../../../src/sources/parse/plan.ts';
import type { DeclaredSection } from '../../../../src/sources/types.ts';
import { anyCharacter } from '../../../support/arbitraries.ts';

const PLAN = 'CLAUDE/Plan/066-seo/PLAN.md';
const readers: [string, (text: string) => object][] = [
  ['local file', readLocalFile],
  ['plan', (text) => readPlan(text, PLAN)],
];

const declaration = `# 🔄 Workflow State
- **Workflow**: SEO <!-- note --> (Batch)
- **Phase:** 4/10 — Generation (in progress)
> @CLAUDE/a b.md - rules
\`\`\`
Phase: 9/9
\`\`\`
Key Reminders: one
  goes on
1. [x] two

**Context**
- \`n\`: 3

## ~~Workflow State~~
# Workflow State
~~Workflow: old~~
Workflow: Other
Status: done
Phase: 1/2
@docs/a.md#part
`;
const plan = `---
type: planning
---
# Plan 066: SEO workflow
| Status | 🔄 In Progress |
### ✅ Phase 1: A
- [x] done
- [✓] ~~struck
  out~~
### [ ] Phase 2 — B (blocked)
See CLAUDE/x.md
`;

test.each(readers)('any prefix of a %s can be read', (_, read) => {
  for (const text of [declaration, plan]) {
    for (let length = 0; length <= text.length; length += 3) {
      expect(read(text.slice(0, length))).toBeTypeOf('object');
    }
  }
});

test.each(readers)(
  'any text can be read as a %s, and line endings do not matter',
  (_, read) => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...declaration.split('\n'),
        ...plan.split('\n'),
        '',
        '```',
        '<!--',
        '-->',
      ),
      fc
        .string({ unit: anyCharacter })
        .map((text) => text.replaceAll('\r', '')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (lines) => {
        const reading = read(lines.join('\n'));
        expect(read(lines.join('\r\n'))).toEqual(reading);
      }),
    );
  },
);

test('text outside a section does not change what it declares', () => {
  const section = '## Workflow State\nWorkflow: A\nPhase: 1/2 - B\n@a.md\n';
  const line = fc.constantFrom(
    ...[
      'Workflow: X',
      'Phase: 9/9 (done)',
      'Status: completed',
      'Type: planning',
      '@x.md',
    ],
    ...[
      'Key Reminders:',
      '- item',
      '> quote',
      '### Context',
      '~~struck~~',
      '---',
      '',
      'prose',
    ],
  );
  const outside = fc.array(line).map((lines) => lines.join('\n'));
  const [expected] = readLocalFile(section);
  fc.assert(
    fc.property(outside, outside, (above, below) => {
      const text = `# Notes\n${above}\n\n${section}\n## More\n${below}\n`;
      expect(readLocalFile(text)).toEqual([expected]);
    }),
  );
});

test('sections do not depend on each other', () => {
  const line = fc.constantFrom(
    ...[
      'Type: planning',
      '@x.md',
      '@y.md#z',
      'Key Reminders:',
      '- item',
      '### Context',
      '- k: v',
    ],
    ...[
      '~~struck~~',
      '---',
      '',
      'prose',
      'Status: done',
      '```\nPhase: 3/3\n```',
    ],
  );
  const body = fc.array(line).map((lines) => lines.join('\n'));
  const section = (name: string, lines: string): string =>
    `## Workflow State\nWorkflow: ${name}\nPhase: 1/2 - B\n\n${lines}\n\n`;
  fc.assert(
    fc.property(fc.array(body, { maxLength: 4 }), (bodies) => {
      const sections = bodies.map((lines, index) =>
        section(`W${index}`, lines),
      );
      expect(readLocalFile(sections.join(''))).toEqual(
        sections.flatMap(readLocalFile),
      );
    }),
  );
});

test('a declaration that is written down again as it was read stays the same', () => {
  const line = fc.constantFrom(
    ...declaration.split('\n'),
    '- **Key Reminders**',
    '- a: b',
    '- c',
  );
  const body = fc.array(line).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(body, (lines) => {
      for (const section of readLocalFile(`# Workflow State\n${lines}`)) {
        expect(readLocalFile(written(section))).toEqual([section]);
      }
    }),
  );
});

function written({ state, said }: DeclaredSection): string {
  const { current, total, name = '', status = '', line } = said.phase ?? {};
  const numbers = current === undefined ? '' : `${current}/${total} - ${name}`;
  return [
    '# Workflow State',
    `Workflow: ${said.workflow}`,
    `Phase: ${line ?? numbers}`,
    `Status: ${state === 'active' ? status : state}`,
    ...said.required_reading,
    'Key Reminders:',
    ...said.key_reminders.map((text) => `- ${text}`),
    'Context:',
    ...Object.entries(said.context).map(
      ([key, value]) => `- ${key}: ${String(value)}`,
    ),
  ].join('\n');
}

test('the current phase of a plan is one of its phases, and never one that is marked as done', () => {
  const heading = fc.constantFrom(
    '✅ Phase',
    '[x] Phase',
    '🔄 Phase',
    '⏳ Phase',
    '⬜ Phase',
    'Phase',
  );
  const boxes = fc.array(
    fc.constantFrom('- [ ] a', '- [x] b', '- [✓] c', '- [ ] ~~d~~'),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(heading, boxes), { minLength: 1 }),
      (phases) => {
        const body = phases.map(
          ([mark, tasks], index) =>
            `## ${mark} ${index + 1}: P${index + 1}\n${tasks.join('\n')}\n`,
        );
        const reading = readPlan(
          `# T\nStatus: In Progress\n${body.join('')}`,
          PLAN,
        );
        const { phase, phases: names } =
          reading.state === 'active' ? reading.said : {};
        expect(names).toHaveLength(phases.length);
        expect(phase?.name).toBe(names?.[(phase?.current ?? 0) - 1]);
        const [mark] = phases[(phase?.current ?? 0) - 1] ?? [];
        if (phase?.status === 'in_progress')
          expect(mark).not.toMatch(/✅|\[x\]/);
        const underWay = phases.findIndex(([text]) => /🔄|⏳/.test(text));
        if (underWay >= 0) expect(phase?.current).toBe(underWay + 1);
      },
    ),
  );
});
