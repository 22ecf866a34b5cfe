/** The client compacts by itself when fewer tokens than this are left. */
const RESERVED_TOKENS = 33_000;

/** Percent of the automatic-compaction threshold; null for a window that is too small to have one. */
export function fillPercent(tokens: number, window: number): number | null {
  const threshold = window - RESERVED_TOKENS;
  return threshold > 0 ? Math.round((100 * tokens) / threshold) : null;
}

/** The window that counts for automatic compaction: the user may have the client compact before the model's is full. */
export function compactionWindow(
  window: number,
  environment: Readonly<Record<string, string | undefined>>,
): number {
  const chosen = Number(environment['CLAUDE_CODE_AUTO_COMPACT_WINDOW'] ?? '');
  return chosen > 0 ? Math.min(window, chosen) : window;
}
