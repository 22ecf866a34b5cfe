import { isObject } from '../../text/json.ts';
import { findAssignments, type Assignment } from './assignments.ts';
import { findFormats, findRandom, withoutPublicParts } from './formats.ts';
import { isHarmless } from './harmless.ts';
import { findLogins } from './logins.ts';
import {
  isConstantName,
  isKeyVariable,
  isPasswordLabel,
  isPasswordName,
  isVariableName,
  saysSecret,
} from './names.ts';
import { joinOverlapping } from './spans.ts';
import { findInTables } from './tables.ts';
import { findInTags } from './tags.ts';
import {
  isParticiple,
  isPassphrase,
  isPlainWord,
  isRandom,
  isTerm,
  looksMade,
} from './words.ts';

/** A secret in a field. `value` is for its fingerprint and never shown. */
export interface FoundSecret {
  field: string;
  kind: string;
  value: string;
}

/** All secrets in a value, each with the path of its field. */
export function findSecrets(
  value: unknown,
  field = '',
  name = '',
): FoundSecret[] {
  if (typeof value === 'string')
    return secretsIn(value, name).map((secret) => ({ field, ...secret }));
  if (Array.isArray(value))
    return value.flatMap((entry, index) =>
      findSecrets(entry, `${field}[${index}]`, name),
    );
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...secretsIn(key, '').map((secret) => ({
      ...secret,
      field: `${field}.<key>`,
    })),
    ...findSecrets(member, field === '' ? key : `${field}.${key}`, key),
  ]);
}

const REMOVED = '[removed: looks like a secret]';

/** The same value without what looks like a secret: for journals, which nobody can edit. */
export function redacted(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return secretsIn(value, name).length === 0 ? value : REMOVED;
  if (Array.isArray(value)) return value.map((entry) => redacted(entry, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => secretsIn(key, '').length === 0)
      .map(([key, member]) => [key, redacted(member, key)]),
  );
}

const BY_NAME = 'a value whose name says that it is secret';

/** `name` is the name of the field that holds the text. */
function secretsIn(text: string, name: string): Omit<FoundSecret, 'field'>[] {
  const readable = withPlainSpaces(withoutPublicParts(text));
  const assignments = [
    ...fieldAsAssignment(readable, name),
    ...findAssignments(readable),
    ...findInTags(readable),
    ...findInTables(readable),
  ];
  const assigned = assignments
    .filter((assignment) => isSecret(assignment))
    .map(({ start, end }) => ({ start, end, kind: BY_NAME }));
  const spans = [
    ...findFormats(readable),
    ...findLogins(readable),
    ...assigned,
    ...findRandom(readable),
  ];
  return joinOverlapping(spans).map(({ start, end, kind }) => ({
    kind,
    value: text.slice(start, end),
  }));
}

/** Text from web pages and from Windows has other blanks; places in it stay what they are. */
const withPlainSpaces = (text: string): string =>
  text.replaceAll(/[\r\u00a0\u2000-\u200a\u202f\u3000]/g, ' ');

/** A field whose own name says secret holds a value like one in quotes. */
function fieldAsAssignment(text: string, name: string): Assignment[] {
  if (!saysSecret(name)) return [];
  const place = {
    value: text,
    start: 0,
    end: text.length,
    isQuoted: true,
    rest: '',
  };
  return [
    {
      name,
      sign: 'equals',
      isSpaced: false,
      isInConfig: false,
      isAfterUser: false,
      ...place,
    },
  ];
}

/** What follows a name that says secret. How much more it must look like a secret depends on the sign between them. */
function isSecret(assignment: Assignment): boolean {
  const { name, sign, isQuoted } = assignment;
  const value = isQuoted
    ? assignment.value
    : withoutPunctuation(assignment.value);
  // With what ends the sentence, `f(x)` is a call; without it, "required." is a word.
  if (isHarmless(assignment) || isHarmless({ ...assignment, value }))
    return false;
  if (!saysSecret(name) && isKeyVariable(name))
    return isRandom(value, MIN_RANDOM_KEY);
  switch (sign) {
    case 'equals':
      // In a sentence, a mark ends the value; in `PASSWORD=Kirsche!`, it is a part of it.
      return isLongEnough(assignment.isSpaced ? value : assignment.value);
    case 'colon':
      if (isQuoted) return isLongEnough(value);
      if (looksMade(value) || isPasswordAlone(assignment, value)) return true;
      return (
        isOneWord(wordOf(assignment, value)) && isAssigned(assignment, value)
      );
    case 'option':
      return !value.startsWith('-') && (looksMade(value) || isOneWord(value));
    case 'loose':
      return looksMade(value);
    default:
      if (isQuoted && isPassphrase(value)) return true;
      return (
        !value.startsWith('-') && looksMade(value) && isLikelyKey(name, value)
      );
  }
}

/** What ends a sentence, and marks of Markdown. */
const withoutPunctuation = (value: string): string =>
  value.replace(/[.,:;!?)\]}*_]+$/, '');

const MIN_LENGTH = 8;
/** Of a variable like `MAPS_KEY`, which may also be a key of a table or of a cache. */
const MIN_RANDOM_KEY = 16;

const isLongEnough = (value: string): boolean =>
  value.length >= MIN_LENGTH || looksMade(value);

/** The password of a variable may have a slash, `DB_PASSWORD: correct/horse`; another value with one says several things. */
const wordOf = ({ name }: Assignment, value: string): string =>
  isConstantName(name) && isPasswordName(name)
    ? value.replaceAll('/', '')
    : value;

const isOneWord = (value: string): boolean =>
  value.length >= MIN_LENGTH && isPlainWord(value) && !isParticiple(value);

/** Whether a plain word behind a colon is a value, and does not only describe: no sentence has such a name or form. */
function isAssigned(
  { name, isInConfig, isAfterUser }: Assignment,
  value: string,
): boolean {
  // "pw: …", "user/pass: ann/…", `DB_PASSWORD: …`, "user: ann, password: …"
  if (isPasswordLabel(name) || isConstantName(name) || isAfterUser) return true;
  // With a capital it is a type, `token: SecretText`, or what a field is called in a language, `password: Wachtwoord`.
  return /^[a-z]+$/.test(value) && (isInConfig || isVariableName(name));
}

/** "password: summer-2024" with nothing behind it. After another name, it would be the name of something. */
function isPasswordAlone({ name, rest }: Assignment, value: string): boolean {
  const isOfWordsAndNumbers = /\p{Ll}/u.test(value) && /\d/.test(value);
  const isAlone = !/^[ \t]+[\p{L}\p{N}]/u.test(rest);
  if (!isPasswordName(name) || !isOfWordsAndNumbers || !isAlone) return false;
  return (
    value.length >= MIN_LENGTH &&
    !value.split(/[-_]/).some((part) => isTerm(part))
  );
}

const MIN_KEY_LENGTH = 20;

/** "the API key 4fq0…", "password hunter22", `ENV API_TOKEN 4fq0` */
const isLikelyKey = (name: string, value: string): boolean =>
  isVariableName(name) ||
  value.length >= (isPasswordName(name) ? MIN_LENGTH : MIN_KEY_LENGTH);
