import { isObject, parseJsonObject, type JsonObject } from '../text/json.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { NextAction, StopReason } from '../templates/next.ts';

/** What the module reads of `holdfast status --look --json`. */
export type Report = NonNullable<ReturnType<typeof parseReport>>;

const WAITS: Record<StopReason, string> = {
  done: 'finished',
  approval: 'waits for your approval: type /holdfast:approve, or /holdfast:reject <feedback>',
  tasks: 'waits for its tasks',
  blocked: 'blocked',
  failed: 'failed',
  limit: 'the limit of retries or pivots is reached',
  paused: 'paused',
  waiting: 'waits for you',
};

/** Null if there is no run, or if the text is not what this version of the module understands. */
export function parseReport(text: string) {
  const { run, position, summary, record, warn_at, ...parts } = parseJsonObject(text);
  const next = nextActionIn(object(parts['next']));
  if (!isObject(run) || next === null) return null;
  const step = object(parts['step']);
  const holder = object(run['sessions'])['current_session_id'];
  const { current, total, name } = object(run['phase']);
  const phase = `phase ${String(current)}/${String(total)} ${String(name)}`;
  return {
    holder: typeof holder === 'string' ? holder : null,
    runId: line(run['run_id'], 200),
    /** How often its state was written. */
    revision: Number(run['revision'] ?? 0),
    workflow: line(run['workflow'], 40),
    /** The phase, or the step of the template. */
    place: line(object(step['progress'])['text'] ?? phase, 60),
    step: line(step['step'], 60),
    next,
    /** Null for a run that this session does not continue by itself. */
    position: typeof position === 'string' ? position : null,
    /** What the summariser is told before a compaction. */
    summary: typeof summary === 'string' ? summary : '',
    /** Whether the model is asked before a compaction what is not recorded yet. */
    asksModel: record === 'on',
    /** The percentages of the automatic-compaction threshold at which to warn. */
    warnAt: Array.isArray(warn_at) ? warn_at.filter((item) => typeof item === 'number') : [],
  };
}

function nextActionIn({ perform, prompt, stop }: JsonObject): NextAction | null {
  if (perform !== 'none' && perform !== 'compact' && perform !== 'clear') return null;
  if (prompt !== null && typeof prompt !== 'string') return null;
  return stop === null || isStop(stop) ? { perform, prompt, stop } : null;
}

function isStop(value: unknown): value is StopReason {
  return typeof value === 'string' && Object.hasOwn(WAITS, value);
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Names come from repositories, and the line is drawn on the user's terminal. */
function line(value: unknown, limit: number): string {
  return typeof value === 'string' ? truncate(sanitizeLine(value), limit) : '';
}

export function stoppedText(stop: StopReason, { workflow, place }: Report): string {
  return `${workflow} stops at ${place}: ${WAITS[stop]}.`;
}
