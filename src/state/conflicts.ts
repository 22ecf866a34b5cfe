import { isObject } from '../text/json.ts';
import { quoted } from '../text/sanitize.ts';
import { phaseWords } from './phases.ts';
import { readPhase } from './read-state.ts';

const MAX_VALUE = 80;

/** Both values of a field that was changed on two machines, as texts that tell them apart. */
export function conflictValues(
  { field, kept, other }: { field: unknown; kept: unknown; other: unknown },
  max: number = MAX_VALUE,
): { kept: string; other: string } {
  const words = [positionWords(field, kept), positionWords(field, other)];
  const hasWords = !words.includes(null) && words[0] !== words[1];
  const text = (value: unknown, at: number): string =>
    (hasWords ? words[at] : valueText(value, max)) ?? 'nothing';
  return { kept: text(kept, 0), other: text(other, 1) };
}

/** A value of a file within a sentence. */
function valueText(value: unknown, max: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : quoted(typeof value === 'string' ? value : JSON.stringify(value), max);
}

function positionWords(field: unknown, value: unknown): string | null {
  const stored = field === 'position' && isObject(value) ? value['phase'] : null;
  const phase = isObject(stored) ? readPhase(stored) : null;
  return phase && `phase ${phaseWords(phase)} (${phase.status.replaceAll('_', ' ')})`;
}
