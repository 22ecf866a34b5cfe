import { isObject, ownMember } from '../text/json.ts';
import type { JournalEvent, RunState } from './types.ts';

type TimedEvent = JournalEvent & { at: string };

/** When the run entered its current phase, as far as its journal tells; null for a run written by hand. */
export function phaseSince(
  { phase }: Pick<RunState, 'phase'>,
  events: readonly TimedEvent[],
): string | null {
  let current: number | null = null;
  let since: string | null = null;
  for (const event of events) {
    const entered = phaseAfter(event);
    if (entered === null || entered === current) continue;
    current = entered;
    since = event.at;
  }
  if (current === phase.current) return since;
  // A step that failed and was skipped is recorded with the phase it left.
  return events.findLast(({ event }) => MOVES.has(event))?.at ?? null;
}

const MOVES: ReadonlySet<string> = new Set(['failed', 'tasks', 'updated', 'merged']);

function phaseAfter({ phase, changes }: JournalEvent): number | null {
  const given = isObject(phase) ? phase['current'] : ownMember(changes, 'phase');
  const n = typeof given === 'string' ? Number.parseInt(given, 10) : given;
  return typeof n === 'number' && Number.isSafeInteger(n) ? n : null;
}

/** How long the run was in each phase, in milliseconds, by the number of the phase; the last one lasts until `end`. */
export function phaseDurations(events: readonly TimedEvent[], end: number): Map<number, number> {
  const spent = new Map<number, number>();
  let current: number | null = null;
  let since = 0;
  const leave = (at: number): void => {
    if (current !== null) spent.set(current, (spent.get(current) ?? 0) + Math.max(0, at - since));
  };
  for (const event of events) {
    const entered = phaseAfter(event);
    const at = Date.parse(event.at);
    if (entered === null || entered === current || Number.isNaN(at)) continue;
    leave(at);
    current = entered;
    since = at;
  }
  leave(end);
  return spent;
}
