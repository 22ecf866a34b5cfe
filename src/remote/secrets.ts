import { isObject } from '../util/json.ts';

/** A value that looks like a secret: where it is, never what it is. */
export interface Suspicion {
  field: string;
  kind: string;
}

const KNOWN: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/],
  ['a GitLab token', /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}/],
  ['a Slack token', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ['a Slack webhook', /hooks\.slack\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]{16,}/],
  ['an API key', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['a Google OAuth token', /\bya29\.[0-9A-Za-z_-]{20,}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}/],
  ['a PyPI token', /\bpypi-[A-Za-z0-9_-]{40,}/],
  ['a Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/],
  ['a SendGrid key', /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/],
  ['a DigitalOcean token', /\bdo[opr]_v1_[a-f0-9]{64}/],
  ['a JSON web token', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/],
  ['an Azure storage key', /\bAccountKey=[A-Za-z0-9+/=]{40,}/],
  [
    'a password in an address',
    /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"<>]*:(?!\/\/)[^\s/@'"<>${}]{3,}@/i,
  ],
  ['a bearer token', /\bBearer\s+[A-Za-z0-9._~+/-]{20,}/],
];

const NAMES =
  'password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|token|credentials?';
const SECRET_NAME = new RegExp(`(?:^|[_.-]|(?<=[a-z]))(?:${NAMES})$`, 'i');

/** All values that look like secrets, each with the name of its field. */
export function findSecrets(value: unknown, field = ''): Suspicion[] {
  if (typeof value === 'string') {
    const kind = secretIn(value, field);
    return kind === null ? [] : [{ field, kind }];
  }
  if (Array.isArray(value))
    return value.flatMap((entry, index) => findSecrets(entry, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(secretIn(key, '') === null
      ? []
      : [{ field: `${field}.<key>`, kind: 'a secret as a name' }]),
    ...findSecrets(member, field === '' ? key : `${field}.${key}`),
  ]);
}

const REMOVED = '[removed: looks like a secret]';

/** The same value without what looks like a secret: for journals and for runs that were purged, which nobody can edit. */
export function redacted(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return secretIn(value, field) === null ? value : REMOVED;
  if (Array.isArray(value)) return value.map((entry) => redacted(entry, field));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => secretIn(key, '') === null)
      .map(([key, member]) => [key, redacted(member, key)]),
  );
}

function secretIn(text: string, field: string): string | null {
  const known = KNOWN.find(([, pattern]) => pattern.test(text));
  if (known !== undefined) return known[0];
  const isNamedSecret = SECRET_NAME.test(field.replace(/\[\d+\]$/, '')) && looksLikePassword(text);
  if (isNamedSecret || hasAssignedSecret(text)) return 'a value whose name says that it is secret';
  const words = text.replaceAll(DIGEST, ' ').split(/[^A-Za-z0-9+/=_-]+/);
  return words.some(isRandom) ? 'a random key' : null;
}

/** The hash of a package in a lock file, or of a public key: of exactly the length that its algorithm has. */
const DIGEST =
  /\b(?:sha1-[A-Za-z0-9+/]{27}=|sha256[-:][A-Za-z0-9+/]{43}(?:=|\b)|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{86}==)/gi;

/** `NAME=value`, `name: value`, `"name": "value"`, `--name value` or `--name=value` inside a text. */
const ASSIGNMENT = new RegExp(
  `(?:(?:${NAMES.replaceAll('[_-]', '[ _-]')})["'\`]?[ \\t]*(=>|:=|[=:])(?!=)|--[\\w-]{0,40}?(?:${NAMES})( ))[ \\t]*["'\`]?([^\\s"'\`,;&|]+)`,
  'gi',
);

function hasAssignedSecret(text: string): boolean {
  return [...text.matchAll(ASSIGNMENT)].some(([, sign, , value = '']) => {
    const word = value.replace(/[.:!?)\]]+$/, '');
    return isSecretWord(word) && !(sign === ':' && isHyphenated(word));
  });
}

const MIN_SECRET_WORD = 8;
/** The names of variables, the keys of issues, times and versions. */
const NAME_OR_NUMBER =
  /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]+-\d+|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+.*)$/;
const PLACEHOLDER = /^(?:%|your|example|placeholder|changeme|dummy|redacted|xxx)/i;

/** In a text more is a name or a description than in a field: only a word with letters and digits counts. */
function isSecretWord(word: string): boolean {
  return (
    word.length >= MIN_SECRET_WORD &&
    /[A-Za-z]/.test(word) &&
    /\d/.test(word) &&
    !/[{}<>$/\\()[\]]|\*{3}|\.{3}|…/.test(word) &&
    !NAME_OR_NUMBER.test(word) &&
    !PLACEHOLDER.test(word)
  );
}

/** Names that have a digit. */
const TECHNICAL =
  /^(?:v\d+|k8s|s3|ec2|p\d+|(?:argon|base|ed|http|oauth|rsa?|aes|[eh]s|sha|utf|x)\d+\w{0,3})$/i;

/** As in "secret: k8s-secret-v2" or "token: base64-encoded": words and numbers, joined by hyphens. */
function isHyphenated(word: string): boolean {
  const parts = word.split('-');
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[A-Za-z]+|\d{1,4})$/.test(part) || TECHNICAL.test(part))
  );
}

/** Not a sentence, a path, a placeholder or the name of a variable. */
function looksLikePassword(text: string): boolean {
  return (
    text.length >= 6 && !/[\s{}<>$/\\]/.test(text) && !/^(?:[A-Z][A-Z0-9_]*|\*+|x+|\.+)$/.test(text)
  );
}

const MIN_RANDOM = 32;
const MIN_PART = 24;
const MIN_ENTROPY = 4.3;

/**
 * A long word as random as a key. Hashes and ids, which are hexadecimal, are not secret; paths and names of branches
 * are made of short words.
 */
function isRandom(word: string): boolean {
  if (word.length < MIN_RANDOM || /^[0-9a-fA-F-]+$/.test(word)) return false;
  const isMixed = (part: string): boolean =>
    part.length >= MIN_PART && /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part);
  return word.split(/[/_-]/).some(isMixed) && entropyOf(word) >= MIN_ENTROPY;
}

/** Bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / text.length;
    return sum - share * Math.log2(share);
  }, 0);
}
