import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { NextAction, StopReason } from '../templates/next.ts';

/** What the module reads of `holdfast status --look --json`. */
export interface Report {
  /** The session that the run belongs to. */
  holder: string | null;
  workflow: string;
  /** The phase, or the step of the template. */
  place: string;
  step: string;
  next: NextAction;
  /** Null for a run that this session does not continue by itself. */
  position: string | null;
  /** The percentages of the automatic-compaction threshold at which to warn. */
  warnAt: number[];
}

/** Null if there is no run, or if the text is not what this version of the module understands. */
export function parseReport(text: string): Report | null {
  const report = parseObject(text);
  const run = objectIn(report, 'run');
  const next = nextActionIn(objectIn(report, 'next'));
  if (run === null || next === null) return null;
  const step = objectIn(report, 'step');
  const holder = objectIn(run, 'sessions')?.['current_session_id'];
  return {
    holder: typeof holder === 'string' ? holder : null,
    workflow: line(run['workflow'], 40),
    place: line(objectIn(step, 'progress')?.['text'] ?? phaseText(objectIn(run, 'phase')), 60),
    step: line(step?.['step'], 60),
    next,
    position: typeof report?.['position'] === 'string' ? report['position'] : null,
    warnAt: numbersIn(report?.['warn_at']),
  };
}

const STOPS: readonly string[] = [
  'done',
  'approval',
  'tasks',
  'blocked',
  'failed',
  'limit',
  'paused',
  'waiting',
] satisfies StopReason[];

function isStop(value: unknown): value is StopReason {
  return typeof value === 'string' && STOPS.includes(value);
}

function nextActionIn(next: Fields | null): NextAction | null {
  if (next === null) return null;
  const { perform, prompt, stop } = next;
  if (perform !== 'none' && perform !== 'compact' && perform !== 'clear') return null;
  if (prompt !== null && typeof prompt !== 'string') return null;
  if (stop !== null && !isStop(stop)) return null;
  return { perform, prompt, stop };
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    // Another version of holdfast, or a program that is not holdfast: nothing can be concluded from it.
    return null;
  }
}

function objectIn(fields: Fields | null, key: string): Fields | null {
  const value = fields?.[key];
  return isFields(value) ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'number') : [];
}

function phaseText(phase: Fields | null): string {
  if (phase === null) return '';
  return `phase ${String(phase['current'])}/${String(phase['total'])} ${String(phase['name'])}`;
}

/** Names come from repositories, and the line is drawn on the user's terminal. */
function line(value: unknown, limit: number): string {
  return typeof value === 'string' ? truncate(sanitizeLine(value), limit) : '';
}
