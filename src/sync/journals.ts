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
export const lastEvent = (journals: Journals, name: string): string =>
  Object.values(journals)
    .flat()
    .flatMap((line) => readJournal(line))
    .filter(({ event }) => event === name)
    .reduce((latest, { at }) => (at > latest ? at : latest), '');

/** As this machine keeps it: its own events as they are, those of other machines with the name of the machine. */
export function localJournal(
  own: readonly TimedEvent[],
  journals: Journals,
  machine: string,
) {
  const elsewhere = Object.entries(journals)
    .filter(([name]) => name !== machine)
    .flatMap(([name, lines]) =>
      lines
        .flatMap((line) => readJournal(line))
        .map((event) => ({ ...event, machine: name })),
    );
  const events = [
    ...own.filter((event) => !isFromElsewhere(event)),
    ...elsewhere,
  ];
  return withinLimit(
    events.toSorted((a, b) => compare(a.at, b.at)),
    (event) => JSON.stringify(event),
  );
}

export const isFromElsewhere = (event: JournalEvent): boolean =>
  typeof event['machine'] === 'string';

function withinLimit<T>(entries: T[], text: (entry: T) => string): T[] {
  let bytes = 0;
  const from = entries.findLastIndex((entry) => {
    bytes += text(entry).length + 1;
    return bytes > MAX_JOURNAL_BYTES;
  });
  return entries.slice(from + 1);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
