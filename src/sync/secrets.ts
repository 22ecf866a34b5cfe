import { HoldfastError } from '../text/holdfast-error.ts';
import { ARCHIVE_FOLDER } from '../state/paths.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { isObject } from '../text/json.ts';
import { proposedWord } from '../text/shell-commands.ts';
import gitleaks from './gitleaks-rules.json' with { type: 'json' };
import rules from './secret-rules.json' with { type: 'json' };
import type { Snapshot } from './commits.ts';
import { asWord } from '../text/sanitize.ts';

/** A value that looks like a secret: where it is, never what it is. `remedy` keeps it here or changes it. */
export type SecretField = { run: string; field: string; kind: string; remedy: string };

export const NOTHING_SENT = 'nothing was sent or committed';

/** Before any commit, so that no secret is ever in the history of a ref. `outcome` begins the sentence. */
export function requireNone(found: readonly SecretField[], outcome: string): void {
  if (found.length === 0) return;
  const named = found
    .map(({ run, field, kind }) => `${asWord(field)} of ${run} (${kind})`)
    .join('; ');
  const hint = [...new Set(found.map(({ remedy }) => remedy))].join('; ');
  const message = `${outcome}, because these look like secrets: ${named}`;
  throw new HoldfastError('sync_secrets', message, { hint, data: { secrets: found } });
}

export function secretsIn(run: StoredRun, { state }: Snapshot): SecretField[] {
  const { sessions: _sessions, ...fields } = state;
  return findSecrets(fields).map(({ field, kind }) => ({
    run: run.runId,
    field,
    kind,
    remedy: remedyFor(run, field),
  }));
}

function remedyFor({ runId, state, path }: StoredRun, field: string): string {
  const isArchived = path.startsWith(`${ARCHIVE_FOLDER}/`);
  const note = isArchived ? undefined : noteAt(state, field);
  if (note !== undefined) return `\`holdfast note --forget ${note} --run ${runId}\``;
  const options = isArchived ? [] : optionsFor(state, field);
  return options.length === 0
    ? `change ${asWord(field)} in ${asWord(path)} with an editor`
    : options.map((option) => `\`holdfast update ${runId} ${option}\``).join(' or ');
}

/** The number of the note that a field such as `notes[3].text` belongs to. */
function noteAt({ notes = [] }: RunState, field: string): number | undefined {
  const [, index] = /^notes\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? undefined : notes[Number(index)]?.n;
}

const OPTIONS = new Map([
  ['context', ['--set-local {}=<value>', '--unset {}']],
  ['artifacts', ['--artifact {}=<path>']],
  ['key_reminders', ['--forget "<part of its text>"']],
  ['required_reading', ['--unread "<part of its path>"']],
  ['phases', ['--phases "<all names>"']],
  ['phase', ['--name "<name>"']],
]);

/** The options of `update` that keep a field here or change it; none for a field that only an editor changes. */
function optionsFor({ template }: RunState, field: string): string[] {
  const [top = '', key = ''] = field.split(/[.[\]]+/);
  // A template decides the names of its phases.
  if (template !== undefined && top.startsWith('phase')) return [];
  return (OPTIONS.get(top) ?? []).map((option) =>
    option.replace('{}', () => proposedWord(key, '<key>')),
  );
}

