import { costOf, eventWords, loadedIn, placeOf } from '../state/event-words.ts';
import type { JournalEvent, RunState } from '../state/types.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import type { TimelineEntry } from './page-data.ts';

type TimedEvent = JournalEvent & { at: string };

/** What happened to a run, the latest first: its journal, and the sessions in its state. */
export function timeline(
  state: RunState,
  journal: readonly TimedEvent[],
): TimelineEntry[] {
  const oldestFirst = [...journal.map(eventEntry), ...sessionEntries(state)];
  const timeOf = ({ at }: TimelineEntry): number => Date.parse(at) || 0;
  // Of two entries with the same time, the one that was written later stays above the other.
  return oldestFirst.toReversed().toSorted((a, b) => timeOf(b) - timeOf(a));
}

function eventEntry(event: TimedEvent): TimelineEntry {
  const { kind, title, text } = eventWords(event);
  const details = [sizeOf(event), placeOf(event), loadedIn(event)].join('');
  const session = event['session_id'];

  return {
    at: event.at,
    kind,
    title: capitalized(title + details),
    text,
    session: typeof session === 'string' ? session : null,
    cost: costOf(event),
  };
}

function sizeOf({ characters }: TimedEvent): string {
  if (typeof characters !== 'number') return '';
  return `, ${pluralize(characters, 'character')}`;
}

/** The journal records only how sessions end. */
function sessionEntries({ sessions }: RunState): TimelineEntry[] {
  const history = sessions?.session_history ?? [];
  return history.map((record): TimelineEntry => {
    const machine = record.environment?.hostname ?? '';
    const where = machine === '' ? '' : ` on ${asWord(machine)}`;
    return {
      at: record.started_at,
      kind: 'session',
      title: capitalized(`a session${where} began to work on it`),
      text: '',
      session: record.session_id,
      cost: null,
    };
  });
}

const capitalized = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1);
