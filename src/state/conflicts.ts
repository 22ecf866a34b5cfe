import { canonicalJson, isObject, sameJson } from '../text/json.ts';
import { escapeInvisible, truncate } from '../text/sanitize.ts';
import { phaseWords } from './phase-words.ts';
import { readPhase } from './read-state.ts';

const MAX_VALUE = 80;

/** Both values of a field that was changed on two machines, as texts that tell them apart. */
export function conflictValues(
  { field, kept, other }: { field: unknown; kept: unknown; other: unknown },
  max: number = MAX_VALUE,
): { kept: string; other: string } {
  const [keptPlace, otherPlace] = [
    positionWords(field, kept),
    positionWords(field, other),
  ];
  if (keptPlace !== null && otherPlace !== null && keptPlace !== otherPlace)
    return { kept: keptPlace, other: otherPlace };
  const [keptText = '', otherText = ''] = differingParts(kept, other).map(
    valueText,
  );
  const shown = excerpts(keptText, otherText, max - QUOTES.length);
  return {
    kept: marked(keptText, shown.kept),
    other: marked(otherText, shown.other),
  };
}

/** As JSON, whose strings are in quotation marks that they cannot close, and without backticks, in which commands stand. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  return escapeInvisible(canonicalJson(value, 0)).replaceAll(
    '`',
    String.raw`\u0060`,
  );
}

const QUOTES = '""';

/** A text that was cut may have lost its quotation marks; those inside must not pass for the end of the new ones. */
function marked(whole: string, shown: string): string {
  return shown === whole ? whole : `"${shown.replaceAll('"', "'")}"`;
}

function positionWords(field: unknown, value: unknown): string | null {
  const stored =
    field === 'position' && isObject(value) ? value['phase'] : null;
  const phase = isObject(stored) ? readPhase(stored) : null;
  return (
    phase && `phase ${phaseWords(phase)} (${phase.status.replaceAll('_', ' ')})`
  );
}

/** Two objects without the members that are the same in both; all else as it is. */
function differingParts(
  kept: unknown,
  other: unknown,
): [kept: unknown, other: unknown] {
  if (!isObject(kept) || !isObject(other)) return [kept, other];
  const keys = [...new Set([...Object.keys(kept), ...Object.keys(other)])];
  const parts = keys
    .filter((key) => !sameJson(kept[key], other[key]))
    .map((key) => ({ key, values: differingParts(kept[key], other[key]) }));
  const side = (at: 0 | 1): object =>
    Object.fromEntries(parts.map(({ key, values }) => [key, values[at]]));
  return [side(0), side(1)];
}

/** How much of what both texts have in common is shown before the place where they part. */
const LEAD = 20;

/** Two texts of at most `max` characters, in which the first difference can be seen. */
export function excerpts(
  kept: string,
  other: string,
  max: number,
): { kept: string; other: string } {
  const parting = firstDifference(kept, other);
  const isShown = parting < max - LEAD;
  const from = isShown ? 0 : startOfCharacter(kept, parting - LEAD);
  const excerpt = (text: string): string =>
    truncate(from === 0 ? text : `…${text.slice(from)}`, max);
  return { kept: excerpt(kept), other: excerpt(other) };
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** Not between the halves of a surrogate pair. */
const startOfCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
