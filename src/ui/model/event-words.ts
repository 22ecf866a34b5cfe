import { EVENT_NAMES, type EventName, type JournalEvent } from '../../state/journal.ts';
import { EVENTS, type KnownEvent } from './event-table.ts';
import type { EventKind } from './types/timeline.ts';

export interface EventWords {
  kind: EventKind;
  title: string;
  /** What somebody wrote: an output, a reason, feedback. */
  text: string | null;
  /** The fields that title and text contain. */
  mentioned: readonly string[];
}

/** A journal event as a line for people. Events that a later version wrote keep their own name. */
export function eventWords(event: JournalEvent): EventWords {
  const name = EVENT_NAMES.find((known) => known === event.event);
  return name === undefined ? unknownEvent(event) : knownEvent(name, event);
}

function knownEvent(name: EventName, event: JournalEvent): EventWords {
  const { kind, title, text = '', mentioned = [] }: KnownEvent = EVENTS[name](event);
  const passed = passedBy(event);
  return {
    kind,
    title: `${title}${passed}`,
    text: text.trim() === '' ? null : text,
    mentioned: [...mentioned, ...(passed === '' ? [] : ['passed_by'])],
  };
}

function unknownEvent({ event }: JournalEvent): EventWords {
  return { kind: 'other', title: sentence(event), text: null, mentioned: [] };
}

function passedBy({ passed_by: steps }: JournalEvent): string {
  return Array.isArray(steps) ? `; passed by ${steps.join(', ')}` : '';
}

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words === '' ? 'Unnamed event' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
