import { isCounted, uncountedText } from '../../state/phases.ts';
import type { Phase } from '../../state/types.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Colors } from '../../text/colors.ts';
import { cut, widthOf } from '../../text/terminal-width.ts';

/** What the status line shows of a run. */
export interface LineContent {
  workflow: string;
  phase: Phase;
  /** Required files that are not in the context as they are now. */
  unread: number;
  /** Percent of the automatic-compaction threshold; null if it is unknown. */
  fill: number | null;
  /** The thresholds of `context.warn`. */
  warn: readonly number[];
}

interface Segment {
  text: string;
  paint: (text: string) => string;
}

const MAX_NAME = 60;
const SEPARATOR = ' · ';

/** `▸ User Auth · Build 2/3 · 1 unread · ctx 71 %`, shortened from the right to this many columns. */
export function renderLine(content: LineContent, colors: Colors, columns: number): string {
  let left = columns;
  const shown: string[] = [];
  for (const [index, { text, paint }] of segmentsOf(content, colors).entries()) {
    const lead = index === 0 ? '' : SEPARATOR;
    // A segment of which nothing but the ellipsis would be left tells nothing.
    if (left < widthOf(lead) + 2) break;
    const kept = cut(text, left - widthOf(lead));
    shown.push(`${lead === '' ? '' : colors.dim(lead)}${paint(kept)}`);
    left -= widthOf(lead) + widthOf(kept);
    if (kept !== text) break;
  }
  return shown.join('');
}

function segmentsOf(
  { workflow, phase, unread, fill, warn }: LineContent,
  colors: Colors,
): Segment[] {
  const name = phase.name === '' ? 'Phase' : cut(sanitizeLine(phase.name), MAX_NAME);
  const uncounted = cut(sanitizeLine(uncountedText(phase)), MAX_NAME) || 'in progress';
  const isBlocked = phase.status === 'blocked';
  const state = isBlocked ? colors.red : unread > 0 ? colors.yellow : colors.green;
  const blocked = isBlocked ? ' blocked' : '';
  return [
    { text: `▸ ${cut(sanitizeLine(workflow), MAX_NAME)}`, paint: state },
    {
      text: `${isCounted(phase) ? `${name} ${phase.current}/${phase.total}` : uncounted}${blocked}`,
      paint: isBlocked ? colors.red : plain,
    },
    ...(unread > 0 ? [{ text: `${unread} unread`, paint: colors.yellow }] : []),
    ...(fill === null ? [] : [{ text: `ctx ${fill} %`, paint: fillColor(fill, warn, colors) }]),
  ];
}

/** Yellow above the first threshold, red above the last one. */
function fillColor(
  fill: number,
  warn: readonly number[],
  { dim, yellow, red }: Colors,
): Segment['paint'] {
  const passed = warn.filter((threshold) => fill >= threshold).length;
  if (passed === 0) return dim;
  return passed === warn.length ? red : yellow;
}

function plain(text: string): string {
  return text;
}
