import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLocalFile } from '../../../src/detect/local-file.ts';
import { scanMarkdown } from '../../../src/markdown/scan.ts';
import { parsePhase } from '../../../src/state/phase-line.ts';
import { readPlan } from '../../../src/detect/plan.ts';
import type { SourceStatus } from '../../../src/detect/types.ts';

const PLAN = { path: 'CLAUDE/Plan/066-seo/PLAN.md', exists: () => true };
const readers: [string, (text: string) => SourceStatus][] = [
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
`;
const plan = `---
type: planning
---
# Plan 066: SEO workflow
| Status | 🔄 In Progress |
### ✅ Phase 1: A
- [x] done
### [ ] Phase 2 — B (blocked)
See CLAUDE/x.md
`;

test.each(readers)('any prefix of a %s is answered', (_, read) => {
  for (const text of [declaration, plan]) {
    for (let length = 0; length <= text.length; length += 1) {
      expect(read(text.slice(0, length))).toHaveProperty('state');
    }
  }
});

test.each(readers)('any text is answered as a %s, and line endings do not matter', (_, read) => {
  const piece = fc.oneof(
    fc.constantFrom(...declaration.split('\n'), ...plan.split('\n'), '', '```', '<!--', '-->'),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\r', '')),
  );
  fc.assert(
    fc.property(fc.array(piece), (lines) => {
      const reading = read(lines.join('\n'));
      expect(read(lines.join('\r\n'))).toEqual(reading);
    }),
  );
});

const marks = [
  '<!--',
  '<!-- `',
  '`',
  '` ``',
  '``` ',
  '*',
  '_',
  '**_',
  '> ',
  '- ',
  '1. ',
  '# ',
  '#',
];
const lines = ['> > > >\n', '\n', '=\n', '- a\n\n', '<a\n', 'Phase: 1\n', 'Context:\n  - a:\n\n'];
const signs = [
  ' ',
  '\t',
  '\0',
  '~~',
  '|',
  '| Status ',
  '(',
  ')',
  ' (',
  ':',
  '[',
  '[ ] ',
  '\\',
  '🔄',
];
const tags = ['<a ', '<a b=', '<a b="', '<div '];
const words = [
  'Phase: (((((',
  'Workflow: ',
  'Phase ',
  '4/',
  '9',
  ' of ',
  'in progress ',
  'Status: ',
];
const paths = [
  '@',
  '@a ',
  ' @',
  'CLAUDE/',
  'CLAUDE/a.md#',
  '.md.',
  'Workflow   ',
  'Workflow State',
];

/** Each opening brings what follows into another part of the code. */
const declared = '# Workflow State\nWorkflow: x\nPhase: 1/2\n';
const planned = '# Plan 1: x\nStatus: In Progress\nphase\n';
const openings: [opening: string, read: (text: string) => unknown][] = [
  ['', scanMarkdown],
  ['- - - - - - - - - - a\n', scanMarkdown],
  ['', parsePhase],
  [declared, readLocalFile],
  ['# Workflow State\nWorkflow: x\nPhase: ', readLocalFile],
  [`${declared}Context:\n- `, readLocalFile],
  [`${declared}@`, readLocalFile],
  [planned, (text) => readPlan(text, PLAN)],
  [`${planned}## Phase 1: `, (text) => readPlan(text, PLAN)],
  ['---\nstatus: ', (text) => readPlan(text, PLAN)],
];

test.each([marks, lines, signs, tags, words, paths].flat())(
  'four times as much of %j takes about four times as long',
  { retry: 2 },
  (piece) => {
    for (const [opening, read] of openings) {
      const timeFor = (length: number): number => {
        const text = `${opening}${piece.repeat(length / piece.length)}x`;
        const start = performance.now();
        read(text);
        return performance.now() - start;
      };
      const small = timeFor(10_000);
      // Quadratic growth would be sixteenfold; the constant absorbs the noise of short times.
      expect(timeFor(40_000), JSON.stringify(opening)).toBeLessThan(10 * small + 200);
    }
  },
);

test.each(['<!--', '`', '*', '> ', '- ', '\0', 'Phase: ((((('])(
  'ten megabytes of %j are answered',
  (piece) => {
    const text = `# Workflow State\nWorkflow: x\nPhase: ${piece.repeat(10_000_000 / piece.length)}`;
    expect(readLocalFile(text)).toHaveProperty('state');
  },
  60_000,
);
