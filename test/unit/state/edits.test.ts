import { describe, expect, test } from 'vitest';
import { applyEdits, type Edits } from '../../../src/state/edits.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aPhase, aState, NO_EDITS, NOW } from '../../support/runs.ts';
import { saying } from '../../support/failures.ts';

const run = aState({
  phases: ['Design', 'Build', 'Ship'],
  phase: aPhase({ total: 3 }),
  required_reading: ['@docs/a.md', '@docs/b.md'],
  key_reminders: ['test first', 'no force push'],
  context: { branch: 'main', ticket: 7 },
  mine: 'kept',
});
const edit = (edits: Partial<Edits>, state: RunState = run): RunState =>
  applyEdits(state, { ...NO_EDITS, ...edits }, NOW);

describe('a new list of phases', () => {
  const phase = aPhase({ current: 2, total: 3, name: 'Build' });
  const listed = (state: Partial<RunState>, phases: string[]): RunState =>
    edit({ phases }, { ...run, phase, ...state });

  test('the run stays in the phase of the same name', () => {
    const state = listed({}, ['Research', 'Design', 'Build', 'Ship']);
    expect(state.phase).toEqual({
      current: 3,
      total: 4,
      name: 'Build',
      status: 'in_progress',
    });
  });

  test('of two phases of one name it stays in the one that it is in', () => {
    const state = listed(
      { phases: ['Build', 'Review', 'Build'], phase: { ...phase, current: 3 } },
      ['Build', 'Review', 'Build', 'Ship'],
    );
    expect(state.phase).toMatchObject({ current: 3, total: 4, name: 'Build' });
  });

  test('is cut by a smaller total, and only by one', () => {
    const cut = edit(
      { phase: { typed: '2', total: 2 } },
      {
        ...run,
        phase: { ...phase, current: 3, status: 'blocked' },
      },
    );
    expect(cut).toMatchObject({
      phases: ['Design', 'Build'],
      phase: { current: 2, total: 2, status: 'in_progress' },
    });
    const open = {
      ...run,
      phase: { ...phase, total: 2, total_known: false as const },
    };
    expect(edit({ phase: { typed: '1' } }, open).phases).toEqual(run.phases);
  });

  test('the current phase may get another name', () => {
    expect(
      listed({}, ['Research', 'Design', 'Prototype', 'Ship']).phase,
    ).toMatchObject({
      current: 3,
      name: 'Prototype',
    });
  });

  test('skipped phases keep their mark, also under another name', () => {
    const skipped = { '1': 'known', '3': 'too early' };
    expect(
      listed({ skipped }, ['Sketch', 'Build', 'Test', 'Ship']).skipped,
    ).toEqual({
      '1': 'known',
      '4': 'too early',
    });
  });

  test('what is put before the current phase is not done, a new name of a done phase is', () => {
    expect(listed({}, ['Design', 'Research', 'Build', 'Ship']).skipped).toEqual(
      {
        '2': 'added later',
      },
    );
    expect(listed({}, ['Ship', 'Design', 'Build']).skipped).toEqual({
      '1': 'added later',
    });
    expect(listed({}, ['Sketch', 'Build', 'Ship']).skipped).toBeUndefined();
  });

  test('without a list there was nothing to compare with', () => {
    const { phases: _phases, ...rest } = run;
    const state = edit(
      { phases: ['A', 'B', 'C', 'Build'] },
      { ...rest, phase },
    );
    expect(state.phase).toMatchObject({ current: 4, total: 4, name: 'Build' });
    expect(state.skipped).toBeUndefined();
  });
});

describe('the lists', () => {
  test('an entry is taken out by its name, or by a part that only one has', () => {
    expect(edit({ unread: ['docs/a.md'] }).required_reading).toEqual([
      '@docs/b.md',
    ]);
    expect(edit({ unread: ['@b.md'] }).required_reading).toEqual([
      '@docs/a.md',
    ]);
    expect(edit({ forget: ['FORCE'] }).key_reminders).toEqual(['test first']);
    expect(edit({ forget: ['test first'] }).key_reminders).toEqual([
      'no force push',
    ]);
  });

  test('a part that several have, or none, is refused with what there is', () => {
    expect(() =>
      edit({ forget: ['or'] }, { ...run, key_reminders: ['or a', 'or b'] }),
    ).toThrow(saying('this run has no reminder "or"; available: or a; or b'));
    expect(() => edit({ unread: ['zzz'] })).toThrow(
      saying('no required file "zzz"'),
    );
  });
});

test('a new list of phases keeps what a phase handed on with that phase', () => {
  const built = {
    ...run,
    phase: aPhase({ current: 2, total: 3, name: 'Build' }),
    outputs: { 1: { text: 'see docs/design.md' } },
  };
  const output = { text: 'see docs/design.md' };
  expect(
    edit({ phases: ['Prepare', 'Design', 'Build'] }, built).outputs,
  ).toEqual({ 2: output });
  expect(edit({ phases: ['Build', 'Ship'] }, built).outputs).toEqual({
    Design: output,
  });
});
