import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { makeColors } from '../../../../src/text/colors.ts';
import { widthOf } from '../../../../src/text/terminal-width.ts';
import {
  renderLine,
  type LineContent,
} from '../../../../src/hooks/status-line.ts';

const PLAIN = makeColors(false, undefined);
const COLORED = makeColors(true, undefined);
const CONTENT: LineContent = {
  workflow: 'User Auth',
  phase: { current: 2, total: 3, name: 'Build', status: 'in_progress' },
  waitsFor: null,
  fill: 71,
  warn: [65, 80],
};

test('a phase without a name, and one that is blocked', () => {
  const phase = { ...CONTENT.phase, name: '', status: 'blocked' as const };
  expect(renderLine({ ...CONTENT, phase, fill: null }, PLAIN, 80)).toBe(
    '▸ User Auth · Phase 2/3 blocked',
  );
});

test.each([
  ['word', '▸ User Auth · Build 2/3 waits for your word'],
  ['approval', '▸ User Auth · Build 2/3 waits for your approval'],
] as const)('a run that waits for your %s says so', (waitsFor, line) => {
  const content = { ...CONTENT, waitsFor, fill: null };
  expect(renderLine(content, PLAIN, 80)).toBe(line);
});

test.each([
  [34, '▸ User Auth · Build 2/3 · ctx 71 %'],
  [33, '▸ User Auth · Build 2/3 · ctx 71…'],
  [8, '▸ User …'],
])('in %i columns it is shortened from the right', (columns, line) => {
  expect(renderLine(CONTENT, PLAIN, columns)).toBe(line);
});

describe('colour', () => {
  const RED = '\u001B[31m';
  const YELLOW = '\u001B[33m';
  const GREEN = '\u001B[32m';

  it.each([
    ['green while the phase goes on', {}, `${GREEN}▸ User Auth`],
    [
      'red while the phase is blocked',
      { phase: { ...CONTENT.phase, status: 'blocked' as const } },
      `${RED}▸ User Auth`,
    ],
    ['yellow above the first threshold', { fill: 65 }, `${YELLOW}ctx 65 %`],
  ])('is %s', (_when, change, expected) => {
    expect(renderLine({ ...CONTENT, ...change }, COLORED, 80)).toContain(
      expected,
    );
  });
});

test('hostile names stay on one line and move no cursor', () => {
  const phase = { ...CONTENT.phase, name: 'a\u001B[2Jb\nc' };
  const line = renderLine(
    { ...CONTENT, workflow: 'x\u001B]0;t\u0007\r\ny', phase },
    PLAIN,
    80,
  );
  // eslint-disable-next-line no-control-regex
  expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
});

test('no line is wider than the terminal, whatever the names', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.integer({ min: 1, max: 120 }),
      (workflow, name, columns) => {
        const line = renderLine(
          { ...CONTENT, workflow, phase: { ...CONTENT.phase, name } },
          PLAIN,
          columns,
        );
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});
