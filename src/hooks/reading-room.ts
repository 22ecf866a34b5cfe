import type { Transaction } from '../state/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import type { Surroundings } from './surroundings.ts';

/** What hooks do about required files. Most calls have nothing to do there, so it lies in a file of its own. */
export interface ReadingRoom {
  preToolUse: (around: Surroundings) => Reply;
  readingNote: (around: Surroundings) => Reply;
  noteGiven: (around: Surroundings, tx: Transaction, given: Given) => void;
  noteRead: (
    around: Surroundings,
    file: string,
    concerned: readonly StoredRun[],
    idsIn: (run: StoredRun) => string[],
  ) => void;
}

/** What a session that holds a run was just given of it. */
export interface Given {
  session: string;
  kind: 'full' | 'short' | 'frame';
  run: StoredRun;
}

let enter: () => ReadingRoom | null = () => null;

/** Whoever starts a program says how to get there; null where there is no way. */
export function readingIsIn(room: () => ReadingRoom | null): void {
  enter = room;
}

export function readingRoom(): ReadingRoom | null {
  return enter();
}
