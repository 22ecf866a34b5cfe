import { phaseLabel } from './phases.ts';
import type { Note, RunState } from './types.ts';

/** More are dropped, the oldest first. */
const MAX_NOTES = 200;

/** `by` is set for what the model was asked for before a compaction. */
export function withNote(state: RunState, text: string, now: Date, by?: 'model'): RunState {
  const note = { at: now.toISOString(), phase: phaseLabel(state.phase), text, ...(by && { by }) };
  return { ...state, notes: [...(state.notes ?? []), note].slice(-MAX_NOTES) };
}

/** The notes that a session is given, the newest first. Of those by the model only the newest counts: it was asked for all. */
export function notesOf({ notes = [] }: RunState): Note[] {
  const newest = notes.toReversed().toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const latest = newest.find(({ by }) => by === 'model');
  return newest.filter((note) => note.by !== 'model' || note === latest);
}

export const noteText = ({ text, phase }: Note): string =>
  phase === '' ? text : `${text} (phase ${phase})`;
