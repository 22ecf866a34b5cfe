/** The client compacts by itself when fewer tokens than this are left. */
const RESERVED_TOKENS = 33_000;

/** Percent of the automatic-compaction threshold; null for a window that is too small to have one. */
export function fillPercent(tokens: number, window: number): number | null {
  const threshold = window - RESERVED_TOKENS;
  return threshold > 0 ? Math.round((100 * tokens) / threshold) : null;
}
