import type { RestoredRun } from '../restore/record-receipt.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import type { HookContext } from './context.ts';

/** What hooks do about required files. Most calls have nothing to do there, so it lies in a file of its own. */
export interface ReadingSupport {
  preToolUse: (around: HookContext) => Reply;
  readingNote: (around: HookContext) => Reply;
  noteGiven: (around: HookContext, tx: Transaction, given: RestoredRun) => void;
  noteRead: (
    around: HookContext,
    file: string,
    concerned: readonly StoredRun[],
    idsIn: (run: StoredRun) => string[],
  ) => void;
}

let enter: () => ReadingSupport | null = () => null;

/** Whoever starts a program says how to get there; null where there is no way. */
export function registerReadingSupport(room: () => ReadingSupport | null): void {
  enter = room;
}

export function readingSupport(): ReadingSupport | null {
  return enter();
}
