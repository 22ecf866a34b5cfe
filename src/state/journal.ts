import { type JsonObject, parseJsonObject } from '../text/json.ts';
import type { JournalEvent } from './types.ts';
import type { EVENTS } from './event-words.ts';

/** Everything that is recorded: what `holdfast history` and the page have words for. */
export type EventName = keyof typeof EVENTS;

export type NewEvent = JsonObject & { event: EventName };

/** Those that have the text of a note, also of one that the state does not have any more. */
export const NOTE_EVENTS: ReadonlySet<string> = new Set<EventName>([
  'noted',
  'note_forgotten',
]);

/** The journal keeps the newer half when it grows past this. */
export const MAX_JOURNAL_BYTES = 256_000;

/** Skips lines that a killed process left incomplete. */
export const readJournal = (text: string): (JournalEvent & { at: string })[] =>
  text.split('\n').flatMap((line) => {
    const json = parseJsonObject(line);
    const { event, at } = json;
    return typeof event === 'string' && typeof at === 'string'
      ? [{ ...json, event, at }]
      : [];
  });
