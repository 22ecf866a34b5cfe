import { isObject } from './json.ts';

// How full the context is: in percent of what it may hold before the client compacts it by itself, and which of the
// thresholds in the settings that has passed.

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

/** What is kept of the fill of a session between two calls. */
export interface RecordedFill {
  /** The fill that the session is still to be told; undefined once it was. */
  percent?: number | undefined;
  /** The thresholds that are not told again. */
  passed: readonly number[];
}

/** Undefined for what is no such record. */
export function recordedFillFrom(value: unknown): RecordedFill | undefined {
  if (!isObject(value) || !Array.isArray(value['passed'])) return undefined;
  const passed = value['passed'].filter(
    (threshold) => typeof threshold === 'number',
  );
  const { percent } = value;
  return { passed, percent: typeof percent === 'number' ? percent : undefined };
}
