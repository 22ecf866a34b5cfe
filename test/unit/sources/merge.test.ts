import { describe, expect, test } from 'vitest';
import { mergeDeclared } from '../../../src/sources/merge-declared.ts';
import type { DeclaredWorkflow } from '../../../src/sources/types.ts';
import { parseDeclared } from '../../../src/sources/source-records.ts';
import type { PhaseStatus, RunState } from '../../../src/state/types.ts';
import { aPhase, aSaid, aState } from '../../support/runs.ts';

/** `2/5 Build blocked, A B C`: the phase, and the list of all. */
function saidIn(text: string): DeclaredWorkflow {
  const [phase = '', list] = text.split(', ');
  const [, current, total, name, status] =
    /^(?:(\d+)(?:\/(\d+))?)? ?(\S+)?(?: (blocked))?$/.exec(phase) ?? [];
  return aSaid({
    ...(phase !== '' && {
      phase: {
        ...(current && { current: Number(current) }),
        ...(total && { total: Number(total) }),
        ...(name && { name }),
        ...(status && { status: status as PhaseStatus }),
      },
    }),
    ...(list && { phases: list.split(' ') }),
  });
}

function runAt(text: string): RunState {
  const { phase, phases } = saidIn(text);
  return aState({
    phase: aPhase({ name: '', ...phase }),
    ...(phases && { phases }),
  });
}

function shown({ phase, phases }: RunState): string {
  const status = phase.status === 'blocked' ? ' blocked' : '';
  const list = phases ? `, ${phases.join(' ')}` : '';
  return `${phase.current}/${phase.total} ${phase.name}${status}${list}`;
}

/** The run, what the source says, what it said at the last merge (`-` if that is not known), and the run then. */
test.each([
  [
    'a stale marker does not pull it back',
    '4/5 Verify',
    '2/5 Build',
    '2/5 Build',
    '4/5 Verify',
  ],
  [
    'one that moved on does',
    '4/5 Verify',
    '5/6 End blocked',
    '2/5 Build',
    '5/6 End blocked',
  ],
  [
    'without a base the further one wins',
    '4/5 Verify',
    '2/5 Build',
    '-',
    '4/5 Verify',
  ],
  ['also if it is the source', '4/5 Verify', '5/5 Ship', '-', '5/5 Ship'],
  [
    'a new name elsewhere',
    '4/5 Verify',
    '2/5 Make blocked',
    '2/5 Build',
    '4/5 Verify',
  ],
  ['a new name here', '2/5 Build', '2/5 Make', '2/5 Build', '2/5 Make'],
  ['a new total', '4/5 Verify', '2/9 Build', '2/5 Build', '4/9 Verify'],
  [
    'but not below the run',
    '4/5 Verify',
    '2/3 Build',
    '2/5 Build',
    '4/4 Verify',
  ],
  ['a name without numbers', '4/5 Verify', 'Polish', '2/5 Build', '4/5 Polish'],
  ['a name of the list', '1/3 A, A B C', 'C', 'A', '3/3 C, A B C'],
  ['a number of the list', '1/5 A', '2, A B', '-', '2/2 B, A B'],
  ['no phase any more', '4/5 Verify', '', '2/5 Build', '4/5 Verify'],
  ['gaps are filled without a base', '1/1', '1/10 SEO', '-', '1/10 SEO'],
  [
    'the list of the further one',
    '1/2 X, X Y',
    '2/3 B, A B C',
    '-',
    '2/3 B, A B C',
  ],
  [
    'inserted before it',
    '2/3 B, A B C',
    '3/4 B, A X B C',
    '2/3 B, A B C',
    '3/4 B, A X B C',
  ],
  [
    'a run ahead',
    '3/3 C, A B C',
    '3/4 B, A X B C',
    '2/3 B, A B C',
    '4/4 C, A X B C',
  ],
  [
    'further ahead',
    '3/3 C, A B C',
    '2/4 X, A X B C',
    '2/3 B, A B C',
    '4/4 C, A X B C',
  ],
  [
    'inserted after it',
    '1/3 A, A B C',
    '1/4 A, A X B C',
    '1/3 A, A B C',
    '1/4 A, A X B C',
  ],
  ['removed', '3/3 C, A B C', '1/2 B, B C', '2/3 B, A B C', '2/2 C, B C'],
  ['renamed', '2/3 B, A B C', '2/3 X, A X C', '2/3 B, A B C', '2/3 X, A X C'],
  ['moved', '2/3 B, A B C', '1/3 B, B A C', '2/3 B, A B C', '1/3 B, B A C'],
  [
    'a source that went on',
    '2/3 B, A B C',
    '4/4 C, A X B C',
    '2/3 B, A B C',
    '4/4 C, A X B C',
  ],
  [
    'or back',
    '2/3 B, A B C',
    '1/4 A, A X B C',
    '2/3 B, A B C',
    '1/4 A, A X B C',
  ],
  [
    'one name twice',
    '3/3 A, A B A',
    '4/4 A, X A B A',
    '3/3 A, A B A',
    '4/4 A, X A B A',
  ],
])('the phase: %s', (_title, ours, theirs, before, expected) => {
  const base = before === '-' ? undefined : saidIn(before);
  expect(shown(mergeDeclared(runAt(ours), saidIn(theirs), base)).trim()).toBe(
    expected,
  );
});

