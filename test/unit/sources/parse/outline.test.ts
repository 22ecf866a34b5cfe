import { describe, expect, test } from 'vitest';
import { readOutline } from '../../../../src/sources/parse/outline.ts';

const boxesIn = (text: string): object[] =>
  readOutline(text).sections.flatMap(({ boxes }) => boxes);

describe('boxes', () => {
  test.each([
    ['- [ ] open', 'open'],
    ['* [x] ticked', 'ticked'],
    ['+ [X] ticked', 'ticked'],
    ['1. [✓] ticked', 'ticked'],
    ['2) [✔️] ticked', 'ticked'],
    ['- [-] under way', 'under way'],
    ['- [~] under way', 'under way'],
  ])('%s', (line, state) => {
    expect(boxesIn(line)).toMatchObject([{ state, depth: 0 }]);
  });

  test.each([
    '- [2025-11-02] a date',
    '- [P] tasks run in parallel',
    '- [ ](https://example.com) a link',
    '- [] nothing in it',
    '- [ ]* optional',
    '- [ ] {{TASK}}',
    '- [ ]',
    '- [ ] ~~struck out~~',
    '- [ ] <!-- a comment -->',
    '[ ] no list item',
    '> - [ ] quoted',
    '`- [ ]` in code',
    '```\n- [ ] in a fence\n```',
    '<!--\n- [ ] in a comment\n-->',
    'Progress: [░░░░░░░░░░] 0%',
  ])('no box: %j', (text) => {
    expect(boxesIn(text)).toEqual([]);
  });

  test('depth counts the boxes around a box', () => {
    const text = '- [ ] a\n  - [ ] b\n    - note\n    - [ ] c\n  - [ ] d\n- [ ] e\n# f\n- [ ] g\n';
    expect(boxesIn(text)).toMatchObject([0, 1, 2, 1, 0, 0].map((depth) => ({ depth })));
  });
});

describe('sections', () => {
  test('a section has its heading, its own boxes and its fields', () => {
    const { title, sections } = readOutline(
      '- [ ] before\n# Plan\n**Goal:** ship\nGoal: again\n## Phase 1: Build\n- **Status:** in_progress\n- [x] done\n',
    );
    expect(title).toBe('Plan');
    expect(sections).toMatchObject([
      { level: 0, heading: '', boxes: [{ text: 'before' }] },
      { level: 1, heading: 'Plan', boxes: [] },
      { level: 2, heading: 'Phase 1: Build', boxes: [{ text: 'done' }] },
    ]);
    expect(Object.fromEntries(sections[1]?.fields ?? [])).toEqual({ goal: 'ship' });
    expect(sections[2]?.fields.get('status')).toBe('in_progress');
  });

  test('fields directly above a rule are fields, not a heading', () => {
    const { sections } = readOutline('## Position\nPhase: 2 of 3\nStatus: In progress\n---\n');
    expect(sections).toHaveLength(2);
    expect(sections[1]?.fields.get('status')).toBe('In progress');
    expect(sections[1]?.fields.get('phase')).toBe('2 of 3');
  });

  test('a title may be underlined', () => {
    expect(readOutline('Plan\n====\n').title).toBe('Plan');
  });

  test('front matter is read, and nothing in it is a section', () => {
    const outline = readOutline('---\nactive_phase: "02"\nprogress:\n  total: 3\n---\n# State\n');
    expect(outline.frontMatter.get('active phase')).toBe('02');
    expect(outline.sections.map(({ heading }) => heading)).toEqual(['', 'State']);
  });
});
