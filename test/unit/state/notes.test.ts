import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addNote,
  allNotes,
  notesOf,
  numberNotes,
  removeNote,
} from '../../../src/state/notes.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aState, NOW } from '../../support/runs.ts';

const numbersOf = ({ notes = [] }: RunState): (number | undefined)[] =>
  notes.map(({ n }) => n);

const withNotes = (...texts: string[]): RunState =>
  texts.reduce(
    (state, text) => addNote(state, { text, by: 'agent' }, NOW).state,
    aState(),
  );

describe('the number of a note', () => {
  test.each<
    [
      what: string,
      written: unknown[],
      last: unknown,
      numbers: number[],
      last: number,
    ]
  >([
    [
      'is given in the order of the list',
      [undefined, undefined],
      undefined,
      [1, 2],
      2,
    ],
    ['stays where there is one', [7, 3], undefined, [7, 3], 7],
    [
      'follows the highest one, wherever that stands',
      [undefined, 4, undefined],
      0,
      [5, 4, 6],
      6,
    ],
    ['follows those that are gone', [1, undefined], 9, [1, 10], 10],
    ['belongs to the first of two', [2, 2, 3], undefined, [2, 4, 3], 4],
    [
      'is whole and not absurd',
      [0, -1, 1.5, '2', 1e12, null],
      'x',
      [1, 2, 3, 4, 5, 6],
      6,
    ],
    ['does not follow an absurd one', [undefined], 1e12, [1], 1],
    [
      'can be typed after the largest one that counts',
      [999_999, undefined],
      0,
      [999_999, 1e6],
      1e6,
    ],
  ])('%s', (_what, written, last, numbers, highest) => {
    const notes = written.map((n) => ({
      text: 'x',
      ...(n !== undefined && { n }),
    }));
    const numbered = numberNotes(notes, last);
    expect(numbered.notes.map(({ n }) => n)).toEqual(numbers);
    expect(numbered.last_note).toBe(highest);
  });

  test('is one of its own, is kept when it is read again, and is at most the highest', () => {
    const anyNumber = fc.oneof(
      fc.constant(undefined),
      fc.integer({ min: -1, max: 6 }),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ n: anyNumber })),
        anyNumber,
        (notes, last) => {
          const first = numberNotes(notes, last);
          const numbers = first.notes.map(({ n }) => n);
          expect(new Set(numbers).size).toBe(notes.length);
          expect(Math.max(0, ...numbers)).toBeLessThanOrEqual(first.last_note);
          expect(numberNotes(first.notes, first.last_note)).toEqual(first);
        },
      ),
    );
  });

  test('is never given again, also if the newest note is gone or all are', () => {
    const forgotten = [1, 2, 3].reduce(removeNote, withNotes('a', 'b', 'c'));
    expect(forgotten).toMatchObject({ notes: [], last_note: 3 });
    expect(
      numbersOf(addNote(forgotten, { text: 'd', by: 'agent' }, NOW).state),
    ).toEqual([4]);
  });

  test('is never given again, also if a person removed the note from the file', () => {
    const { notes = [], ...state } = withNotes('a', 'b');
    const edited = { ...state, notes: notes.slice(0, 1) };
    expect(
      numbersOf(addNote(edited, { text: 'c', by: 'agent' }, NOW).state),
    ).toEqual([1, 3]);
  });
});

test('the newest note comes first, whatever the clocks said', () => {
  const future = addNote(
    aState(),
    { text: 'future', by: 'agent' },
    new Date('2099-01-01'),
  ).state;
  const state = addNote(future, { text: 'later', by: 'agent' }, NOW).state;
  expect(notesOf(state).map(({ text }) => text)).toEqual(['later', 'future']);
});

describe('of more than 200 notes of agents', () => {
  const MANY = Array.from({ length: 203 }, (_, index) => String(index));

  test('the oldest go', () => {
    const state = withNotes(...MANY);
    expect(allNotes(state)).toHaveLength(200);
    expect(allNotes(state).at(-1)).toMatchObject({ n: 4 });
  });

  test.each([
    ['of a person', 'person'] as const,
    ['whose author is not known', undefined] as const,
  ])('none %s goes: an agent could push it out', (_whose, by) => {
    const note = {
      at: NOW.toISOString(),
      phase: '',
      text: 'mine',
      ...(by && { by }),
    };
    const state = MANY.reduce(
      (before, text) => addNote(before, { text, by: 'agent' }, NOW).state,
      aState({ notes: [note] }),
    );
    expect(allNotes(state)).toHaveLength(201);
    expect(allNotes(state).at(-1)).toMatchObject({ n: 1, text: 'mine' });
  });
});

describe('what the model was asked for before a compaction', () => {
  const state = addNote(
    withNotes('mine'),
    { text: 'FIRST', by: 'model' },
    NOW,
  ).state;

  test('is replaced by what it says at the next one, and nothing else is', () => {
    const { notes } = addNote(
      state,
      { text: 'SECOND', by: 'model' },
      NOW,
    ).state;
    expect(notes).toMatchObject([
      { n: 1, text: 'mine' },
      { n: 3, text: 'SECOND' },
    ]);
  });

  test('counts once, if sync brought that of another machine', () => {
    const [mine, first] = state.notes ?? [];
    const both = {
      ...state,
      notes: [mine, first, { ...first, n: 3, text: 'THERE' }],
    } as RunState;
    expect(notesOf(both).map(({ text }) => text)).toEqual(['THERE', 'mine']);
    expect(allNotes(both)).toHaveLength(3);
  });
});
