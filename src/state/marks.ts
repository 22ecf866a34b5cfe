import { pictureMark } from './words/signs.ts';
import { mayBeginPhrase, means, tokenize, type Token } from './words/tokens.ts';
import type { Mark, Meaning } from './words/vocabulary.ts';

/** Longer texts are sentences. */
const MAX_MARK_CHARS = 200;
const MAX_STATUS_CHARS = 400;

/** The mark that a whole text gives, such as `In progress` or `✅ Done (2026-01-02)`. */
export function phraseMark(text: string): Mark | undefined {
  if (text.length > MAX_MARK_CHARS || !mayBeginPhrase(text)) return undefined;
  const tokens = withoutLead(tokenize(text));
  const phrase = markedPhrase(tokens, MARKS_OF_PHASES);
  if (phrase === undefined) return ratioMark(tokens);
  const { mark, rest } = phrase;
  return mark === 'done' && isTakenBack(rest) ? 'under way' : mark;
}

type MarkTable = readonly [Meaning, Mark][];

const MARKS_OF_PHASES: MarkTable = [
  ['cancelled', 'skipped'],
  ['skipped', 'skipped'],
  ['put off', 'skipped'],
  ['done', 'done'],
  ['under way', 'under way'],
  ['blocked', 'blocked'],
  ['paused', 'paused'],
  ['open', 'open'],
  ['not done', 'open'],
  ['open alone', 'open'],
];

/** A whole plan is skipped or open by other words than one of its phases. */
const MARKS_OF_PLANS: MarkTable = [
  ['cancelled', 'skipped'],
  ['plan cancelled', 'skipped'],
  ['open', 'open'],
  ['plan open', 'open'],
];

/** Without what says nothing at the start: pictures, brackets, `is now`. */
function withoutLead(tokens: readonly Token[]): readonly Token[] {
  const start = tokens.findIndex(
    (token) =>
      token.kind !== 'sign' && token.kind !== 'stop' && !isFiller(token),
  );
  return start < 0 ? [] : tokens.slice(start);
}

/** `still` alone says nothing; a word that is a mark, too, says that. */
function isFiller(token: Token): boolean {
  return means(token, 'filler') && !means(token, 'ongoing');
}

/** The mark that the first words are, if nothing follows that makes them part of a sentence: `Complete the API` is none. */
function markedPhrase(
  tokens: readonly Token[],
  table: MarkTable,
): { mark: Mark; rest: readonly Token[] } | undefined {
  const [first, second] = tokens;
  if (means(first, 'put off') && !isLater(second)) return undefined;
  const marks = table.filter(([meaning]) => means(first, meaning));
  let mark = percentMark(first) ?? marks[0]?.[1];
  let size = means(first, 'with object') ? 2 : 1;
  const whole = table === MARKS_OF_PHASES ? afterDone(tokens) : undefined;
  if (mark === undefined && whole !== undefined) {
    mark = 'done';
    size = tokens.length - whole.length;
  } else if (isMeasure(first) && means(second, 'done')) {
    // `almost done`, `60% complete`.
    size = 2;
  }
  const rest = tokens.slice(size);
  if (mark === undefined || !mayFollow(rest)) return undefined;
  const isOnlyAlone = marks.every(([meaning]) => meaning === 'open alone');
  if (marks.length > 0 && isOnlyAlone && rest.length > 0) return undefined;
  return { mark, rest };
}

/** `Deferred to v2` and `deferred to Phase 9` are skipped here; `deferred to the host` is done somewhere else. */
function isLater(token: Token | undefined): boolean {
  return token?.kind === 'number' || means(token, 'part', 'open', 'open alone');
}

function isMeasure(token: Token | undefined): boolean {
  return token?.kind === 'percent' || means(token, 'under way');
}

/** What may stand behind a mark without changing it: a date, a reason, a version, a remark behind a dash. */
function mayFollow(rest: readonly Token[]): boolean {
  const start = rest.findIndex(({ text }) => !CLOSING.has(text));
  const [next, afterwards] = start < 0 ? [] : rest.slice(start);
  if (next === undefined || means(next, 'preposition', 'day')) return true;
  if (next.kind === 'sign')
    return afterwards === undefined || afterwards.kind === 'stop';
  return next.kind !== 'word' && next.kind !== 'question';
}

