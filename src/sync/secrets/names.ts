/** A table of words, written as a text: entries are separated by commas. */
const entries = (text: string): string[] =>
  text.split(',').map((entry) => entry.trim());

/** A name that ends in one of these says that its value is secret: `DB_PASSWORD`, `dbPassword`, "the staging password". */
const SECRET_NAMES: readonly string[] = [
  ...entries(
    'password, passwords, passwd, passcode, passphrase, passwort, kennwort, wachtwoord',
  ),
  ...entries('contraseña, senha, mot de passe, пароль, 密码, 密碼'),
  ...entries('lösenord, adgangskode, salasana, hasło, jelszó, şifre'),
  ...entries('パスワード, 비밀번호'),
  ...entries(
    'pwd, pswd, pw, pass, psk, pat, storepass, keypass, bindpw, rootpw',
  ),
  ...entries(
    'secret, secrets, token, jwt, credential, credentials, creds, authorization',
  ),
  ...entries('basic auth, basicauth'),
  ...entries('sessionid, phpsessid, jsessionid, connect sid'),
  ...entries(
    'mnemonic, seed phrase, seed words, recovery phrase, backup phrase, wallet seed',
  ),
  ...entries(
    'totp, otp seed, totp seed, mfa seed, fa seed, recovery code, recovery codes, backup codes',
  ),
  ...entries(
    'apikey, api key, api keys, secret key, private key, access key, auth key, master key',
  ),
  ...entries(
    'signing key, encryption key, enc key, fernet key, wpa key, account key, app key, application key, admin key',
  ),
  ...entries(
    'session key, cookie key, storage key, deploy key, webhook key, hmac key, aes key',
  ),
  ...entries(
    'jwt key, ssh key, shared key, license key, licence key, client key, service key',
  ),
  ...entries(
    'record key, root key, server key, shared access key, pre shared key',
  ),
];

/** One word may be all of it: `PGPASSWORD`, `accesstoken`. Shorter words end other words, too: "compass". */
const MIN_ENDING = 5;
const ENDINGS = SECRET_NAMES.map((name) => name.replaceAll(' ', '')).filter(
  (name) => name.length >= MIN_ENDING,
);

/** What may follow the secret word in a name: `API_KEY_PROD`, `SECRET_KEY_BASE`, `client-key-data`, `password2`. */
const SUFFIXES: ReadonlySet<string> = new Set(
  entries(
    'prod, production, staging, stage, dev, development, test, testing, qa, local, live, old, new, current, previous, default, root, admin, base, b, data, value, v',
  ),
);

/** These say that it is the public half: `STRIPE_PUBLISHABLE_KEY`, "the public API key". */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(
  entries('public, publishable, pub'),
);

/** Tokens that are places in a list, requests that are sent twice, words of a language or names of colours. */
const OPEN_TOKENS: readonly string[] = [
  ...entries(
    'page token, next token, starting token, continuation token, sync token, resume token',
  ),
  ...entries(
    'client token, request token, change token, update token, idempotency token',
  ),
  ...entries(
    'design token, color token, syntax token, special token, stop token, mask token',
  ),
  ...entries('cancel token, cancellation token'),
];

/** Labels after which people write a password without quotes, whatever it consists of: "pw: …", "user/pass: …". */
const LABELS: ReadonlySet<string> = new Set(
  entries('pw, pass, pwd, psk, passwd'),
);

/** Labels of a name and a password: "user/pass: ann/…", "login / password: …", "Benutzer/Passwort: …" */
const USER_AND_PASSWORD = /\p{L}[ \t]?\/[ \t]?\p{L}+$/u;
/** "credentials: ann/…", "basic auth: ann:…" */
const CREDENTIALS = /\b(?:credentials?|creds|basic[ _-]?auth)$/i;

/** The words of a name in lower case: `dbPassword2` → db, password. */
function wordsOf(name: string): string[] {
  const words =
    name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}]+/gu) ??
    [];
  return words.map((word) => word.toLowerCase());
}

/** Longer names say nothing else. */
const MAX_WORDS = 4;

export function saysSecret(name: string): boolean {
  const words = wordsOf(name);
  while (SUFFIXES.has(words.at(-1) ?? '')) words.pop();
  const last = words.slice(-MAX_WORDS);
  const text = ` ${last.join(' ')}`;
  const endsIn = (entry: string): boolean => text.endsWith(` ${entry}`);
  if (last.some((word) => PUBLIC_WORDS.has(word)) || OPEN_TOKENS.some(endsIn))
    return false;
  return (
    SECRET_NAMES.some(endsIn) ||
    ENDINGS.some((ending) => last.at(-1)?.endsWith(ending))
  );
}

/** Whether the name is a label like "pw" or "login/password", whose value needs no other sign that it is a password. */
export const isPasswordLabel = (name: string): boolean =>
  LABELS.has(wordsOf(name).at(-1) ?? '') ||
  (name.includes('/') && isPasswordName(name));

/** Whether the name stands for a name and a password together. */
export const isLoginLabel = (name: string): boolean =>
  USER_AND_PASSWORD.test(name) || CREDENTIALS.test(name);

/** "Login: ann / …": without the second part, the value is a name. */
export const isUserLabel = (name: string): boolean =>
  /(?:^| )login$/i.test(name);

const PASSWORDS =
  /(?:password|passwd|passcode|passwort|kennwort|wachtwoord|contraseña|senha|pw|pwd)$/i;
/** Whether it is a word for a password, which people follow with nothing but the password: "password hunter22". */
export const isPasswordName = (name: string): boolean => PASSWORDS.test(name);

/** `API_TOKEN`, as the variables of an environment are called. */
export const isConstantName = (name: string): boolean =>
  /(?:^| )[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name);

/** `MAPS_KEY`, which may be a secret; not `PUBLIC_KEY`. */
export const isKeyVariable = (name: string): boolean =>
  isConstantName(name) &&
  name.endsWith('_KEY') &&
  !wordsOf(name).some((word) => PUBLIC_WORDS.has(word));

/** `API_TOKEN`, `aws_secret_access_key`, `spring.datasource.password`: no word of a sentence. */
export const isVariableName = (name: string): boolean =>
  /[A-Za-z][_.][A-Za-z][^ ]*$|(?:^| )[A-Z]{4,}$/.test(name);

/** Words of a wallet follow without quotes: "recovery phrase: ribbon castle …" */
export const isPhraseLabel = (name: string): boolean =>
  /^(?:mnemonic|phrase|words|seed|passphrase)$/.test(
    wordsOf(name).at(-1) ?? '',
  );

/** Finds every place where a name may end that says secret; `saysSecret` decides about the whole name. */
export const LAST_WORD = new RegExp(
  [
    ...new Set(
      ['login', ...SECRET_NAMES].map((name) =>
        name.slice(name.lastIndexOf(' ') + 1),
      ),
    ),
  ]
    .toSorted((a, b) => b.length - a.length)
    .join('|'),
  'giu',
);
