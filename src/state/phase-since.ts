import { isObject, ownMember } from '../text/json.ts';
import type { JournalEvent } from './journal.ts';
import type { RunState } from './types.ts';

/** When the run entered its current phase, as far as its journal tells; null for a run written by hand. */
export function phaseSince(
  { phase }: Pick<RunState, 'phase'>,
  events: readonly (JournalEvent & { at: string })[],
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
