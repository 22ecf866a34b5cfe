import { mergeList } from '../sources/merge-entries.ts';
import { allNotes, numberNotes, type NumberedNote } from '../state/notes.ts';
import type { RunState } from '../state/types.ts';
import { canonicalJson } from '../text/json.ts';

type Notes = Pick<RunState, 'notes' | 'last_note'>;

/**
 * The notes of both sides, without those that one side removed. Two machines that noted something since they last met have
 * given the same number twice: the later note gets the next free one. A note is therefore known by what it says, when and
 * by whom, not by its number, which a merge elsewhere may have changed meanwhile.
 */
export function mergeNotes(
  base: RunState | undefined,
  one: RunState,
  two: RunState,
): Notes {
  const before = notesByContent(base);
  const first = notesByContent(one);
  const second = notesByContent(two);
  const kept = mergeList(
    [...first.keys()],
    [...second.keys()],
    [...before.keys()],
  );

  const notes = kept
    .flatMap((content) => sameNote(first.get(content), second.get(content)))
    .toSorted(byTime);
  const last = Math.max(one.last_note ?? 0, two.last_note ?? 0);
  if (last === 0 && notes.length === 0) return {};
  const numbered = numberNotes(notes, last);
  return { ...numbered, notes: numbered.notes.toSorted((a, b) => a.n - b.n) };
}

function notesByContent(
  state: RunState | undefined,
): Map<string, NumberedNote> {
  const notes = state === undefined ? [] : allNotes(state);
  return new Map(notes.map((note) => [contentOf(note), note]));
}

const contentOf = ({ n: _number, ...content }: NumberedNote): string =>
  canonicalJson(content, 0);

/** Numbers only grow, so the higher one is the newer. */
function sameNote(
  one: NumberedNote | undefined,
  two: NumberedNote | undefined,
): NumberedNote[] {
  if (one === undefined || two === undefined)
    return [one, two].filter((note) => note !== undefined);
  return [one.n > two.n ? one : two];
}

/** The earlier first; in one order for every machine, also where the clocks of two show the same time. */
function byTime(a: NumberedNote, b: NumberedNote): number {
  const rank = (note: NumberedNote): string => `${note.at} ${contentOf(note)}`;
  return rank(a) < rank(b) ? -1 : 1;
}
