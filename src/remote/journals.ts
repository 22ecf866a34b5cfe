import { canonicalJson } from './canonical-json.ts';
import { MAX_JOURNAL_BYTES, readJournal, type JournalEvent } from '../state/journal.ts';

export type JournalLines = readonly string[];
export type Journals = Readonly<Record<string, JournalLines>>;
export type TimedEvent = JournalEvent & { at: string };

/** The journal of what merges decided; no machine has this name. */
export const MERGES = 'merge';

/** The events of both, each once, the oldest first. A long journal loses its older part, the same on every machine. */
export function uniteLines(a: JournalLines, b: JournalLines): string[] {
  return withinLimit(inOrder(new Set([...a, ...b])));
}

export function uniteJournals(a: Journals, b: Journals): Record<string, string[]> {
  const machines = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(
    machines.map((machine) => {
      const unite = machine === MERGES ? uniteMerges : uniteLines;
      return [machine, unite(a[machine] ?? [], b[machine] ?? [])];
    }),
  );
}

/** The same for what merges decided. Merges that cross decide the same twice; the earlier one counts. */
export function uniteMerges(a: JournalLines, b: JournalLines): string[] {
  const known = new Set<string>();
  return uniteLines(a, b).filter((line) => {
    const key = readJournal(line).map(conflictKey)[0] ?? line;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

/** Two decisions with the same key are one: the same values of the same field, changed since the same commit. */
export function conflictKey({ event, field, kept, other, since }: JournalEvent): string | null {
  if (event !== 'conflict') return null;
  return canonicalJson([field, kept, other, since ?? null], 0);
}

function inOrder(lines: ReadonlySet<string>): string[] {
  return [...lines]
    .map((line) => ({ line, at: timeOf(line) }))
    .toSorted((a, b) => compare(a.at, b.at) || compare(a.line, b.line))
    .map(({ line }) => line);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function timeOf(line: string): string {
  return readJournal(line)[0]?.at ?? '';
}

function withinLimit(lines: string[]): string[] {
  let bytes = 0;
  const from = lines.findLastIndex((line) => {
    bytes += line.length + 1;
    return bytes > MAX_JOURNAL_BYTES;
  });
  return lines.slice(from + 1);
}

/** The time of the last event that a machine has told; empty if there was none. */
export function lastTime({ [MERGES]: _merges, ...journals }: Journals): string {
  const times = Object.values(journals).map((lines) => timeOf(lines.at(-1) ?? ''));
  return times.toSorted(compare).at(-1) ?? '';
}

/** The time of the last event of this name in any journal; empty if there was none. */
export function lastEvent(journals: Journals, name: string): string {
  return Object.values(journals)
    .flat()
    .flatMap((line) => readJournal(line))
    .filter(({ event }) => event === name)
    .reduce((latest, { at }) => (at > latest ? at : latest), '');
}

/**
 * The journal as this machine keeps it: its own events as they are, those of other machines with the machine's name.
 */
export function localJournal(
  own: readonly TimedEvent[],
  journals: Journals,
  machine: string,
): TimedEvent[] {
  const here = own.filter((event) => !isFromElsewhere(event));
  const elsewhere = Object.entries(journals)
    .filter(([name]) => name !== machine)
    .flatMap(([name, lines]) =>
      lines.flatMap((line) => readJournal(line)).map((event) => ({ ...event, machine: name })),
    );
  const events = [...here, ...elsewhere].toSorted((a, b) => compare(a.at, b.at));
  let bytes = 0;
  const from = events.findLastIndex((event) => {
    bytes += JSON.stringify(event).length + 1;
    return bytes > MAX_JOURNAL_BYTES;
  });
  return events.slice(from + 1);
}

/** Events of other machines carry the machine's name. */
export function isFromElsewhere(event: JournalEvent): boolean {
  return typeof event['machine'] === 'string';
}