test('a number that is not understood does not replace recorded progress', () => {
  const said = aSaid({
    phase: { total_known: false, name: 'Build', line: '2a/5 - Build' },
  });
  expect(
    shown(mergeDeclared(runAt('4/5 Verify'), said, saidIn('2/5 Build'))),
  ).toBe('4/5 Verify');
});

describe('a run that a template drives', () => {
  const driven = aState({
    machine: { status: 'running' },
    phases: ['Plan', 'Do'],
  });

  test('keeps its phase, its phases and its name', () => {
    const said = aSaid({
      workflow: 'Renamed',
      phase: { current: 3 },
      phases: ['X'],
      required_reading: ['@new.md'],
    });
    const merged = mergeDeclared(
      driven,
      said,
      aSaid({ phase: { current: 1 } }),
    );
    expect(merged).toEqual({ ...driven, required_reading: ['@new.md'] });
  });
});

describe('lists and context', () => {
  const base = aSaid({
    required_reading: ['@a', '@b'],
    key_reminders: ['one', 'two'],
  });

  test('an entry that the source dropped goes', () => {
    const run = aState({
      required_reading: ['@a', '@b', '@mine'],
      key_reminders: ['one', 'two'],
    });
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
    [
      'changed by both: the source is the newer word',
      { k: 9 },
      { k: 2 },
      { k: 1 },
      { k: 2 },
    ],
    ['dropped by the source', { k: 1 }, {}, { k: 1 }, {}],
    [
      'dropped by the source, changed by the person',
      { k: 9 },
      {},
      { k: 1 },
      { k: 9 },
    ],
    ['removed by the person', {}, { k: 1 }, { k: 1 }, {}],
    ['new at the source', { mine: 0 }, { k: 1 }, {}, { mine: 0, k: 1 }],
    [
      'without a base the run keeps its own',
      { k: 9 },
      { k: 1, more: 2 },
      null,
      { k: 9, more: 2 },
    ],
  ])('a fact %s', (_rule, ours, theirs, before, expected) => {
    const last = before === null ? undefined : aSaid({ context: before });
    const merged = mergeDeclared(
      aState({ context: ours }),
      aSaid({ context: theirs }),
      last,
    );
    expect(merged.context).toEqual(expected);
  });
});

test('a type that somebody wrote is replaced only by what the source newly says', () => {
  const run = aState({ workflow_type: 'qa-loop' });
  const said = aSaid({ workflow_type: 'planning' });
  expect(mergeDeclared(run, said, said).workflow_type).toBe('qa-loop');
  expect(mergeDeclared(run, said, undefined).workflow_type).toBe('qa-loop');
  expect(mergeDeclared(run, aSaid(), said).workflow_type).toBe('qa-loop');
  expect(mergeDeclared(run, said, aSaid()).workflow_type).toBe('planning');
});

describe('what a source said last time, as it was kept', () => {
  test('comes back as it was said', () => {
    const said = aSaid({
      phase: { current: 2, name: 'Build' },
      phases: ['A'],
      context: { k: 1 },
    });
    expect(parseDeclared(JSON.parse(JSON.stringify(said)))).toEqual(said);
  });

  test.each([
    undefined,
    null,
    'text',
    [],
    {},
    { workflow: 3 },
    { ...aSaid(), phase: 'two' },
  ])('%j is no base', (kept) => {
    expect(parseDeclared(kept)).toBeUndefined();
  });
});

describe('what a run keeps by the number of a phase follows the phase', () => {
  const before = ['Design', 'Build', 'Docs', 'Ship'];
  const said = (phases: string[], current: number) =>
    aSaid({ phases, phase: { current } });
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
    const merged = mergeDeclared(
      run,
      said(['Build', 'Ship'], 1),
      said(before, 1),
    );
    expect(merged.outputs).toEqual({ Design: { text: 'see docs/design.md' } });
    expect(merged.skipped).toBeUndefined();
  });
});
