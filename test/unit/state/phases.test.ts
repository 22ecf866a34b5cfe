import { describe, expect, test } from 'vitest';
import { advancePhase, blockPhase, enterPhase, phaseLabel } from '../../../src/state/phases.ts';
import { aPhase, aState } from '../../support/runs.ts';

const phases = ['Design', 'Build', 'Ship'];
const run = aState({ phases, phase: aPhase({ current: 1, total: 3, name: 'Design' }) });
const nothing = { artefacts: [] };

describe('advancing', () => {
  test('begins the next phase under its name', () => {
    expect(advancePhase(run, nothing).phase).toEqual(
      aPhase({ current: 2, total: 3, name: 'Build' }),
    );
  });

  test('past the last one completes the run', () => {
    const last = { ...run, phase: aPhase({ current: 3, total: 3, name: 'Ship' }) };
    expect(advancePhase(last, nothing)).toMatchObject({
      status: 'completed',
      phase: { current: 3, total: 3, status: 'completed' },
    });
  });

  test('a phase that was to be skipped and is finished is not skipped', () => {
    const next = advancePhase({ ...run, skipped: { 1: 'not needed', 2: 'later' } }, nothing);
    expect(next).toMatchObject({ phase: { current: 3 }, skipped: { 2: 'later' } });
    expect(next.skipped).toEqual({ 2: 'later' });
  });

  test('a name given by hand is also kept in the list of phases', () => {
    const next = advancePhase(run, { ...nothing, nextName: 'Prototype' });
    expect(next.phase.name).toBe('Prototype');
    expect(next.phases).toEqual(['Design', 'Prototype', 'Ship']);
    expect(run.phases).toEqual(['Design', 'Build', 'Ship']);
  });

  test('a phase that has no name is not given the former one', () => {
    expect(advancePhase(aState(), nothing).phase.name).toBe('');
  });

  test('what the phase hands on is kept under its number, beside the former ones', () => {
    const second = advancePhase(
      { ...run, outputs: { '0': { text: 'earlier' } } },
      { output: 'the design', artefacts: ['docs/design.md'] },
    );
    expect(second.outputs).toEqual({
      '0': { text: 'earlier' },
      '1': { text: 'the design', artefacts: ['docs/design.md'] },
    });
    expect(Object.keys(advancePhase(run, nothing))).not.toContain('outputs');
  });

  test('ends a block and its reason', () => {
    const blocked = blockPhase(run, 'no access');
    expect(blocked).toMatchObject({ phase: { status: 'blocked' }, status_reason: 'no access' });
    const next = advancePhase(blocked, nothing);
    expect(next.phase.status).toBe('in_progress');
    expect(Object.keys(next)).not.toContain('status_reason');
  });

  test('keeps what it does not know', () => {
    const own = { ...run, mine: 1, phase: { ...run.phase, estimate: '2d' } };
    expect(advancePhase(own, nothing)).toMatchObject({ mine: 1, phase: { estimate: '2d' } });
  });
});

test('a phase may be entered with another total', () => {
  expect(enterPhase(run, 2, undefined, 7).phase).toMatchObject({ current: 2, total: 7 });
});

test('a phase is told by its numbers, and its name if it has one', () => {
  expect(phaseLabel(aPhase({ current: 2, total: 5, name: 'Build' }))).toBe('2/5 Build');
  expect(phaseLabel(aPhase({ current: 2, total: 5, name: '' }))).toBe('2/5');
});
