import { describe, expect, it } from 'vitest';
import { makeColors } from '../../../../src/cli/output/colors.ts';
import { phaseList } from '../../../../src/cli/output/phase-list.ts';
import type { RunState } from '../../../../src/state/types.ts';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { aPhase, aState, NOW } from '../../../support/runs.ts';
import { action, aTemplate } from '../../../support/templates.ts';

const plain = makeColors(false, undefined);
const PHASES = ['Design', 'Build', 'Docs', 'Review'];

function stateAt(current: number, fields: Partial<RunState> = {}): RunState {
  const { phases = PHASES } = fields;
  const phase = aPhase({ current, total: phases.length, name: phases[current - 1] ?? '' });
  return aState({ phases, phase, ...fields });
}

describe('in one line', () => {
  it('shows what is done, what is in progress, what is skipped and what is to come', () => {
    const { inline } = phaseList(stateAt(2, { skipped: { '3': 'no guide' } }), plain, 80);
    expect(inline).toBe('✓ Design  ▸ Build  ↷ Docs (skipped)  · Review');
  });

  it('a completed run has no phase in progress', () => {
    const phase = aPhase({ current: 4, total: 4, name: 'Review', status: 'completed' });
    const { inline } = phaseList(stateAt(4, { phase, status: 'completed' }), plain, 80);
    expect(inline).toBe('✓ Design  ✓ Build  ✓ Docs  ✓ Review');
  });

  it('a run that was completed early has phases that nobody began', () => {
    const phase = aPhase({ current: 2, total: 4, name: 'Build', status: 'completed' });
    const { inline } = phaseList(stateAt(2, { phase, status: 'completed' }), plain, 80);
    expect(inline).toBe('✓ Design  ✓ Build  · Docs  · Review');
  });

  it('steps that share a phase are told apart by their ids', () => {
    const steps = [action('specify', { phase: 'Design' }), action('sketch', { phase: 'Design' })];
    const state = startTemplateRun(aTemplate(steps), undefined, NOW);
    expect(phaseList(state, plain, 80).inline).toBe('▸ specify  · sketch');
  });

  it('a run with one phase, or with none named, has no list', () => {
    expect(phaseList(stateAt(1, { phases: ['Only'] }), plain, 80)).toEqual({
      inline: '',
      lines: [],
    });
  });
});

describe('where they do not fit', () => {
  const phases = Array.from({ length: 30 }, (_, n) => `Stage ${n + 1}`);

  it('they stand below each other, folded around the current one', () => {
    const { inline, lines } = phaseList(stateAt(12, { phases, skipped: { '2': '' } }), plain, 80);
    expect(inline).toBe('');
    expect(lines[0]).toBe('… 8 earlier: 7 done, 1 skipped');
    expect(lines).toContain('✓ 11 Stage 11');
    expect(lines).toContain('▸ 12 Stage 12');
    expect(lines).toContain('· 13 Stage 13');
    expect(lines.at(-1)).toBe('… 13 more');
  });

  it('a narrow terminal breaks what a wide one shows in one line', () => {
    expect(phaseList(stateAt(2), plain, 40).inline).toBe('');
    expect(phaseList(stateAt(2), plain, 40).lines).toEqual([
      '✓ 1 Design',
      '▸ 2 Build',
      '· 3 Docs',
      '· 4 Review',
    ]);
    expect(phaseList(stateAt(12, { phases }), plain, 200).inline).toBe('');
  });
});

describe('colours', () => {
  const colors = makeColors(true, undefined);

  it('tell the state: done green, blocked red, skipped yellow', () => {
    const blocked = aPhase({ current: 2, total: 4, name: 'Build', status: 'blocked' });
    const { inline } = phaseList(stateAt(2, { phase: blocked, skipped: { '3': '' } }), colors, 80);
    expect(inline).toContain('\u001B[32m✓ Design\u001B[39m');
    expect(inline).toContain('\u001B[31m▸ Build\u001B[39m');
    expect(inline).toContain('\u001B[33m↷ Docs (skipped)\u001B[39m');
  });

  it('are left out with NO_COLOR', () => {
    expect(phaseList(stateAt(2), makeColors(true, '1'), 80).inline).not.toContain('\u001B');
  });
});
