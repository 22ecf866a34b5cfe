import { isObject } from './json.ts';

// How full the context is, in percent of what it may hold before the client compacts it by itself.

/** The client compacts by itself when fewer tokens than this are left. */
const RESERVED_TOKENS = 33_000;

/** Percent of the automatic-compaction threshold; null for a window that is too small to have one. */
export function fillPercent(tokens: number, window: number): number | null {
  const threshold = window - RESERVED_TOKENS;
  return threshold > 0 ? Math.round((100 * tokens) / threshold) : null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The window that counts for automatic compaction: the user may have the client compact before the model's is full. */
export function compactionWindow(
  window: number,
  environment: Environment,
): number {
  const chosen = Number(environment['CLAUDE_CODE_AUTO_COMPACT_WINDOW'] ?? '');
  return chosen > 0 ? Math.min(window, chosen) : window;
}

/** Those of the thresholds, in percent, that a fill has reached. */
export function passedThresholds(
  percent: number,
  thresholds: readonly number[],
): number[] {
  return thresholds.filter((threshold) => percent >= threshold);
}

/**
 * The fill that the client tells the status line, in percent; null if it is not known: at the start and after `/clear` the
 * usage is null, after a compaction it is 0 until the next reply.
 */
export function fillOfContextWindow(
  contextWindow: unknown,
  environment: Environment,
): number | null {
  if (!isObject(contextWindow)) return null;
  const { current_usage: usage, context_window_size: size } = contextWindow;
  if (!isObject(usage) || typeof size !== 'number') return null;
  let tokens = 0;
  for (const key of INPUT_TOKENS) {
    const count = usage[key];
    if (typeof count === 'number') tokens += count;
  }
  if (tokens <= 0) return null;
  return fillPercent(tokens, compactionWindow(size, environment));
}

/** Together they are what the model was given at the last call. */
const INPUT_TOKENS = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
];
