import { phaseLabel } from './phase-words.ts';
import type { Note, RunState } from './types.ts';

/** A note that has been read: its number belongs to no other note of its run. */
export type NumberedNote = Note & { n: number };

export type NoteAuthor = NonNullable<Note['by']>;

/** Of the notes that are open to agents. More are dropped, the oldest first. */
const MAX_NOTES = 200;

/**
 * A larger number, which only a hand can have written, does not count. It is far below what `note --forget` takes, so that
 * the numbers which follow the largest one can be typed there, too.
 */
const MAX_NUMBER = 999_999;

/**
 * Gives a number to every note that has none of its own: those that a person or an earlier version wrote, and of two with
 * the same number the later one in the list. `last` is the highest number that was ever given in the run, so that the
 * number of a note that is gone is not given again.
 */
export function numberNotes<T extends { n?: unknown }>(
  notes: readonly T[],
  last: unknown,
): { notes: (T & { n: number })[]; last_note: number } {
  const taken = new Set<number>();
  let highest = isNoteNumber(last) ? last : 0;
  const own = notes.map(({ n }) => {
    if (!isNoteNumber(n) || taken.has(n)) return null;
    taken.add(n);
    highest = Math.max(highest, n);
    return n;
  });

  const numbered = notes.map((note, index) => {
    const n = own[index] ?? null;
    if (n !== null) return { ...note, n };
    highest += 1;
    return { ...note, n: highest };
  });
  return { notes: numbered, last_note: highest };
}

function isNoteNumber(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) &&
    Number(value) >= 1 &&
    Number(value) <= MAX_NUMBER
  );
}

/** Every note that is stored, the newest first: by number, because the clocks of several machines differ. */
export function allNotes({
  notes = [],
  last_note: last,
}: RunState): NumberedNote[] {
  return numberNotes(notes, last).notes.toSorted((a, b) => b.n - a.n);
}

/** The notes that a session is given, the newest first. Of those by the model only the newest counts: it was asked for all. */
export function notesOf(state: RunState): NumberedNote[] {
  const newestFirst = allNotes(state);
  const latest = newestFirst.find(({ by }) => by === 'model');
  return newestFirst.filter((note) => note.by !== 'model' || note === latest);
}

/** Whether an agent may undo the note. What no agent noted, as far as is known, may be the user's word. */
export const isOpenToAgents = ({ by }: Note): boolean =>
  by === 'agent' || by === 'model';

/** Adds a note under the next number. One by the model replaces those that the model wrote before. */
export function addNote(
  state: RunState,
  { text, by }: { text: string; by: NoteAuthor },
  now: Date,
): { state: RunState; note: NumberedNote } {
  const { notes, last_note: last } = numberNotes(
    state.notes ?? [],
    state.last_note,
  );
  const n = last + 1;
  const note = {
    n,
    at: now.toISOString(),
    phase: phaseLabel(state.phase),
    text,
    by,
  };
  const kept =
    by === 'model' ? notes.filter((earlier) => earlier.by !== 'model') : notes;
  const oldestFirst = [...kept, note].toSorted((a, b) => a.n - b.n);
  return {
    state: { ...state, notes: withoutOldest(oldestFirst), last_note: n },
    note,
  };
}

/** An agent that notes a lot does not push out what the user said. */
function withoutOldest(oldestFirst: readonly NumberedNote[]): NumberedNote[] {
  const dropped = new Set(
    oldestFirst.filter(isOpenToAgents).slice(0, -MAX_NOTES),
  );
  return oldestFirst.filter((note) => !dropped.has(note));
}

/** The state without the note; its number stays given. */
export function removeNote(state: RunState, n: number): RunState {
  const { notes, last_note: last } = numberNotes(
    state.notes ?? [],
    state.last_note,
  );
  return {
    ...state,
    notes: notes.filter((note) => note.n !== n),
    last_note: last,
  };
}

/**
 * As one line of a list, with the number that `note --replace` and `note --forget` take. What a person noted says so: an
 * agent cannot undo it.
 */
export function noteText(note: NumberedNote): string {
  const { n, text, phase, by } = note;
  const facts: string[] = [];
  if (phase !== '') facts.push(`phase ${phase}`);
  if (by === 'person') facts.push(authorText(note));
  return facts.length === 0
    ? `[${n}] ${text}`
    : `[${n}] ${text} (${facts.join(', ')})`;
}

const AUTHORS: ReadonlyMap<unknown, string> = new Map<NoteAuthor, string>([
  ['person', 'by a person'],
  ['agent', 'by an agent'],
  ['model', 'by the model before a compaction'],
]);

/**
 * Who noted it, in words, as the state says. That may have come with a clone or from a remote, so a person is not said to
 * be the one who reads this. Empty where a note written by hand or by an earlier version does not tell.
 */
export const authorText = ({ by }: Note): string => AUTHORS.get(by) ?? '';
