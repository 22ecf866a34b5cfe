import { isObject, parseJsonObject, type JsonObject } from '../text/json.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { NextAction, StopReason } from '../templates/next.ts';

/** What the module reads of `holdfast status --look --json`. */
export interface Report {
  /** The session that the run belongs to. */
  holder: string | null;
  runId: string;
  /** How often its state was written. */
  revision: number;
  workflow: string;
  /** The phase, or the step of the template. */
  place: string;
  step: string;
  next: NextAction;
  /** Null for a run that this session does not continue by itself. */
  position: string | null;
  /** What the summariser is told before a compaction. */
  summary: string;
  /** Whether the model is asked before a compaction what is not recorded yet. */
  asksModel: boolean;
  /** The percentages of the automatic-compaction threshold at which to warn. */
  warnAt: number[];
}

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
export function parseReport(text: string): Report | null {
  const {
    run,
    step: stepJson,
    next: nextJson,
    position,
    summary,
    record,
    warn_at,
  } = parseJsonObject(text);
  const next = nextActionIn(object(nextJson));
  if (!isObject(run) || next === null) return null;
  const step = object(stepJson);
  const holder = object(run['sessions'])['current_session_id'];
  const { current, total, name } = object(run['phase']);
  const phase = `phase ${String(current)}/${String(total)} ${String(name)}`;
  return {
    holder: typeof holder === 'string' ? holder : null,
    runId: line(run['run_id'], 200),
    revision: Number(run['revision'] ?? 0),
    workflow: line(run['workflow'], 40),
    place: line(object(step['progress'])['text'] ?? phase, 60),
    step: line(step['step'], 60),
    next,
    position: typeof position === 'string' ? position : null,
    summary: typeof summary === 'string' ? summary : '',
    asksModel: record === 'on',
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
