import type { Assignment } from './assignments.ts';
import { isConstantName, saysSecret } from './names.ts';
import {
  isFunctionWord,
  isPassphrase,
  isPlainWord,
  isRandom,
  isTerm,
  wordTable,
} from './words.ts';

/*
 * What follows a name that says secret, and is no secret. Each rule is a question about one value, with examples beside it.
 */

export const isHarmless = (assignment: Assignment): boolean =>
  isReference(assignment) ||
  isPlaceholder(assignment.value) ||
  isKnownExample(assignment.value) ||
  LOGIN_EXAMPLES.has(assignment.value.toLowerCase()) ||
  isProse(assignment);

/** Where the secret is, not what it is: a variable, a call, an entry of a vault, a file, an address. */
function isReference(assignment: Assignment): boolean {
  const { value, isQuoted } = assignment;
  return (
    isExpansion(value) ||
    isVariable(assignment) ||
    isVaultEntry(value) ||
    isPath(value) ||
    isAddress(value) ||
    (!isQuoted && isCode(assignment))
  );
}

const EXPANSIONS: readonly RegExp[] = [
  // `$TOKEN`, `$env:TOKEN`
  /^\$[A-Za-z_][\w:.]*$/,
  // `${TOKEN}`, `prefix-${TOKEN}`, `#{token}`, `{{ secrets.TOKEN }}`
  /[$#]\{|\{\{/,
  // `$(cat /run/secrets/token)`, `$(op read op://shop/token)`
  /\$\([a-z][\w ./:=-]*\)/,
  // `%TOKEN%`
  /^%\w+%$/,
  // `&token_anchor` and `*token_anchor` of YAML
  /^[&*][a-z]+_\w*$/,
  // `@secrets.token`
  /^@[a-z]+(?:\.\w+)+$/,
];

const isExpansion = (value: string): boolean =>
  EXPANSIONS.some((pattern) => pattern.test(value));

/** Words that are nothing but the name of a secret. */
const NAMES = wordTable(
  `password passwd passphrase secret token credentials apikey authorization
  passwort kennwort wachtwoord contraseña senha`,
);

/** A variable that says secret itself, or a constant: `TOKEN=authToken`, `this.password = password`, `DEFAULT_KEY`. */
function isVariable(assignment: Assignment): boolean {
  const { value } = assignment;
  const isConstant = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value);
  // `DB_PASSWORD=MyPassword1` is no variable, `token = authToken2` is one.
  const pattern = isOfShell(assignment)
    ? /^[A-Za-z_][A-Za-z_.]*$/
    : /^[A-Za-z_][A-Za-z_.]*\d*$/;
  const isIdentifier = pattern.test(value);
  const isCompound = /[a-z][A-Z]|_/.test(value);
  const isName = NAMES.has(value.toLowerCase());
  return (
    isConstant || (isIdentifier && (isCompound || isName) && saysSecret(value))
  );
}

/** A variable of an environment, `DB_PASSWORD=x`: it holds no words for people and no names of other variables. */
const isOfShell = ({ name, sign, isSpaced }: Assignment): boolean =>
  sign === 'equals' && !isSpaced && isConstantName(name);

const VAULTS = wordTable(
  `vault ref+vault op arn aws ssm secretsmanager gcp sm akv env file keychain keyring kv sops bws doppler credstash`,
);

