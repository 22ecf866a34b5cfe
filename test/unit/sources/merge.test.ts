import { describe, expect, test } from 'vitest';
import { mergeDeclared } from '../../../src/sources/merge.ts';
import { parseDeclared } from '../../../src/sources/source-state.ts';
import { aPhase, aSaid, aState } from '../../support/runs.ts';

describe('the phase', () => {
  const run = aState({ phase: aPhase({ current: 4, name: 'Verify' }) });
  const stale = aSaid({ phase: { current: 2, total: 5, name: 'Build' } });

  test('a stale marker does not pull it back', () => {
    expect(mergeDeclared(run, stale, stale).phase).toEqual(run.phase);
  });

  test('a source that moved further brings its name, its total and its status', () => {
    const moved = aSaid({ phase: { current: 5, total: 6, name: 'Review', status: 'blocked' } });
    expect(mergeDeclared(run, moved, stale)).toMatchObject({
      phase: { current: 5, total: 6, name: 'Review', status: 'blocked' },
      phase_set_by: 'source',
      recorded_phase: { current: run.phase.current, name: run.phase.name },
    });
  });

  test('without a base the further one wins', () => {
    const ahead = aSaid({ phase: { current: 5, total: 5, name: 'Ship' } });
    expect(mergeDeclared(run, stale, undefined).phase).toEqual(run.phase);
    expect(mergeDeclared(run, ahead, undefined).phase).toMatchObject({ current: 5, name: 'Ship' });
  });

  test('a name that was corrected at a number the run has left does not reach the run', () => {
    const renamed = aSaid({ phase: { current: 2, total: 5, name: 'Build it', status: 'blocked' } });
    expect(mergeDeclared(run, renamed, stale).phase).toEqual(run.phase);
  });

  test('a name that was corrected at the number the run is at does', () => {
    const here = aState({ phase: aPhase({ current: 2, name: 'Build' }) });
    const renamed = aSaid({ phase: { current: 2, total: 5, name: 'Build it' } });
    expect(mergeDeclared(here, renamed, stale).phase).toMatchObject({
      current: 2,
      name: 'Build it',
    });
  });

  test('a new total counts, but never below where the run is', () => {
    const said = (total: number) => aSaid({ phase: { current: 2, total, name: 'Build' } });
    expect(mergeDeclared(run, said(9), stale).phase).toMatchObject({ current: 4, total: 9 });
    expect(mergeDeclared(run, said(3), stale).phase).toMatchObject({ current: 4, total: 4 });
  });

  test('a name without numbers keeps the numbers there were', () => {
    const byName = aSaid({ phase: { name: 'Polish' } });
    expect(mergeDeclared(run, byName, stale).phase).toMatchObject({
      current: 4,
      total: 5,
      name: 'Polish',
    });
  });

  test('a name that is one of the phases brings its number', () => {
    const named = aState({ phase: aPhase(), phases: ['Design', 'Build', 'Ship'] });
    const byName = aSaid({ phase: { name: 'Ship' } });
    expect(mergeDeclared(named, byName, aSaid({ phase: { name: 'Design' } })).phase.current).toBe(
      3,
    );
  });

  test('a number alone takes its name from the list of phases', () => {
    const said = aSaid({ phase: { current: 2 }, phases: ['Design', 'Build'] });
    expect(mergeDeclared(aState(), said, undefined).phase).toMatchObject({
      current: 2,
      name: 'Build',
    });
  });

  test('a source that no longer mentions it leaves it alone', () => {
    expect(mergeDeclared(run, aSaid(), stale).phase).toEqual(run.phase);
  });
});

describe('a run that a template drives', () => {
  const driven = aState({ machine: { status: 'running' }, phases: ['Plan', 'Do'] });

  test('keeps its phase, its phases and its name', () => {
    const said = aSaid({
      workflow: 'Renamed',
      phase: { current: 3 },
      phases: ['X'],
      required_reading: ['@new.md'],
    });
    const merged = mergeDeclared(driven, said, aSaid({ phase: { current: 1 } }));
    expect(merged).toEqual({ ...driven, required_reading: ['@new.md'] });
  });
});