/** All values that look like secrets, each with the name of its field. */
export function findSecrets(value: unknown, field = ''): { field: string; kind: string }[] {
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

/** As gitleaks has it: the name of a service, at most 20 characters on a sign of assignment, and the value. */
const ASSIGNED = '[\\w\\t .-]{0,20}[\\s\'"]{0,3}(?:=|>|:=|\\|\\|:|<=|=>|:)[\\s\'"=`]{0,5}';

/** The rules of gitleaks, each asked only about a text that has one of its words. */
function gitleaksKind(text: string): string | null {
  const lower = text.toLowerCase();
  const found = gitleaks.find(({ words, value, pattern, flags }) => {
    if (!words.some((word) => lower.includes(word))) return false;
    if (value === undefined) return new RegExp(pattern, flags).test(text);
    const assigned = `(?:${words.join('|')})${ASSIGNED}(${value})(?![\\w-])`;
    // A word that happens to have the right length is no key: "Jira: internationalisation".
    return [...text.matchAll(new RegExp(assigned, 'gi'))].some(([, it = '']) => /\d/.test(it));
  });
  return found?.kind ?? null;
}

const NAMES =
  'password|passwd|passphrase|secret|(?:admin|api|access|account|auth|master|private|signing|encryption)[ _-]?key|(?:auth|access|refresh)[ _-]?token|token|credentials?|(?<![a-z])(?:pass|pwd)';
const SECRET_NAME = new RegExp(`(?:^|[_.-]|(?<=[a-z]))(?:${NAMES})$`, 'i');

function secretIn(text: string, field: string): string | null {
  // Formats by which a secret is recognized wherever it stands, as their issuers document them.
  const rule = rules.find(({ pattern, flags }) => new RegExp(pattern, flags).test(text));
  if (rule !== undefined) return rule.kind;
  const listed = gitleaksKind(text);
  if (listed !== null) return listed;
  const isNamed = SECRET_NAME.test(field.replace(/\[\d+\]$/, '')) && isPassword(text);
  if (isNamed || hasAssignedSecret(text)) return 'a value whose name says that it is secret';
  const words = text.replaceAll(DIGEST, ' ').split(/[^A-Za-z0-9+/_-]+/);
  return words.some((word) => isRandom(word)) ? 'a random key' : null;
}

/** The hash of a package in a lock file, or of a public key: of exactly the length that its algorithm has. */
const DIGEST =
  /\b(?:sha1-[A-Za-z0-9+/]{27}=|sha256[-:][A-Za-z0-9+/]{43}(?:=|\b)|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{86}==)/gi;

/** Not a sentence, a path, a placeholder or the name of a variable. */
const isPassword = (text: string): boolean =>
  text.length >= 6 &&
  !/[\s{}<>]|^\$|\$\(/.test(text) &&
  !/^(?:[A-Z][A-Z0-9_]*|\*+|x+|\.+)$/.test(text) &&
  !isPath(text);

/** Keys in base64 have slashes, too, but no names of files between them. */
function isPath(text: string): boolean {
  if (!/[/\\]/.test(text)) return false;
  return /^(?:[.~]{0,2}[/\\]|[A-Za-z]:|\w+:\/\/)|\.\w{1,5}$/.test(text) || !isRandom(text, 16);
}

/** `NAME=value`, `name: value`, `"name": "value"`, `name is value`, `--name value` or `--name=value` inside a text. */
const ASSIGNMENT = new RegExp(
  `(?:(?:${NAMES})["'\`]?(?:[ \\t]*(=>|:=|[=:])(?!=)|[ \\t]+is[ \\t])|--[\\w-]{0,40}?(?:${NAMES}) )[ \\t]*["'\`]?([^\\s"'\`,;&|]+)`,
  'gi',
);

const hasAssignedSecret = (text: string): boolean =>
  [...text.matchAll(ASSIGNMENT)].some(([, sign, value = '']) => {
    const word = value.replace(/[.:!?)\]]+$/, '');
    const isProse = sign === undefined || sign === ':';
    return isSecretWord(word) && !(isProse && isHyphenated(word));
  });

/** The names of variables, the keys of issues, times and versions. */
const NAME_OR_NUMBER =
  /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]+-\d+|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+.*)$/;
const PLACEHOLDER = /^(?:[%$]|your|example|placeholder|changeme|dummy|redacted|xxx)/i;

/** In a text more is a name or a description than in a field: only a word with letters and digits counts. */
const isSecretWord = (word: string): boolean =>
  word.length >= 7 &&
  /[A-Za-z]/.test(word) &&
  /\d/.test(word) &&
  !/[{}<>\\()[\]]|\*{3}|\.{3}|…/.test(word) &&
  !NAME_OR_NUMBER.test(word) &&
  !PLACEHOLDER.test(word) &&
  !TECHNICAL.test(word) &&
  !isPath(word);

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

/** Letters of both cases and digits alternate faster than in names. Hashes and ids, which are hexadecimal, are not secret. */
function isRandom(word: string, min = 32): boolean {
  const letters = word.replaceAll(/[^A-Za-z0-9]/g, '');
  if (word.length < min || ![/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(letters)))
    return false;
  const parts = letters.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  return letters.length / parts.length < 3.5;
}
