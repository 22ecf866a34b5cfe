import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../../src/sources/parse/formats.ts';
import { countOpenItems } from '../../../../src/operations/left-to-do.ts';
import type { PlanFormatId } from '../../../../src/settings/settings.ts';

const count = (text: string, format?: PlanFormatId, companions: Record<string, string> = {}) =>
  countOpenItems(
    {
      path: 'plan.md',
      text,
      companions: new Map(Object.entries(companions)),
      exists: () => false,
    },
    format && FORMATS[format],
  );

describe('the open items of a plan', () => {
  it('are its open boxes and those under way', () => {
    expect(count('# A\n\n## Phase 1: X\n\n- [x] a\n- [ ] b\n\n## Phase 2: Y\n\n- [-] c\n')).toBe(2);
    expect(count('# A\n\n- [x] a\n')).toBe(0);
  });

  it('are not those of a phase that is marked as done', () => {
    const text = '# A\n\n## Phase 1: X ✅\n\n- [ ] a\n\n## Phase 2: Y\n\n- [ ] b\n';
    expect(count(text)).toBe(1);
    expect(count(text, 'planning-with-files')).toBe(1);
  });

  it('are not the optional ones', () => {
    expect(count('- [x] 1. A\n- [ ] 2. B\n  - [ ] 2.1 c\n  - [ ]* 2.2 d\n', 'kiro')).toBe(1);
  });

  it('are those of the roadmap in GSD', () => {
    const state = '# Project State\n\nPhase: 2 of 3 (Build)\nStatus: In progress\n';
    const roadmap =
      '# Roadmap: X\n\n### Phase 1: A\n- [ ] a\n\n### Phase 2: B\n- [x] b\n- [ ] c\n\n### Phase 3: C\n- [ ] d\n';
    expect(count(state, 'gsd', { '.planning/ROADMAP.md': roadmap })).toBe(2);
  });
});
