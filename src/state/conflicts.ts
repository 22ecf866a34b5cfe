import { isObject, sameJson } from '../text/json.ts';
import { truncate } from '../text/sanitize.ts';
import type { JournalEvent } from './types.ts';
import { phaseLabel } from './phases.ts';
import { readState } from './read-state.ts';
import type { FieldConflict, RunState } from './types.ts';

const MAX_VALUE = 80;

/** Both values of a field that was changed on two machines, as texts that tell them apart. */
export function conflictValues(
  { field, kept, other }: { field: unknown; kept: unknown; other: unknown },
  max: number = MAX_VALUE,
): { kept: string; other: string } {
  const words = [phaseWords(field, kept), phaseWords(field, other)];
  const hasWords = !words.includes(null) && words[0] !== words[1];
  const text = (value: unknown, at: number): string =>
    truncate((hasWords ? words[at] : JSON.stringify(value)) ?? 'nothing', max);
  return { kept: text(kept, 0), other: text(other, 1) };
}

function phaseWords(field: unknown, value: unknown): string | null {
  const phase = field === 'position' && isObject(value) ? value['phase'] : null;
  if (!isObject(phase)) return null;
  const reading = readState({ workflow: 'x', phase }, { workflow: 'x', createdAt: () => '' });
  if ('defect' in reading) return null;
  const { status } = reading.state.phase;
  return `phase ${phaseLabel(reading.state.phase)} (${status.replaceAll('_', ' ')})`;
}

/**
 * The conflicts that still say something about the run. One about where the run stood is settled once the run was
 * reopened later and is not where the conflict had left it.
 */
export function openConflicts(
  state: RunState,
  journal: readonly (JournalEvent & { at: string })[],
): FieldConflict[] {
  const reopened = journal.findLast(({ event }) => event === 'reopened')?.at ?? '';
  return (state.conflicts ?? []).filter((conflict) => {
    const current = progressValue(state, conflict);
    if (current === undefined || sameJson(current, conflict.kept)) return true;
    const decided = journal.findLast(
      ({ event, field, kept }) =>
        event === 'conflict' && field === conflict.field && sameJson(kept, conflict.kept),
    );
    return decided === undefined || decided.at >= reopened;
  });
}

/** What the run has now in a field about its progress; undefined for any other field. */
function progressValue(state: RunState, { field, kept }: FieldConflict): unknown {
  const { status = 'in_progress', status_reason: reason } = state;
  if (field === 'status') return status;
  if (field === 'status_reason') return reason ?? null;
  if (field !== 'position' || !isObject(kept)) return undefined;
  return Object.fromEntries(Object.keys(kept).map((key) => [key, state[key]]));
}
