import { readTextFile } from '../../files/read-file.ts';
import { NOTE_EVENTS, readJournal } from '../journal.ts';
import * as paths from '../paths.ts';
import type { JournalEvent, Run } from '../types.ts';

/** Many times what the journal of a run may grow to; that of another machine may be longer. */
const MAX_READ_BYTES = 10_000_000;

export function readJournalOf(
  root: string,
  run: Run,
): (JournalEvent & { at: string })[] {
  return readJournal(journalText(root, paths.journalOf(run)) ?? '');
}

/** Null for a journal that is not there, or is none. A link may lead to the journal of another project. */
export function journalText(root: string, path: string): string | null {
  const file = readTextFile(`${root}/${path}`, MAX_READ_BYTES, 'refused');
  return file.kind === 'text' ? file.text : null;
}

/** An event tells that something was written; the whole of it is in the state file. */
const MAX_TEXT_CHARS = 500;
/** A note that was replaced or forgotten stands nowhere else. */
const MAX_NOTE_CHARS = 2_000;

export function journalLine(event: JournalEvent, now: Date): string {
  const max = NOTE_EVENTS.has(event.event) ? MAX_NOTE_CHARS : MAX_TEXT_CHARS;
  const fields = Object.entries(event).map(([key, value]) => {
    const isLong = typeof value === 'string' && value.length > max;
    return [key, isLong ? `${value.slice(0, max)}…` : value];
  });
  const at = now.toISOString();
  return JSON.stringify({ at, ...Object.fromEntries(fields) });
}

/** What is kept of a journal that has grown too long: whole lines only. */
export function newerHalf(text: string): string {
  const middle = text.indexOf('\n', Math.floor(text.length / 2));
  return middle < 0 ? '' : text.slice(middle + 1);
}
