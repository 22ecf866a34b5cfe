import { isCounted, uncountedText } from '../../state/phases.ts';
import type { Phase } from '../../state/types.ts';
import type { Colors } from '../../text/colors.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
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

const MAX_NAME = 60;

/** `▸ User Auth · Build 2/3 · 1 unread · ctx 71 %`, shortened from the right to this many columns. */
export function renderLine(content: LineContent, colors: Colors, columns: number): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of segmentsOf(content, colors)) {
    const lead = line === '' ? '' : ' · ';
    // A segment of which nothing but the ellipsis would be left tells nothing.
    if (left < lead.length + 2) break;
    const kept = cut(text, left - lead.length);
    line += `${lead && colors.dim(lead)}${paint(kept)}`;
    left -= lead.length + widthOf(kept);
    if (kept !== text) break;
  }
  return line;
}

type Paint = (text: string) => string;

function segmentsOf(
  { workflow, phase, unread, fill, warn }: LineContent,
  { red, yellow, green, dim }: Colors,
): [text: string, paint: Paint][] {
  const short = (text: string): string => cut(sanitizeLine(text), MAX_NAME);
  const isBlocked = phase.status === 'blocked';
  const where = isCounted(phase)
    ? `${phase.name === '' ? 'Phase' : short(phase.name)} ${phase.current}/${phase.total}`
    : short(uncountedText(phase)) || 'in progress';
  // Yellow above the first threshold, red above the last one.
  const passed = warn.filter((threshold) => fill !== null && fill >= threshold).length;
  const warning = passed === 0 ? dim : passed === warn.length ? red : yellow;
  return [
    [`▸ ${short(workflow)}`, isBlocked ? red : unread > 0 ? yellow : green],
    isBlocked ? [`${where} blocked`, red] : [where, (text) => text],
    ...(unread > 0 ? [[`${unread} unread`, yellow] satisfies [string, Paint]] : []),
    ...(fill === null ? [] : [[`ctx ${fill} %`, warning] satisfies [string, Paint]]),
  ];
}
