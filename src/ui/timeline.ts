import {
  costOf,
  eventWords,
  loadedIn,
  placeOf,
  type EventKind,
} from '../state/event-words.ts';
import type { JournalEvent, RunState } from '../state/types.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';

type TimedEvent = JournalEvent & { at: string };

/** What happened to a run, the latest first: its journal, and the sessions in its state. */
export function timeline(
  state: RunState,
  journal: readonly TimedEvent[],
): TimelineEntry[] {
  const timeOf = ({ at }: TimelineEntry): number => Date.parse(at) || 0;
  return [...journal.map(journalEntry), ...sessionEntries(state)]
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
  cost: number | null = null,
) {
  return {
    at,
    kind,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    text,
    session: typeof session === 'string' ? session : null,
    cost,
  };
}

function journalEntry(event: TimedEvent): TimelineEntry {
  const { kind, title, text } = eventWords(event);
  const { characters } = event;
  const size =
    typeof characters === 'number'
      ? `, ${pluralize(characters, 'character')}`
      : '';
  const all = [title, size, placeOf(event), loadedIn(event)].join('');
  return entryOf(event, kind, all, text, costOf(event));
}

/** The journal only records how sessions end. */
const sessionEntries = ({ sessions }: RunState): TimelineEntry[] =>
  (sessions?.session_history ?? []).map(
    ({ session_id, started_at: at, environment }) => {
      const machine = environment?.hostname ?? '';
      const where = machine === '' ? '' : ` on ${asWord(machine)}`;
      return entryOf(
        { at, session_id },
        'session',
        `a session${where} began to work on it`,
      );
    },
  );
