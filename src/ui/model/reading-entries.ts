import type { JournalEvent } from '../../state/journal.ts';
import type { RunState } from '../../state/types.ts';
import { oneLine } from './text.ts';
import type { TimelineEntry } from './types/timeline.ts';

type TimedEvent = JournalEvent & { at: string };

/** A state file and its journal are written in one transaction, but not in the same millisecond. */
const SAME_MOMENT_MS = 10_000;
const MAX_NAMES = 5;

/**
 * What came into the context together with other events, such as files that a restore included. Journals of earlier
 * versions do not tell it; of those, the state file still knows what is in the context now.
 */
export function readingEntries(state: RunState, journal: readonly TimedEvent[]): TimelineEntry[] {
  return [...journal.flatMap(loadedEntry), ...unrecordedEntries(state, journal)];
}

function loadedEntry(event: TimedEvent): TimelineEntry[] {
  const ids = loadedIn(event);
  if (ids.length === 0) return [];
  const session = event['session_id'];
  return [entryOf(event.at, ids, HOW_BY_EVENT.get(event.event), session)];
}

const HOW_BY_EVENT = new Map([
  ['restored', 'included in the guidance'],
  ['claimed', 'included in the guidance'],
  ['resumed', 'included in the guidance'],
]);

function unrecordedEntries(
  { context_metadata: metadata, sessions }: RunState,
  journal: readonly TimedEvent[],
): TimelineEntry[] {
  const holder = sessions?.current_session_id;
  return (metadata?.artifacts_in_context ?? [])
    .filter(({ artifact_id: id, loaded_at: at, load_trigger: trigger }) => {
      const isTold = (event: TimedEvent): boolean =>
        isSameMoment(event.at, at) &&
        (loadedIn(event).includes(id) ||
          primedIn(event).includes(id) ||
          (event.event === 'read' && trigger === 'read'));
      return !journal.some(isTold);
    })
    .map(({ artifact_id: id, loaded_at: at, load_trigger: trigger }) =>
      entryOf(at, [id], HOW_BY_TRIGGER.get(trigger ?? ''), holder),
    );
}

const HOW_BY_TRIGGER = new Map([
  ['read', 'read'],
  ['compaction', 'included in the guidance'],
  ['session_start', 'included in the guidance'],
  ['manual', 'loaded by `holdfast prime`'],
]);

function isSameMoment(a: string, b: string): boolean {
  return a === b || Math.abs(Date.parse(a) - Date.parse(b)) < SAME_MOMENT_MS;
}

function loadedIn({ loaded }: JournalEvent): string[] {
  return stringsIn(loaded);
}

function primedIn({ event, artifacts }: JournalEvent): string[] {
  return event === 'primed' ? stringsIn(artifacts) : [];
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}

function entryOf(
  at: string,
  ids: readonly string[],
  how = 'loaded into the context',
  session?: unknown,
): TimelineEntry {
  const names = ids.map((id) => oneLine(id.replace(/^@/, '')));
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return {
    at: oneLine(at, 40),
    kind: 'reading',
    title: `${shown}${more > 0 ? ` and ${more} more` : ''} ${ids.length === 1 ? 'was' : 'were'} ${how}`,
    text: null,
    facts: [],
    session: typeof session === 'string' ? oneLine(session, 60) : null,
    restored: null,
    cost: null,
  };
}
