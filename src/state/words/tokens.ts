import { LETTERS, PICTURE } from '../../text/markdown/scan.ts';
import { WORDS, type Meaning } from './vocabulary.ts';

/** A word or phrase, a number, or what stands between clauses. */
export interface Token {
  kind: 'word' | 'number' | 'percent' | 'part' | 'stop' | 'question' | 'sign';
  /** In lower case, with single spaces. */
  text: string;
  /** Where it begins and ends in the text. */
  start: number;
  end: number;
  meanings: ReadonlySet<Meaning>;
  /** `3/5` or `3 of 5`. */
  part?: { of: number; count: number };
}

/** Each with an example; the first that fits at a place counts. */
const LEXER: readonly [kind: Token['kind'], expression: string][] = [
  // ✅ or [x]
  ['sign', `(?:${PICTURE})+|\\[[ \\-~/xX✓✔]\\]|<-+|->`],
  // 2026-01-02, 1.2.3, 11/12/2025
  ['number', '#?v?\\d+(?:[./-]\\d+){2,}'],
  // 45 %
  ['percent', '\\d{1,4} ?%'],
  // 3/5, 3 of 5, 3 out of 5
  ['part', '\\d{1,4} ?(?:/|out of|of) ?\\d{1,4}(?![\\d./-])'],
  // 12, v1.2, #12, 2nd
  ['number', '[#~]?v?\\d+(?:[.,-]\\d+)*[a-z]{0,2}(?![a-z])'],
  // won't, n/a
  ['word', `n/a|[${LETTERS}]+(?:['’][${LETTERS}]+)*`],
  ['question', '[?？]'],
  ['stop', ' - |[,;.:()[\\]–—|/+&!，；。：（）【】、！]'],
];

/** A value is cut into tokens; what is none of them, such as quotes, is left out. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const lower = text.toLowerCase();
  const expression = lexer();
  expression.lastIndex = 0;
  let match = expression.exec(lower);
  while (match !== null) {
    tokens.push(tokenOf(match));
    match = expression.exec(lower);
  }
  return withPhrases(tokens, lower);
}

let compiled: RegExp | undefined;

/** Compiled at its first use: most hooks use none. */
function lexer(): RegExp {
  const groups = LEXER.map(([, expression]) => `(${expression})`);
  compiled ??= new RegExp(groups.join('|'), 'g');
  return compiled;
}

function tokenOf(match: RegExpExecArray): Token {
  const [found] = match;
  let rule = 0;
  while (rule < LEXER.length && match[rule + 1] === undefined) rule += 1;
  const [kind = 'stop'] = LEXER[rule] ?? [];
  const start = match.index;
  const end = start + found.length;
  const token: Token = { kind, text: found, start, end, meanings: NO_MEANING };
  if (kind === 'part') token.part = partIn(found);
  return token;
}

function partIn(text: string): { of: number; count: number } {
  const [count = 0, of = 0] = (text.match(/\d+/g) ?? []).map(Number);
  return { count, of };
}

const NO_MEANING: ReadonlySet<Meaning> = new Set();
const MAX_PHRASE_WORDS = 4;

/** Words that are a phrase together, such as `in progress`, become one token; the longest phrase counts. */
function withPhrases(tokens: readonly Token[], text: string): Token[] {
  const phrases: Token[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const phrase = phraseAt(tokens, index, text);
    phrases.push(phrase?.token ?? token);
    index += (phrase?.size ?? 1) - 1;
  }
  return phrases;
}

/** The longest phrase of the vocabulary that begins with a token; undefined if none does. */
function phraseAt(
  tokens: readonly Token[],
  index: number,
  text: string,
): { token: Token; size: number } | undefined {
  const first = tokens[index];
  if (first?.kind !== 'word') return undefined;
  let words = wordOf(first);
  if (!firstWords().has(words)) return undefined;

  let longest: { token: Token; size: number } | undefined;
  let last = first;
  for (let size = 1; size <= MAX_PHRASE_WORDS; size += 1) {
    const meanings = vocabulary().get(words);
    if (meanings !== undefined)
      longest = {
        token: { ...first, text: words, end: last.end, meanings },
        size,
      };
    const next = tokens[index + size];
    const isJoined =
      next?.kind === 'word' && JOINT.test(text.slice(last.end, next.start));
    if (next === undefined || !isJoined) break;
    words = `${words} ${wordOf(next)}`;
    last = next;
  }
  return longest;
}

/** What may stand between the words of a phrase: `in progress`, `IN-PROGRESS`, `in_progress`. */
const JOINT = /^(?:\s+|[-_]|[*`"]{1,3}\s*)$/;

function wordOf({ text }: Token): string {
  return text.replaceAll('’', "'");
}

/** Whether the first word of a text begins a phrase of the vocabulary; most texts do not, and need not be cut into tokens. */
export function mayBeginPhrase(text: string): boolean {
  const [first = ''] = FIRST_WORD.exec(text) ?? [];
  return /^\d/.test(first) || firstWords().has(first.toLowerCase());
}

const FIRST_WORD = new RegExp(
  `\\d|n/a|[${LETTERS}]+(?:['’][${LETTERS}]+)*`,
  'i',
);

let beginnings: Set<string> | undefined;

function firstWords(): ReadonlySet<string> {
  beginnings ??= new Set(
    [...vocabulary().keys()].map((phrase) => phrase.split(' ', 1)[0] ?? ''),
  );
  return beginnings;
}

let known: Map<string, Set<Meaning>> | undefined;

function vocabulary(): ReadonlyMap<string, ReadonlySet<Meaning>> {
  if (known !== undefined) return known;
  known = new Map();
  for (const [meaning, , words] of WORDS) {
    for (const word of words.split(', ')) {
      const meanings = known.get(word) ?? new Set();
      meanings.add(meaning);
      known.set(word, meanings);
    }
  }
  return known;
}

/** Whether a token has one of these meanings. */
export function means(
  token: Token | undefined,
  ...meanings: Meaning[]
): boolean {
  return (
    token !== undefined && meanings.some((each) => token.meanings.has(each))
  );
}
