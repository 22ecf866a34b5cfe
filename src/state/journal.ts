import { type JsonObject, parseJsonObject } from '../text/json.ts';
import type { JournalEvent } from './types.ts';
import type { EVENTS } from './event-words.ts';

/** Everything that is recorded: what `holdfast history` and the page have words for. */
export type EventName = keyof typeof EVENTS;

/** An event to be recorded. */
export interface NewEvent extends JsonObject {
  event: EventName;
}

const MAX_TEXT = 500;
/** The journal keeps the newer half when it grows past this. */
export const MAX_JOURNAL_BYTES = 256_000;

export function journalLine(event: JournalEvent, now: Date): string {
  const short = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
  ]);
  return JSON.stringify({ at: now.toISOString(), ...Object.fromEntries(short) });
}

/** Skips lines that a killed process left incomplete. */
export function readJournal(text: string): (JournalEvent & { at: string })[] {
  return text.split('\n').flatMap((line) => {
    const json = parseJsonObject(line);
    const { event, at } = json;
    return typeof event === 'string' && typeof at === 'string' ? [{ ...json, event, at }] : [];
  });
}

/**
 * A writer begins a line, writes the state file and then ends the line. So a last line without its end only counts if the
 * state file is of the same moment: else the writer was killed before it wrote that.
 */
export function withoutUndone(text: string, updatedAt: string | undefined): string {
  const start = text.lastIndexOf('\n') + 1;
  return parseJsonObject(text.slice(start))['at'] === updatedAt ? text : text.slice(0, start);
}

export function newerHalf(text: string): string {
  const middle = text.indexOf('\n', Math.floor(text.length / 2));
  return middle < 0 ? '' : text.slice(middle + 1);
}