/** `Done, tests pending` or `Done 3/5` is not done; what is in brackets right behind the word is a remark. */
function isTakenBack(rest: readonly Token[]): boolean {
  const counted = withoutBracket(rest);
  return counted.some((token) => means(token, 'left over') || isUnequal(token));
}

function withoutBracket(rest: readonly Token[]): readonly Token[] {
  if (!OPENING.has(rest[0]?.text ?? '')) return rest;
  const end = rest.findIndex(({ text }) => CLOSING.has(text));
  return end < 0 ? [] : rest.slice(end + 1);
}

const OPENING = new Set(['(', '[', '（', '【']);
const CLOSING = new Set([')', ']', '）', '】']);

function isUnequal({ part }: Token): boolean {
  return part !== undefined && part.count < part.of;
}

function percentMark(token: Token | undefined): Mark | undefined {
  if (token?.kind !== 'percent') return undefined;
  const percent = Number.parseInt(token.text, 10);
  if (percent === 100) return 'done';
  if (percent > 100) return undefined;
  return percent === 0 ? 'open' : 'under way';
}

/** `3/5 tasks`, `2 of 4 done`. */
function ratioMark(tokens: readonly Token[]): Mark | undefined {
  const [first, ...words] = tokens.filter(
    ({ kind }) => kind !== 'stop' && kind !== 'sign',
  );
  const { part } = first ?? {};
  if (part === undefined || part.of === 0) return undefined;
  const isCount = words.every((word) => means(word, 'part', 'done'));
  if (!isCount || words.length === 0 || words.length > 2) return undefined;
  if (part.count >= part.of) return 'done';
  return part.count === 0 ? 'open' : 'under way';
}

/**
 * What the value of a status field says about the whole workflow; undefined if the words say nothing. The whole value
 * decides: `Phase 1 complete, Phase 2 in progress` is not done, and nor is `Complete except for the docs`.
 */
