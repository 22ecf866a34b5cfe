import type { Feedback } from '../templates/machine/feedback.ts';
import { excerpt, shrinkToFit, quoted } from '../text/excerpt.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';

const MAX_STEP = 100;
const MAX_ALL = 3_000;

/** All open feedback in about `space` characters: each text is shortened rather than any left out. */
export function feedbackWithin(
  entries: readonly Feedback[],
  space: number,
  shownBy: string,
): string[] {
  const linesFor = (all: number): string[] =>
    entries.flatMap((entry) => feedbackLines(entry, Math.floor(all / entries.length), shownBy));
  return shrinkToFit(linesFor, MAX_ALL, space);
}

/** The feedback of a step that sent the work back, quoted so that it cannot pass for text of holdfast or for another tag. */
export function feedbackLines(entry: Feedback, max: number, shownBy: string): string[] {
  const { lines, mark } = excerpt(entry.text.trim(), max, shownBy);
  const [first = '', ...more] = lines;
  return [
    `**[${entry.tag}]:** ${first}`,
    ...more.map(quoted),
    ...(mark === null ? [] : [mark]),
    `From step "${truncate(sanitizeLine(entry.from), MAX_STEP)}"${when(entry.at)}, which sent the work back. Work done since then may have to be reverted.`,
  ];
}

function when(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return ` (${time.toISOString().slice(0, 16).replace('T', ' ')} UTC)`;
}
