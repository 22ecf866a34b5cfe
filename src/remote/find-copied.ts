import { MERGES } from './journals.ts';
import type { Side } from './merge.ts';

/**
 * The commit that a copy of a run continues, judged by the events that the copy knows: `lines` of its journal. Of several
 * that have the same of them the first counts, because a file can be edited without an event: what was edited later is then
 * a change of the other side, which the copy does not undo.
 */
export function findCopied(history: readonly Side[], lines: readonly string[]): string | undefined {
  const known = new Set(lines);
  const found = history
    .map((side) => ({ side, events: eventsOf(side) }))
    .filter(({ events }) => events.length > 0 && events.every((line) => known.has(line)));
  const most = Math.max(...found.map(({ events }) => events.length));
  return found.findLast(({ events }) => events.length === most)?.side.commit;
}

function eventsOf({ snapshot: { journals } }: Side): string[] {
  return Object.entries(journals).flatMap(([machine, lines]) => (machine === MERGES ? [] : lines));
}
