import type { DeclaredPhase, PhaseStatus } from './types.ts';
import { PICTURE } from '../markdown/characters.ts';

/** Reads `4/10 - SEO Generation (in progress)` and its other spellings. */
export function parsePhase(text: string): DeclaredPhase | undefined {
  const { status, rest } = splitStatus(text);
  const { numbers, name } = splitNumbers(rest);
  const phase: DeclaredPhase = {
    ...numbers,
    ...(name !== '' && { name }),
    ...(status && { status }),
  };
  return Object.keys(phase).length > 0 ? phase : undefined;
}

/** Takes a status in parentheses off the end; any other parenthesis belongs to the text. */
export function splitStatus(text: string): { status?: PhaseStatus; rest: string } {
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf('(');
  if (open < 0 || !trimmed.endsWith(')')) return { rest: trimmed };
  const word = trimmed.slice(open + 1, -1).replace(/^[^a-z]{0,9}/i, '');
  const status = statusWord(word);
  return status ? { status, rest: trimmed.slice(0, open).trim() } : { rest: trimmed };
}

export function statusWord(word: string): PhaseStatus | undefined {
  return STATUS_WORDS.get(
    word
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]/g, ' '),
  );
}

const STATUS_WORDS = new Map<string, PhaseStatus>([
  ['in progress', 'in_progress'],
  ['ongoing', 'in_progress'],
  ['started', 'in_progress'],
  ['completed', 'completed'],
  ['complete', 'completed'],
  ['done', 'completed'],
  ['finished', 'completed'],
  ['blocked', 'blocked'],
  ['not started', 'not_started'],
  ['pending', 'not_started'],
  ['todo', 'not_started'],
]);

const PROGRESS =
  /^(?:phase\s+)?[[(]?(-?\d+)\s*(?:\/|(?:out\s)?of\s)\s*(-?\d+)(?!\d|[/.]\d)[\])`]?/i;
const NUMBER_ALONE = /^(?:phase\s+)?(\d+)\s*(?=$|[-–—:]\s)/i;
const LEADING_PICTURES = new RegExp(
  String.raw`^(?:[\s\x60]|${PICTURE}){1,20}(?=(?:phase\s+)?[[(]?\d)`,
  'i',
);
const SEPARATOR = /^\s*[-–—:|.,]?\s*/;

function splitNumbers(text: string): { numbers: DeclaredPhase; name: string } {
  const bare = text.replace(LEADING_PICTURES, '');
  const match = PROGRESS.exec(bare) ?? NUMBER_ALONE.exec(bare);
  if (!match) return { numbers: {}, name: text };
  const [whole, current = '', total] = match;
  return {
    numbers: saneNumbers(Number(current), total === undefined ? undefined : Number(total)),
    name: bare.slice(whole.length).replace(SEPARATOR, ''),
  };
}

/** Phases count from 1: a phase 0, before the work has begun, is the first one. */
function saneNumbers(number: number, total: number | undefined): DeclaredPhase {
  if (!Number.isSafeInteger(number) || number < 0) return {};
  const current = Math.max(number, 1);
  if (total === undefined) return { current };
  const isSane = Number.isSafeInteger(total) && current <= total;
  return isSane ? { current, total } : {};
}
