import { fillPercent as percentOfThreshold } from '../text/context-fill.ts';
import type { ContextFill } from './host.ts';

/** Percent of the automatic-compaction threshold; null before the first response, and for a window without one. */
export function fillPercent({ tokens, window }: ContextFill): number | null {
  return tokens === undefined ? null : percentOfThreshold(tokens, window);
}

/** The thresholds that have been reported, and whether the fill has just passed another one. */
export function passThresholds(
  percent: number,
  thresholds: readonly number[],
  reported: readonly number[],
): { reported: number[]; isNew: boolean } {
  // A fill below a threshold means that the context was compacted or cleared since.
  const passed = thresholds.filter((threshold) => percent >= threshold);
  return { reported: passed, isNew: passed.some((threshold) => !reported.includes(threshold)) };
}