export function standOf(value: string): Mark | undefined {
  // `In Progress | Owner: Bob` are two fields in one line; `Not Started | In Progress | Complete` is not filled in.
  const fields = value.slice(0, MAX_STATUS_CHARS).split(/\s[|·•]\s/);
  if (fields.length > 2 && fields.every(phraseMark)) return undefined;
  const [text = ''] = fields;
  const clauses = clausesOf(tokenize(text.replaceAll(/[~#]/g, '')));
  const tokens = clauses.flat();
  const picture = signOfPlan(text);
  if (tokens.length === 0) return picture === 'skipped' ? undefined : picture;

  const begin = withoutLead(clauses[0] ?? []);
  if (means(begin[0], 'paused', 'plan paused')) return 'paused';
  if (means(begin[0], 'blocked')) return 'blocked';
  const isTicked = picture === undefined || picture === 'done';
  if (isTicked && isFinished(clauses)) return 'done';

  const isBeingDone = isOngoing(clauses);
  if (!isBeingDone) {
    const all = withoutLead(tokenize(text));
    const phrase = markedPhrase(all, MARKS_OF_PLANS);
    // What is not finished above is not finished here: `100% done in principle`.
    if (phrase !== undefined && phrase.mark !== 'done') return phrase.mark;
  }
  const names = tokens.some((token) => means(token, 'done', 'not done'));
  if (isBeingDone || names) return 'under way';
  return picture === 'under way' ? picture : undefined;
}

/** A tick beside another picture says less than that one. */
function signOfPlan(text: string): Mark | undefined {
  return pictureMark(text.replaceAll(/[✅☑✔✓]/g, '')) ?? pictureMark(text);
}

/** A value is cut at punctuation, at pictures and at `and`; what is about former times is left out. */
function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = [[]];
  let isPast = false;
  for (const token of tokens) {
    const isEnd =
      token.kind === 'stop' || token.kind === 'sign' || token.text === 'and';
    if (isEnd) {
      clauses.push([]);
      // `(was in progress - now done)` is one remark.
      isPast &&= token.kind !== 'sign' && !ENDS_PAST.has(token.text);
      continue;
    }
    isPast ||= means(token, 'past');
    if (!isPast) clauses.at(-1)?.push(token);
  }
  return clauses.filter((clause) => clause.length > 0);
}

const ENDS_PAST = new Set([',', ';', '(', ')', '，', '；', '（', '）']);

/** The first clause says finished, and no other takes it back. */
function isFinished([first = [], ...others]: readonly Token[][]): boolean {
  const rest = afterDone(first);
  if (rest === undefined || !isHarmless(rest)) return false;
  return others.every((clause) => isHarmless(afterDone(clause) ?? clause));
}

/** What follows `Complete` or `All 5 phases are complete`; undefined if a clause does not begin so. */
function afterDone(clause: readonly Token[]): readonly Token[] | undefined {
  let at = 0;
  let isWhole = false;
  for (; at < clause.length; at += 1) {
    const token = clause[at];
    const { part } = token ?? {};
    const isEqual = part !== undefined && part.of > 0 && part.count >= part.of;
    const isNumber = token?.kind === 'number';
    if (means(token, 'all') || isEqual) isWhole = true;
    else if (isWhole && (isNumber || means(token, 'part'))) continue;
    else if (!means(token, 'filler', 'plan')) break;
  }
  const isHundred = percentMark(clause[at]) === 'done';
  if (!isHundred && !means(clause[at], 'done')) return undefined;
  at += 1;
  const isDoubled = isHundred && means(clause[at], 'done');
  if (isDoubled || clause[at]?.text === 'successfully') at += 1;
  return clause.slice(at);
}

/** A date, a place, a person: a remark that says nothing against done. */
function isHarmless(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (first === undefined || isEveryPart(rest)) return true;
  if (rest.some(isContrary)) return false;
  if (isPlace(first) || means(first, 'remark')) return true;
  if (first.text === 'by') return !means(second, 'day', 'deadline');
  return PLACE_WORDS.has(first.text) && second !== undefined && isPlace(second);
}

/** `all 5 phases`. */
function isEveryPart([first, ...others]: readonly Token[]): boolean {
  const isCount = others.every(
    (token) => token.kind === 'number' || means(token, 'part'),
  );
  return means(first, 'all') && isCount;
}

const PLACE_WORDS = new Set(['on', 'at', 'in', 'into', 'to']);

function isPlace(token: Token): boolean {
  const isNumber = token.kind === 'number';
  return isNumber || token.part !== undefined || means(token, 'place', 'day');
}

function isContrary(token: Token): boolean {
  const { kind } = token;
  if (kind === 'question' || kind === 'percent' || isUnequal(token))
    return true;
  return means(token, ...CONTRARY);
}

const CONTRARY: readonly Meaning[] = [
  'done',
  'under way',
  'blocked',
  'paused',
  'open',
  'not done',
  'left over',
  'doubt',
  'ongoing',
  'part',
  'negation',
];

/** Somebody works on it, in any wording: `Executing Phase 2`, `60 %`, `Partially complete`, `In development`. */
function isOngoing(clauses: readonly Token[][]): boolean {
  const tokens = clauses.flat();
  const [first] = tokens;
  if (first !== undefined && isDoing(first)) return true;
  if (isStage(tokens)) return true;
  return tokens.some((token, index) => {
    if (percentMark(token) === 'under way') return true;
    if (means(tokens[index - 1], 'negation')) return false;
    if (means(token, 'under way', 'ongoing')) return true;
    return means(token, 'part') && isNumberOfPart(tokens[index + 1]);
  });
}

/** `Executing` and `Fixing`, but not `Planning`, `Waiting` and `Nothing`. */
function isDoing({ kind, text, meanings }: Token): boolean {
  const isKnown = ['paused', 'plan paused', 'open', 'left over', 'unclear'];
  const isOther = isKnown.some((each) =>
    [...meanings].some((own) => own === each),
  );
  return kind === 'word' && /^[a-z]{2,20}ing\b/.test(text) && !isOther;
}

/** `Implementation`, `In development`, `Design phase`. */
function isStage(tokens: readonly Token[]): boolean {
  const words = tokens.filter(
    ({ text }) => !['in', 'phase', 'stage'].includes(text),
  );
  return words.length === 1 && means(words[0], 'stage');
}

/** `2`, `B` or `III` behind `Phase`. */
function isNumberOfPart(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'number' || token.part !== undefined) return true;
  return /^(?:[a-z]|[ivx]{1,5})$/.test(token.text);
}

/** `Not done`: somebody may have started it. */
export function saysNotDone(text: string): boolean {
  return means(withoutLead(tokenize(text))[0], 'not done');
}

/** `✅ COMPLETE` without any other word. */
export function saysOnlyDone(text: string): boolean {
  const tokens = tokenize(text).filter(
    ({ kind }) => kind !== 'sign' && kind !== 'stop',
  );
  return tokens.length === 1 && means(tokens[0], 'done');
}
