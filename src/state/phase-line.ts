import { PICTURE, pattern } from '../text/markdown/scan.ts';
import { phraseMark, saysNotDone } from './marks.ts';
import { splitMark } from './split-mark.ts';
import type { Mark } from './words/vocabulary.ts';
import type { DeclaredPhase, PhaseStatus } from './types.ts';

/** The status that a word gives to a phase, for example in a state file written by hand. */
export const statusWord = (word: string): PhaseStatus | undefined =>
  STATUSES[phraseMark(word) ?? 'skipped'];

/** What a mark says about the current phase; a phase that is paused or skipped has no status of its own. */
export const STATUSES: Partial<Record<Mark, PhaseStatus>> = {
  done: 'completed',
  'under way': 'in_progress',
  blocked: 'blocked',
  open: 'not_started',
};

export interface PhaseLine {
  /** Undefined if the line is empty or a placeholder that nobody filled in. */
  phase: DeclaredPhase | undefined;
  mark: Mark | undefined;
}

/** Whether a line says anything about a phase. */
export function isPhaseLine(text: string): boolean {
  const line = text.trim().slice(0, MAX_LINE).toLowerCase();
  return /^\d/.test(line) || (line !== '' && !PLACEHOLDER.test(line));
}

/** Reads `4/10 - SEO Generation (in progress)` and its other spellings. */
export function parsePhaseLine(text: string): PhaseLine {
  if (!isPhaseLine(text)) return { phase: undefined, mark: undefined };
  const line = text.trim().slice(0, MAX_LINE);
  const {
    rest,
    mark: aside,
    word,
  } = splitMark(line.replace(STATUS_FIRST, '$2 ($1)'));
  // The word for a skipped phase stays, because no status says it.
  const { numbers, name: words } = splitNumbers(
    aside === 'skipped' ? line : rest,
  );
  const inName = phraseMark(words.replace(/^phases /i, ''));
  // A phase that is not done may have been started.
  const mark = saysNotDone(word ?? words) ? undefined : (aside ?? inName);
  const name = inName === undefined || mark === 'skipped' ? words : '';
  const status = mark === 'skipped' ? 'not_started' : mark && STATUSES[mark];
  const phase: DeclaredPhase = {
    ...numbers,
    ...(name !== '' && { name }),
    ...(status && { status }),
    ...(numbers.total === undefined && line !== '' && { line }),
  };
  return { phase: Object.keys(phase).length > 0 ? phase : undefined, mark };
}

const MAX_LINE = 1_000;
/** `3/5 - In progress: Test`. */
const STATUS_FIRST = /(?<=\d\s?[-–—]\s?)(in progress|wip): (.+)$/i;

/** What people write where there is no workflow. */
const NOTHING_WORDS = [
  'none',
  'n/a',
  'nil',
  'null',
  'tbd',
  '~',
  'idle',
  'nothing',
  'workflow[ _]name',
  'your[ _]workflow[ _]name',
  'no workflow',
  'no active workflow',
  'no current workflow',
  '[-–—.…?]{1,5}',
].join('|');
/** `None yet`. */
const FOR_NOW = [
  'yet',
  'active',
  'currently',
  'set',
  'right now',
  'at the moment',
  'in progress',
].join('|');
const QUOTES = String.raw`[\s*_"'\x60()]*`;
/** Nothing but a remark follows. */
const ITS_END = `(?=${QUOTES}(?:$|[(,.;:–—-]))`;
export const NOTHING = new RegExp(
  `^${QUOTES}(?:${NOTHING_WORDS})(?: (?:${FOR_NOW}))?${ITS_END}`,
);

/** `<name>`, `[name]`, `{{name}}`. */
const UNFILLED = [
  '<[^<>]{0,80}>',
  String.raw`\[[^\][]{0,80}\]`,
  String.raw`\$?\{{1,2}[^{}]{0,80}\}{1,2}`,
].join('|');
const EMPHASIS = String.raw`[\s*_\x60]{0,6}`;
/** `<n>/<total> - <name>`: a second placeholder behind the first one. */
const SECOND_UNFILLED = String.raw`(?: [-–—:(/]?.?(?:${UNFILLED})\)?)?`;
export const UNFILLED_ALONE = new RegExp(
  `^${EMPHASIS}(?:${UNFILLED})${SECOND_UNFILLED}${EMPHASIS}$`,
);

/** `<n>/<total>`, but not `[1/3] Build`. */
const UNFILLED_FIRST = String.raw`^(?:${UNFILLED})(?:\s*(?:$|\/|of\b|[-–—:]))(?<!^\[\d{1,4}\/\d{1,4}\].*)`;
/** `X/Y - Name`. */
const LETTERS_FOR_NUMBERS = String.raw`^[xn]\s?\/\s?[ymn]\b`;
/** `[current phase]`. */
const BRACKET_FIRST = String.raw`^\[\D[^\]]{0,40}\]`;
const PLACEHOLDER = new RegExp(
  [NOTHING.source, UNFILLED_FIRST, LETTERS_FOR_NUMBERS, BRACKET_FIRST].join(
    '|',
  ),
);

const PROGRESS =
  /^(?:phase\s+)?[[(]?(\d+)\s*(?:\/|\(?(?:out\s)?of\s)\s*(\d+)(?![\w/.]\w|\w|\+)[\])`]{0,2}/i;
const NUMBER_ALONE = /^(?:phase\s+)?(\d+)\s*(?=$|[-–—:.]\s|：(?!\d))/i;
/** Looks like progress, but not one that can be counted: `2a/3`, `2.5/4`, `1-2/5`, `-1/5`. */
const OTHER_NUMBERS = new RegExp(
  [
    // `2a/3`, `~2 of 5`, `1-2/5`; not the date `4/10/2025`.
    String.raw`^(?:phase\s+)?[[(]?[~#-]?\d[\w.,&+-]{0,12}\s*(?:\/(?!\d+\/)|(?:out\s)?of\s)\s*[~#]?-?\d\S*`,
    // `2.5 - Build`, `2b: Build`.
    String.raw`^(?:phase\s+)?\d+(?:\.\d+|[a-z](?![a-z]))+(?=\s*(?:$|[-–—:|]))`,
  ].join('|'),
  'i',
);
const LEADING_PICTURES = new RegExp(
  pattern`^(?:[\s\x60]|${PICTURE}){1,20}(?=(?:phase\s+)?[[(]?\d)`,
  'i',
);
const SEPARATOR = /^\s*[-–—:：|.,]?\s*/;

function splitNumbers(text: string): { numbers: DeclaredPhase; name: string } {
  const bare = text.replace(LEADING_PICTURES, '');
  const match = PROGRESS.exec(bare) ?? NUMBER_ALONE.exec(bare);
  const [whole = '', current = '', total] =
    match ?? OTHER_NUMBERS.exec(bare) ?? [];
  if (whole === '') return { numbers: {}, name: text };
  return {
    numbers: match ? sane(Number(current), total && Number(total)) : UNKNOWN,
    name: bare
      .slice(whole.length)
      .replace(SEPARATOR, '')
      .replace(/^\(([^()]*)\)$/, '$1'),
  };
}

const UNKNOWN: DeclaredPhase = { total_known: false };

/** Phases count from 1: `0/5` is given as it stands. */
function sane(current: number, total: number | '' | undefined): DeclaredPhase {
  if (!Number.isSafeInteger(current) || current < 1) return UNKNOWN;
  if (total === undefined || total === '') return { current };
  return Number.isSafeInteger(total) && current <= total
    ? { current, total }
    : UNKNOWN;
}
