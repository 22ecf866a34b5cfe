import { MAX_JOURNAL_BYTES, readJournal } from '../state/journal.ts';
import type { JournalEvent } from '../state/types.ts';
import { canonicalJson } from '../text/json.ts';

export type Journals = Readonly<Record<string, readonly string[]>>;
export type TimedEvent = JournalEvent & { at: string };

/** The journal of what merges decided; no machine has this name. */
export const MERGES = 'merge';

/** The events of both, each once, the oldest first. A long journal loses its older part, the same on every machine. */
export function uniteLines(
  a: readonly string[],
  b: readonly string[],
): string[] {
  const lines = [...new Set([...a, ...b])]
    .map((line) => ({ line, at: readJournal(line)[0]?.at ?? '' }))
    .toSorted(
      (one, two) => compare(one.at, two.at) || compare(one.line, two.line),
    )
    .map(({ line }) => line);
  return withinLimit(lines, (line) => line);
}

export function uniteJournals(
  a: Journals,
  b: Journals,
): Record<string, string[]> {
  const machines = [
    ...new Set([...Object.keys(a), ...Object.keys(b)]),
  ].toSorted();
  return Object.fromEntries(
    machines.map((machine) => {
      const unite = machine === MERGES ? uniteMerges : uniteLines;
      return [machine, unite(a[machine] ?? [], b[machine] ?? [])];
    }),
  );
}

/** The same for what merges decided. Merges that cross decide the same twice; the earlier one counts. */
function uniteMerges(a: readonly string[], b: readonly string[]): string[] {
  const keys = new Set<string>();
  return uniteLines(a, b).filter((line) => {
    const key = readJournal(line).map(conflictKey)[0] ?? line;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

/** Two decisions with the same key are one: the same values of the same field, changed since the same commit. */
export function conflictKey({
  event,
  field,
  kept,
  other,
  since,
}: JournalEvent): string | null {
  if (event !== 'conflict') return null;
  return canonicalJson([field, kept, other, since ?? null], 0);
}

/** The time of the last event of this name in any journal; empty if there was none. */
export function lastEvent(journals: Journals, name: string): string {
  const events = Object.values(journals)
    .flat()
    .flatMap((line) => readJournal(line));
  let latest = '';
  for (const { event, at } of events)
    if (event === name && at > latest) latest = at;
  return latest;
}

/** As this machine keeps it: its own events as they are, those of other machines with the name of the machine. */
export function localJournal(
  own: readonly TimedEvent[],
  journals: Journals,
  machine: string,
): TimedEvent[] {
  const events = own.filter((event) => !isFromElsewhere(event));
  for (const [name, lines] of Object.entries(journals)) {
    if (name === machine) continue;
    for (const event of lines.flatMap((line) => readJournal(line)))
      events.push({ ...event, machine: name });
  }
  const inTime = events.toSorted((a, b) => compare(a.at, b.at));
  return withinLimit(inTime, (event) => JSON.stringify(event));
}

/** Events of other machines carry the machine's name. */
export function isFromElsewhere(event: JournalEvent): boolean {
  return typeof event['machine'] === 'string';
}

/** The last entries that fit into a journal. */
function withinLimit<T>(entries: T[], text: (entry: T) => string): T[] {
  let bytes = 0;
  const from = entries.findLastIndex((entry) => {
    bytes += text(entry).length + 1;
    return bytes > MAX_JOURNAL_BYTES;
  });
  return entries.slice(from + 1);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
