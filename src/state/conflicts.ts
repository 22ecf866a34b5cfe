import { isObject } from '../text/json.ts';
import { truncate } from '../text/sanitize.ts';
import { phaseLabel } from './phases.ts';
import { readPhase } from './read-state.ts';

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
  const stored = field === 'position' && isObject(value) ? value['phase'] : null;
  const phase = isObject(stored) ? readPhase(stored) : null;
  return phase && `phase ${phaseLabel(phase)} (${phase.status.replaceAll('_', ' ')})`;
}
