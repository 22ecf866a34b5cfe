import { isObject, ownMember } from '../text/json.ts';
import type { JournalEvent, RunState } from './types.ts';

type TimedEvent = JournalEvent & { at: string };

/** When the run entered its current phase, as far as its journal tells; null for a run written by hand. */
export function phaseSince(
  { phase }: Pick<RunState, 'phase'>,
  events: readonly TimedEvent[],
): string | null {
  const last = enteredPhases(events).at(-1);
  if (last?.n === phase.current) return last.at;
  // A step that failed and was skipped is recorded with the phase it left.
  return events.findLast(({ event }) => MOVES.has(event))?.at ?? null;
}

const MOVES: ReadonlySet<string> = new Set([
  'failed',
  'tasks',
  'updated',
  'merged',
]);

function phaseAfter({ phase, changes }: JournalEvent): number | null {
  const current = isObject(phase)
    ? phase['current']
    : ownMember(changes, 'phase');
  const n =
    typeof current === 'string' ? Number.parseInt(current, 10) : current;
  return typeof n === 'number' && Number.isSafeInteger(n) ? n : null;
}

/** The phases in the order in which the run entered them, without those that it stayed in. */
const enteredPhases = (
  events: readonly TimedEvent[],
): { n: number; at: string }[] =>
  events
    .flatMap((event) => ({ n: phaseAfter(event), at: event.at }))
    .filter((entry): entry is { n: number; at: string } => entry.n !== null)
    .filter(({ n }, index, all) => n !== all[index - 1]?.n);

/** How long the run was in each phase, in milliseconds, by the number of the phase; the last one lasts until `end`. */
export function phaseDurations(
  events: readonly TimedEvent[],
  end: number,
): Map<number, number> {
  const spent = new Map<number, number>();
  enteredPhases(events).forEach(({ n, at }, index, all) => {
    const next = all[index + 1];
    const time =
      (next === undefined ? end : Date.parse(next.at)) - Date.parse(at);
    spent.set(n, (spent.get(n) ?? 0) + Math.max(0, time || 0));
  });
  return spent;
}