describe('lists and context', () => {
  const base = aSaid({ required_reading: ['@a', '@b'], key_reminders: ['one', 'two'] });

  test('an entry that the source dropped goes', () => {
    const run = aState({ required_reading: ['@a', '@b', '@mine'], key_reminders: ['one', 'two'] });
    const said = aSaid({ required_reading: ['@a'], key_reminders: ['two'] });
    expect(mergeDeclared(run, said, base)).toMatchObject({
      required_reading: ['@a', '@mine'],
      key_reminders: ['two'],
    });
  });

  test('an entry that the person removed stays removed', () => {
    const run = aState({ required_reading: ['@b'], key_reminders: [] });
    const said = { ...base, required_reading: ['@a', '@b', '@new'] };
    expect(mergeDeclared(run, said, base)).toMatchObject({
      required_reading: ['@b', '@new'],
      key_reminders: [],
    });
  });

  test.each([
    ['changed by the source', { k: 1 }, { k: 2 }, { k: 1 }, { k: 2 }],
    ['changed by the person', { k: 9 }, { k: 1 }, { k: 1 }, { k: 9 }],
    ['changed by both: the source is the newer word', { k: 9 }, { k: 2 }, { k: 1 }, { k: 2 }],
    ['dropped by the source', { k: 1 }, {}, { k: 1 }, {}],
    ['dropped by the source, changed by the person', { k: 9 }, {}, { k: 1 }, { k: 9 }],
    ['removed by the person', {}, { k: 1 }, { k: 1 }, {}],
    ['new at the source', { mine: 0 }, { k: 1 }, {}, { mine: 0, k: 1 }],
    ['without a base the run keeps its own', { k: 9 }, { k: 1, more: 2 }, null, { k: 9, more: 2 }],
  ])('a fact %s', (_rule, ours, theirs, before, expected) => {
    const last = before === null ? undefined : aSaid({ context: before });
    const merged = mergeDeclared(aState({ context: ours }), aSaid({ context: theirs }), last);
    expect(merged.context).toEqual(expected);
  });

  test('nothing is made up for a run that has neither', () => {
    const merged = mergeDeclared(aState(), aSaid(), undefined);
    expect(Object.keys(merged)).not.toContain('context');
    expect(Object.keys(merged)).not.toContain('key_reminders');
  });
});

describe('the type', () => {
  const run = aState({ workflow_type: 'qa-loop' });

  test('what somebody wrote is not replaced by what the source always said', () => {
    const said = aSaid({ workflow_type: 'planning' });
    expect(mergeDeclared(run, said, said).workflow_type).toBe('qa-loop');
    expect(mergeDeclared(run, said, undefined).workflow_type).toBe('qa-loop');
    expect(mergeDeclared(run, aSaid(), said).workflow_type).toBe('qa-loop');
  });

  test('what the source newly says counts', () => {
    const said = aSaid({ workflow_type: 'planning' });
    expect(mergeDeclared(run, said, aSaid()).workflow_type).toBe('planning');
  });
});

describe('what a source said last time, as it was kept', () => {
  test('comes back as it was said', () => {
    const said = aSaid({ phase: { current: 2, name: 'Build' }, phases: ['A'], context: { k: 1 } });
    expect(parseDeclared(JSON.parse(JSON.stringify(said)))).toEqual(said);
  });

  test.each([undefined, null, 'text', [], {}, { workflow: 3 }])('%j is no base', (kept) => {
    expect(parseDeclared(kept)).toBeUndefined();
  });

  test('a damaged part of it costs that part only', () => {
    const kept = { workflow: 'X', required_reading: ['@a', 7], context: 'none', phase: 'two' };
    expect(parseDeclared(kept)).toEqual(aSaid({ workflow: 'X', required_reading: ['@a'] }));
  });
});

test('without a base, what the run leaves open about the phase is filled in', () => {
  const bare = aState({ phase: aPhase({ current: 1, total: 1, name: '' }) });
  const said = aSaid({ phase: { current: 1, total: 10, name: 'SEO' } });
  expect(mergeDeclared(bare, said, undefined).phase).toMatchObject({
    current: 1,
    total: 10,
    name: 'SEO',
  });
});

