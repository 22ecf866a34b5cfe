import type { JournalEvent } from '../../state/journal.ts';
import type { RunState } from '../../state/types.ts';
import { readingEntries } from './reading-entries.ts';
import { recordedSections } from './restored.ts';
import { eventWords, type EventWords } from './event-words.ts';
import { manyLines, oneLine, valueText } from './text.ts';
import type { Fact } from './types/fact.ts';
import type { RestoredFacts, TimelineEntry } from './types/timeline.ts';

const MAX_ENTRIES = 2_000;
const MAX_FACTS = 12;

export interface Timeline {
  entries: TimelineEntry[];
  leftOut: number;
}

/** What happened to a run, the latest first: its journal, and the sessions and the reading in its state. */
export function timeline(
  state: RunState,
  journal: readonly (JournalEvent & { at: string })[],
): Timeline {
  const entries = [
    ...journal.map(journalEntry),
    ...readingEntries(state, journal),
    ...sessionEntries(state),
  ];
  const ordered = entries
    .map((entry, index) => ({ entry, index, time: Date.parse(entry.at) || 0 }))
    .toSorted((a, b) => b.time - a.time || b.index - a.index)
    .map(({ entry }) => entry);
  return {
    entries: ordered.slice(0, MAX_ENTRIES),
    leftOut: Math.max(0, ordered.length - MAX_ENTRIES),
  };
}

/** The cost of all driven steps in the journal; null if no event tells one. */
export function totalCost(journal: readonly JournalEvent[]): number | null {
  const costs = journal.map(costOf).filter((cost) => cost !== null);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

function journalEntry(event: JournalEvent & { at: string }): TimelineEntry {
  const words = eventWords(event);
  const cost = costOf(event);
  return {
    at: oneLine(event.at, 40),
    kind: cost !== null && words.kind === 'other' ? 'cost' : words.kind,
    title: oneLine(words.title),
    text: words.text === null ? null : manyLines(words.text, 2_000),
    facts: factsOf(event, words),
    session: typeof event['session_id'] === 'string' ? oneLine(event['session_id'], 60) : null,
    restored: event.event === 'restored' ? restoredFacts(event) : null,
    cost,
  };
}

const NEVER_SHOWN = new Set([
  'at',
  'event',
  'session_id',
  'by',
  'phase',
  'characters',
  'sections',
  'loaded',
]);

/** The fields that the words do not mention already. An event of a kind that is not known here is shown by all of them. */
function factsOf(event: JournalEvent, { mentioned }: EventWords): Fact[] {
  return Object.entries(event)
    .filter(
      ([key, value]) =>
        !NEVER_SHOWN.has(key) && !mentioned.includes(key) && value !== null && value !== '',
    )
    .slice(0, MAX_FACTS)
    .map(([key, value]) => ({
      name: oneLine(key.replaceAll('_', ' '), 60),
      value: valueText(value, 500),
    }));
}

function costOf(event: JournalEvent): number | null {
  const cost = event['cost_usd'] ?? event['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

function restoredFacts(event: JournalEvent): RestoredFacts {
  const { given, characters } = event;
  return {
    given: typeof given === 'string' ? oneLine(given, 40) : '',
    characters: typeof characters === 'number' ? characters : null,
    sections: recordedSections(event),
  };
}

/** The journal only records how sessions end. */
function sessionEntries({ sessions }: RunState): TimelineEntry[] {
  return (sessions?.session_history ?? []).map((record) => ({
    at: oneLine(record.started_at, 40),
    kind: 'session',
    title: `A session${onMachine(record.environment?.hostname)} began to work on it`,
    text: null,
    facts: [],
    session: oneLine(record.session_id, 60),
    restored: null,
    cost: null,
  }));
}

function onMachine(hostname: string | undefined): string {
  return hostname === undefined || hostname === '' ? '' : ` on ${oneLine(hostname, 80)}`;
}
