import { describe, expect, test } from 'vitest';
import { applyEdits, type Edits } from '../../../src/state/edits.ts';
import { withNextItem, advancePhase } from '../../../src/state/phases.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aPhase, aState } from '../../support/runs.ts';

const phases = ['Setup', 'Build', 'Ship'];
const said = {
  phases,
  context: { next_item: 'T002' },
  next_items: { '1': 'T002', '2': 'T003' },
};
const source: NonNullable<RunState['source']> = { kind: 'plan', path: 'specs/a/tasks.md', said };
const run = aState({
  phases,
  phase: aPhase({ current: 1, total: 3, name: 'Setup' }),
  context: { next_item: 'T002', owner: 'ann' },
  source,
});
const inPhase = (current: number, fields: Partial<RunState> = {}): RunState => ({
  ...run,
  phase: aPhase({ current, total: 3, name: phases[current - 1] ?? '' }),
  ...fields,
});
const noEdits: Edits = {
  read: [],
  remind: [],
  set: [],
  setLocal: [],
  artifact: [],
  unread: [],
  forget: [],
  unset: [],
};

describe('the next item of a plan', () => {
  test('is that of the phase that the run enters, or none', () => {
    const second = advancePhase(run, { artefacts: [] });
    expect(second.context).toEqual({ next_item: 'T003', owner: 'ann' });
    const third = advancePhase(second, { artefacts: [] });
    expect(third.context).toEqual({ owner: 'ann' });
    expect(applyEdits(third, { ...noEdits, phase: { current: 2 } }).context).toEqual({
      owner: 'ann',
      next_item: 'T003',
    });
  });

  test('is not taken over by a phase that the plan does not have', () => {
    const renamed = advancePhase(run, { artefacts: [], nextName: 'Prototype' });
    expect(renamed.context).toEqual({ owner: 'ann' });
    const listed = applyEdits(run, { ...noEdits, phases: ['Design', 'Setup', 'Build', 'Ship'] });
    expect(listed.phase.name).toBe('Setup');
    expect(listed.context).toEqual({ owner: 'ann' });
  });

  test('is put right in a run whose file was edited', () => {
    const edited = inPhase(2);
    expect(withNextItem(edited, edited).context).toEqual({ next_item: 'T003', owner: 'ann' });
    const right = inPhase(2, { context: { next_item: 'T003' } });
    expect(withNextItem(right, right)).toBe(right);
  });

  test('stays if somebody set it or removed it', () => {
    const set = { ...run, context: { next_item: 'call the vendor' } };
    expect(advancePhase(set, { artefacts: [] }).context).toEqual({ next_item: 'call the vendor' });
    const removed = { ...run, context: {} };
    expect(advancePhase(removed, { artefacts: [] }).context).toEqual({});
    const edits: Edits = { ...noEdits, phase: { current: 2 }, set: [['next_item', 'mine']] };
    expect(applyEdits(run, edits).context).toEqual({ next_item: 'mine', owner: 'ann' });
  });

  test('stays in a template run, whose steps are not the phases of a plan', () => {
    const driven = inPhase(2, { machine: { status: 'running' } });
    expect(withNextItem(driven, driven)).toBe(driven);
  });

  test('is read from any value without failing', () => {
    for (const broken of [{ next_items: null }, { next_items: ['a'], phases: 3, context: 1 }, {}]) {
      const state = inPhase(2, { source: { ...source, said: broken } });
      expect(withNextItem(state, state)).toBe(state);
    }
  });
});
