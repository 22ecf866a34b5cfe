import { costOf, eventWords, loadedIn, type EventKind } from '../state/event-words.ts';
import type { JournalEvent, RunState } from '../state/types.ts';

type TimedEvent = JournalEvent & { at: string };

/** What happened to a run, the latest first: its journal, and the sessions and the reading in its state. */
export function timeline(state: RunState, journal: readonly TimedEvent[]): TimelineEntry[] {
  const timeOf = ({ at }: TimelineEntry): number => Date.parse(at) || 0;
  return [...journal.map(journalEntry), ...journal.flatMap(readingEntry), ...sessionEntries(state)]
    .toReversed()
    .toSorted((a, b) => timeOf(b) - timeOf(a));
}

export type TimelineEntry = ReturnType<typeof entryOf>;

function entryOf(
  { at, session_id: session }: { at: string; session_id?: unknown },
  kind: EventKind,
  title: string,
  /** Reasons, outputs and feedback, as somebody wrote them. */
  text = '',
  /** Other fields of the event. */
  facts: [name: string, value: unknown][] = [],
  cost: number | null = null,
) {
  return {
    at,
    kind,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    text,
    facts,
    session: typeof session === 'string' ? session : null,
    cost,
  };
}

function journalEntry(event: TimedEvent): TimelineEntry {
  const { kind, title, text, others } = eventWords(event);
  // How much a restore gave.
  const { given, characters } = event;
  const facts = [...others, ['given', given], ['characters', characters]]
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]): [string, unknown] => [String(name).replaceAll('_', ' '), value]);
  return entryOf(event, kind, title, text, facts, costOf(event));
}

const MAX_NAMES = 5;

/** What came into the context together with an event, such as files that a restore included. */
function readingEntry(event: TimedEvent): TimelineEntry[] {
  const names = loadedIn(event);
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const verb = names.length === 1 ? 'was' : 'were';
  const how = ['restored', 'claimed', 'resumed'].includes(event.event)
    ? 'included in the guidance'
    : 'loaded into the context';
  const title = `${names.slice(0, MAX_NAMES).join(', ')}${more} ${verb} ${how}`;
  return [{ ...entryOf(event, 'reading', ''), title }];
}

/** The journal only records how sessions end. */
const sessionEntries = ({ sessions }: RunState): TimelineEntry[] =>
  (sessions?.session_history ?? []).map(({ session_id, started_at: at, environment }) => {
    const machine = environment?.hostname ?? '';
    const where = machine === '' ? '' : ` on ${machine}`;
    return entryOf({ at, session_id }, 'session', `a session${where} began to work on it`);
  });