/** `vault:secret/shop#token`, `op://shop/token`, `arn:aws:secretsmanager:…`, `!vault`, `ENC[AES256_GCM,…]` */
function isVaultEntry(value: string): boolean {
  const [, scheme = ''] = /^([a-z+]{2,20}):\S/.exec(value) ?? [];
  return VAULTS.has(scheme) || /^(?:!\w+|ENC\[|\$ANSIBLE_VAULT)/.test(value);
}

const FILE = /^[\w-]+\.(?:txt|md|json|ya?ml|toml|pem|key|crt|env|ts|js|py|go)$/;
const MIN_RANDOM_PART = 16;
/** `token.ts:42:7`, `token.ts#L12` */
const LINE_OF_FILE = /(?::\d+){1,2}$|#L\d+$/;

/** `/run/secrets/token`, `./token.txt`, `~/.ssh/id_rsa`, `C:\keys\a.pem`, `docs/secret.md`; not `kQ7/bPxR`. */
function isPath(place: string): boolean {
  const value = place.replace(LINE_OF_FILE, '');
  if (!/[/\\]/.test(value)) return FILE.test(value);
  const parts = value.split(/[/\\]+/).filter((part) => part !== '');
  const isRooted =
    /^(?:[.~]{0,2}[/\\]|[A-Za-z]:[/\\])/.test(value) && parts.length > 1;
  const hasExtension = /\.[a-z]{1,5}$/i.test(value);
  // Keys in base64 have slashes, too.
  const isKey = parts.some((part) => isRandom(part, MIN_RANDOM_PART));
  return (isRooted || hasExtension) && !isKey;
}

/** `https://example.org/vault/item`, `ops@example.org`. A password in an address is found by itself. */
const isAddress = (value: string): boolean =>
  /^\w{2,10}:\/\//.test(value) || /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(value);

/** Objects by which programs reach their settings: `config.apiKey`, `process.env.TOKEN`, `os.environ["TOKEN"]`. */
const ROOTS = wordTable(
  `process os env ENV config settings options opts args params props req request res response ctx context this self user
  data body state session form input event import secrets vars var local module each values Deno System app`,
);

/** `getToken(user)`, `z.string().min(12)`, `config.apiKey`, `random_password.db.result`, a command in backticks */
function isCode({ value, rest, isSpaced, sign }: Assignment): boolean {
  const isCommand = /\s/.test(value);
  // The arguments may stand in the next lines.
  const isCall =
    /^[A-Za-z_][\w.:]*\(/.test(value) && /\)|\($/.test(`${value}${rest}`);
  if (isCommand || isCall) return true;
  const [, root = ''] = /^([A-Za-z_]\w*)\??[.[]/.exec(value) ?? [];
  if (ROOTS.has(root)) return true;
  const isChain = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[;,)]*$/.test(value);
  return isChain && isSpaced && sign === 'equals';
}

/** What begins a value that somebody else is to fill in. */
const PLACEHOLDER_STARTS = wordTable(
  'your changeme replace dummy fake mock placeholder redacted removed masked sample',
);
/** The same, if the value also says what it stands for. */
const EXAMPLE_STARTS = wordTable(
  `my change enter insert put hidden test some any the valid invalid expired wrong bad good old new another other secret
  safe plain demo`,
);
const STANDS_FOR = wordTable(
  'key token secret password passwd pass credential credentials value here me this',
);
const ELLIPSIS = /\*{3}|\.{3}|…|•{3}/;
const BRACKETED = /^[<[{(].*\p{L}.*[>\]})]$/u;

/** `<your key here>`, `[redacted]`, `********`, `xxxx`, `…`, `your-api-key`, `change_me`, `wrong-password`, `sk-your-key` */
export function isPlaceholder(value: string): boolean {
  if (BRACKETED.test(value) || ELLIPSIS.test(value) || isFiller(value))
    return true;
  const parts = value.toLowerCase().split(/[^\p{L}]+/u);
  // What stands at the beginning may be of an issuer: `sk-your-key`, `ghp_your_token`.
  const isOfIssuer = (part: string): boolean =>
    part.length <= 3 && !EXAMPLE_STARTS.has(part);
  const start = parts.find((part) => !isOfIssuer(part)) ?? '';
  if (start === value.toLowerCase()) return PLACEHOLDER_STARTS.has(start);
  if (/\d/.test(value)) return false;
  const saysFor = parts.some((part) => STANDS_FOR.has(part));
  return (
    PLACEHOLDER_STARTS.has(start) || (EXAMPLE_STARTS.has(start) && saysFor)
  );
}

/** One character again and again, perhaps after what a format begins with: `xxxxxxxx`, `ghp_xxxxxxxx`, `AKIAXXXXXXXX` */
const isFiller = (value: string): boolean =>
  /^(?:\w{1,12}[_-]|[A-Z]{4})?(.)\1{3,}$/.test(value);

/** Values that documentation prints and everybody knows, in lower case, or the middle of them. */
const KNOWN_EXAMPLES: readonly string[] = [
  // Of AWS: `AKIAIOSFODNN7EXAMPLE`
  'example',
  // Of the page on which people try out tokens
  'your-256-bit-secret',
  // Of Docker's image of Postgres
  'mysecretpassword',
  'supersecretpassword',
  // Of GitHub, where a token stands for the name
  'x-oauth-basic',
  // Of authenticators
  'jbswy3dpehpk3pxp',
  // Of Stripe
  '4ec39hqlyjwdarjtt1zdp7dc',
  // The first account of a local Ethereum node, and its words
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  'test test test test',
  'abandon abandon abandon',
];

export function isKnownExample(value: string): boolean {
  const lower = value.toLowerCase();
  return KNOWN_EXAMPLES.some((known) => lower.includes(known));
}

const LOGIN_EXAMPLES = wordTable(
  'password passwd passwort pwd pass secret changeme root admin postgres guest test user username token x-oauth-basic ' +
    // Those of tests and fixtures
    'password1 password123 passw0rd secret123 supersecret test123 test1234 abc123',
);

/** The password of a login in documentation: `user:password`, `guest:guest`, `ann:${PASSWORD}`, `user:<password>` */
export const isExampleLogin = (user: string, password: string): boolean =>
  password === user ||
  LOGIN_EXAMPLES.has(password.toLowerCase()) ||
  isExpansion(password) ||
  isPlaceholder(password) ||
  isKnownExample(password);

/** "password: required", `credentials: "same-origin"`, "token: refreshed every 15 minutes", `"password": "Passwort"` */
const isProse = (assignment: Assignment): boolean =>
  isDescription(assignment.value) ||
  isUnspacedSentence(assignment) ||
  isLabel(assignment) ||
  isChoice(assignment) ||
  (assignment.isQuoted
    ? isQuotedSentence(assignment.value)
    : isInSentence(assignment));

const DESCRIPTIONS = wordTable(
  `required optional missing invalid expired rotated hidden unknown unchanged encrypted disabled enabled string boolean
  integer number object unset empty absent present wrong incorrect correct unavailable available unlimited undefined
  same-origin include omit inherit default`,
);

/** What is said of a secret in one word. */
const isDescription = (value: string): boolean =>
  DESCRIPTIONS.has(value.toLowerCase());

const EAST_ASIAN = ['Han', 'Hiragana', 'Katakana', 'Hangul']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Letters of scripts that put no spaces between words, with the marks between them. */
const EAST_ASIAN_WORDS = new RegExp(`[${EAST_ASIAN}ー、。，！（）]+`, 'u');

/** "密码：至少12个字符": all that stands between its words are numbers, words of other scripts, and terms. */
function isUnspacedSentence({ value, sign }: Assignment): boolean {
  const parts = value.split(EAST_ASIAN_WORDS);
  if (sign !== 'colon' || parts.length === 1) return false;
  return parts.every(
    (part) =>
      part === '' ||
      /^\d{1,4}$/.test(part) ||
      isPlainWord(part) ||
      isTerm(part),
  );
}

/** What a field is called in a language: `"password": "Contraseña"`, `"token": "Jeton d’accès"`. */
function isLabel(assignment: Assignment): boolean {
  const { value } = assignment;
  const isForeign =
    /^[\p{L}\p{M}\s]+$/u.test(value) && /\P{ASCII}/u.test(value);
  return (
    (isForeign && !isOfShell(assignment)) || NAMES.has(value.toLowerCase())
  );
}

/** One of several values that are possible: `token: "identifier" | "number"` */
const isChoice = ({ isQuoted, rest }: Assignment): boolean =>
  isQuoted && /^["'][ \t]*\|[ \t]*["']/.test(rest);

/** How many of the words in quotes must be words of a language. */
const MIN_PLAIN_SHARE = 2 / 3;

/** "Enter your password", "Passwort vergessen?"; not "correct horse battery staple" */
function isQuotedSentence(text: string): boolean {
  const all = text.trim().split(/\s+/);
  const plain = all.filter((word) =>
    isPlainWord(word.replace(/[.,:;!?()]+$/, '')),
  );
  return (
    all.length > 1 &&
    plain.length >= all.length * MIN_PLAIN_SHARE &&
    !isPassphrase(text)
  );
}

/** A plain word with another one behind it: "token: refreshed every …", "a token = whatever the user typed" */
function isInSentence({ value, rest, sign, isSpaced }: Assignment): boolean {
  const [, next = ''] = /^[ \t]+([^\s,.;:]+)/.exec(rest) ?? [];
  if (!isPlainWord(value) || !isPlainWord(next)) return false;
  // A shell line goes on with plain words, too: `TOKEN=abcdefgh psql`, `--password abcdefgh shop`
  if (sign === 'equals') return isSpaced;
  return sign !== 'option' || isFunctionWord(next);
}
