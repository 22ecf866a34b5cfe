/*
 * What a word looks like, whatever it means: made by a program or a careful person, random, technical, plain.
 */

/** A table of words, written as a text. */
export const wordTable = (text: string): ReadonlySet<string> =>
  new Set(text.trim().split(/\s+/));

/** Shorter values protect nothing, or are no secret but a number or a word. */
const MIN_MADE = 6;
const MIN_NUMBER = 8;
const SYMBOL_INSIDE = /[!@#$%^&*=~?]./;

/** Whether nobody writes it as a word: `hunter2`, `4fq0xk`, `P@sswordX`, `48151623`; not `v2.1.0`, `RS256`. */
export function looksMade(value: string): boolean {
  if (value.length < MIN_MADE || /\s/.test(value) || isTechnical(value))
    return false;
  const hasDigit = /\d/.test(value);
  if (!/\p{L}/u.test(value))
    return hasDigit && value.length >= MIN_NUMBER && /^\d+$/.test(value);
  return hasDigit || (value.length >= MIN_NUMBER && SYMBOL_INSIDE.test(value));
}

/** Algorithms, services and clusters with a digit in their names. */
const ALGORITHM =
  /^(?:argon|base|ed|http|oauth|rsa?|aes|[eh]s|sha|utf|x)\d+\w{0,3}$/i;
const NUMBERED = /^(?:v\d+|k8s|s3|ec2|p\d+|1password)$/i;
const DATE = /^20\d\d-?[01]\d-?[0-3]\d(?:\D.*)?$/;
const VERSION = /^v?\d+(?:\.\d+)+.*$/;
/** `checkout@v4` */
const PACKAGE = /^[\w./-]+@v\d[\w.]*$/;
const COLOR = /^#[\da-f]{3,8}$/i;
const UNITS =
  '%|x|k|m?s|m|h|d|secs?|seconds?|mins?|minutes?|hours?|days?|[kmg]?b|bits?|bytes?|chars?';
/** `15min`, `3600s`, `100%` */
const QUANTITY = new RegExp(`^\\d+(?:${UNITS})$`, 'i');

/** The name of an algorithm or a service, a date, a version, a quantity: what has digits and no other meaning. */
export const isTerm = (word: string): boolean =>
  [ALGORITHM, NUMBERED, DATE, VERSION, PACKAGE, COLOR, QUANTITY].some(
    (pattern) => pattern.test(word),
  );

/** `RS256`, `v2.1.0`, `2026-11-16T10:00:00Z`, `15min`, and words with numbers: `SHOP-1234`, `WORK_ID_2`, `k8s-secret-v2` */
function isTechnical(word: string): boolean {
  const parts = word.split(/[-_]/);
  const isPartOfName = (part: string): boolean =>
    /^(?:[A-Za-z]+|\d{1,4})$/.test(part) || isTerm(part);
  return isTerm(word) || (parts.length > 1 && parts.every(isPartOfName));
}

/** How much of a random word is letters and digits. */
const MIN_SHARE = 0.8;
/** The average length of its parts, below which nobody has named it. */
const MAX_PART = 3.5;

/** Letters of both cases and digits alternate faster than in names. Hashes and ids, which are hexadecimal, are not random. */
export function isRandom(word: string, minLength: number): boolean {
  const text = word.replaceAll(/[^A-Za-z0-9]/g, '');
  const hasAllKinds =
    /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
  if (text.length < minLength * MIN_SHARE || !hasAllKinds) return false;
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  return text.length / parts.length < MAX_PART;
}

/** Letters of any language, perhaps with hyphens: "refreshed", "short-lived", "obligatoria". */
export const isPlainWord = (word: string): boolean =>
  /^\p{L}[\p{L}\p{M}'’-]*$/u.test(word);

/** "refreshed", "rotating": what happens to something. */
export const isParticiple = (word: string): boolean =>
  /^[a-z]{3,}(?:ed|ing)$/.test(word);

/** Words that hold a sentence together, and that no list of words for a wallet has. */
const FUNCTION_WORDS = wordTable(
  `the a an and or of to in on at by for from with without is are was be been it its this that these those if when
  while after before until than then not no must may can should will every each only any as per we you they your our
  der die das und ist nicht le la les et est el los y es`,
);

export const isFunctionWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word.toLowerCase());

const MIN_PHRASE_WORDS = 4;

/** Words as a password: "correct horse battery staple"; not "refreshed by the server". */
export function isPassphrase(text: string): boolean {
  const all = text.split(/[ \t]+/);
  const isOfPhrase = (word: string): boolean =>
    /^[a-z]{3,}$/.test(word) && !isFunctionWord(word) && !isParticiple(word);
  return all.length >= MIN_PHRASE_WORDS && all.every(isOfPhrase);
}