test('without a base, the names of the phases go with the phase that wins', () => {
  const ours = aState({ phase: aPhase({ current: 1, total: 2, name: 'X' }), phases: ['X', 'Y'] });
  const theirs = aSaid({ phase: { current: 2, total: 3, name: 'B' }, phases: ['A', 'B', 'C'] });
  expect(mergeDeclared(ours, theirs, undefined).phases).toEqual(['A', 'B', 'C']);
});

describe('phases are followed by name when the list of the source changes', () => {
  const list = ['Design', 'Build', 'Ship'];
  const longer = ['Design', 'Review', 'Build', 'Ship'];
  const at = (phases: string[], current: number) =>
    aSaid({
      phases,
      phase: {
        current,
        total: phases.length,
        name: phases[current - 1] ?? '',
        status: 'in_progress',
      },
    });
  const run = (current: number) =>
    aState({
      phases: list,
      phase: aPhase({ current, total: 3, name: list[current - 1] ?? '' }),
    });

  test('a phase inserted before the current one', () => {
    const merged = mergeDeclared(run(2), at(longer, 3), at(list, 2));
    expect(merged).toMatchObject({
      phases: longer,
      phase: { current: 3, total: 4, name: 'Build', status: 'in_progress' },
    });
  });

  test('a run that is ahead of the source is not pulled back', () => {
    const ship = { current: 4, total: 4, name: 'Ship' };
    expect(mergeDeclared(run(3), at(longer, 3), at(list, 2)).phase).toMatchObject(ship);
    expect(mergeDeclared(run(3), at(longer, 2), at(list, 2)).phase).toMatchObject(ship);
  });

  test('a phase inserted after the current one', () => {
    const merged = mergeDeclared(run(1), at(longer, 1), at(list, 1));
    expect(merged.phase).toMatchObject({ current: 1, total: 4, name: 'Design' });
  });

  test('a phase that was removed, renamed or moved', () => {
    const removed = mergeDeclared(run(3), at(['Build', 'Ship'], 1), at(list, 2));
    expect(removed.phase).toMatchObject({ current: 2, total: 2, name: 'Ship' });
    const renamed = mergeDeclared(run(2), at(['Design', 'Build it', 'Ship'], 2), at(list, 2));
    expect(renamed.phase).toMatchObject({ current: 2, total: 3, name: 'Build it' });
    const reordered = mergeDeclared(run(2), at(['Build', 'Design', 'Ship'], 1), at(list, 2));
    expect(reordered.phase).toMatchObject({ current: 1, total: 3, name: 'Build' });
  });

  test('a source that moved to another phase wins', () => {
    expect(mergeDeclared(run(2), at(longer, 4), at(list, 2)).phase).toMatchObject({
      current: 4,
      name: 'Ship',
    });
    expect(mergeDeclared(run(2), at(longer, 1), at(list, 2)).phase).toMatchObject({
      current: 1,
      name: 'Design',
    });
  });

  test('of several phases with one name the same one is followed', () => {
    const twice = ['Review', 'Build', 'Review'];
    const more = ['Plan', 'Review', 'Build', 'Review'];
    const second = aState({
      phases: twice,
      phase: aPhase({ current: 3, total: 3, name: 'Review' }),
    });
    expect(mergeDeclared(second, at(more, 4), at(twice, 3)).phase).toMatchObject({ current: 4 });
  });
});

describe('what a run keeps by the number of a phase follows the phase', () => {
  const before = ['Design', 'Build', 'Docs', 'Ship'];
  const said = (phases: string[], current: number) => aSaid({ phases, phase: { current } });
  const run = aState({
    phases: before,
    phase: aPhase({ current: 2, total: 4, name: 'Build' }),
    skipped: { 3: 'no docs wanted' },
    outputs: { 1: { text: 'see docs/design.md' } },
  });

  test('if another one is inserted before it', () => {
    const after = ['Research', ...before];
    expect(mergeDeclared(run, said(after, 2), said(before, 1))).toMatchObject({
      phase: { current: 3, name: 'Build' },
      skipped: { 4: 'no docs wanted' },
      outputs: { 2: { text: 'see docs/design.md' } },
    });
  });

  test('if it is gone, what it handed on is kept by its name', () => {
    const merged = mergeDeclared(run, said(['Build', 'Ship'], 1), said(before, 1));
    expect(merged.outputs).toEqual({ Design: { text: 'see docs/design.md' } });
    expect(merged.skipped).toBeUndefined();
  });
});
