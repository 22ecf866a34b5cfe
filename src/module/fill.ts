import type { ContextFill } from './host.ts';

/** The client compacts by itself when fewer tokens than this are left. */
const RESERVED_TOKENS = 33_000;

/** Percent of the automatic-compaction threshold; null before the first response, and for a window without one. */
export function fillPercent({ tokens, window }: ContextFill): number | null {
  const threshold = window - RESERVED_TOKENS;
  if (tokens === undefined || threshold <= 0) return null;
  return Math.round((100 * tokens) / threshold);
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
