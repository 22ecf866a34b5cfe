import { loginsInCommands } from './commands.ts';
import { isExampleLogin } from './harmless.ts';
import type { Login, Span } from './spans.ts';
import { looksMade } from './words.ts';

/*
 * Passwords that stand where a program expects them, without a name: in addresses, commands, files of logins, cookies and
 * statements of SQL.
 */

export function findLogins(text: string): Span[] {
  const spans = (kind: string, logins: readonly Login[]): Span[] =>
    logins
      .filter(({ user, password }) => !isExampleLogin(user, password))
      .map(({ password, start }) => ({
        start,
        end: start + password.length,
        kind,
      }));
  return [
    ...spans('a password in an address', loginsInAddresses(text)),
    ...spans('a login in a command', loginsInCommands(text)),
    ...spans('a login in a file', loginsInFiles(text)),
    ...spans('a password in a statement', loginsIn(text, STATEMENT)),
    ...spans('a password in a statement', loginsIn(text, LOWER_STATEMENT)),
    ...spans('a cookie', cookiesIn(text)),
  ];
}

/** What two groups of a pattern, `user` and `password`, match; the password is all that the match ends with. */
function loginsIn(text: string, pattern: RegExp): Login[] {
  return [...text.matchAll(pattern)].map(({ index, 0: whole, groups = {} }) => {
    const { user = '', password = '' } = groups;
    return { user, password, start: index + whole.length - password.length };
  });
}

const SCHEME = '\\b[a-z][a-z0-9+.-]{0,20}:\\/\\/';
/** A mail address is a name, too: `smtp://ann@example.org:…@mail` */
const NAME = '(?<user>[^\\s/:\'"<>]{0,100})';
/** As in many addresses that people write, the password may have an `@` itself. */
const PASSWORD = '(?<password>[^\\s/?#\'"<>]{3,200})';
/** `postgres://ann:…@db/shop`, `redis://:…@cache` */
const ADDRESS = new RegExp(`${SCHEME}${NAME}:${PASSWORD}(?=@)`, 'gi');
/** `jdbc:oracle:thin:scott/…@db`, `sqlplus scott/…@db` */
const ORACLE = new RegExp(
  `\\b(?:jdbc:oracle:\\w{1,9}:|sqlplus\\s)${NAME}\\/${PASSWORD}(?=@)`,
  'gi',
);
/** `https://…@github.com/shop.git`, where a token stands alone. */
const TOKEN_ADDRESS = /\bhttps?:\/\/(?<password>[\w-]{20,100})(?=@)/gi;
/** The addresses of Sentry have such an id, which is public. */
const PUBLIC_ID = /^[0-9a-f]{32}$/;

function loginsInAddresses(text: string): Login[] {
  const tokens = loginsIn(text, TOKEN_ADDRESS).filter(
    ({ password }) => looksMade(password) && !PUBLIC_ID.test(password),
  );
  return [...loginsIn(text, ADDRESS), ...loginsIn(text, ORACLE), ...tokens];
}

/** `.netrc`: "machine x login ann password …" */
const NETRC =
  /\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?<password>\S{4,200})/g;
const HOST_AND_PORT = '(?:[\\w.-]+|\\*):(?:\\d{4,5}|\\*)';
const COLUMN = '[^:\\s]{1,60}';
/** Alone on its line, perhaps indented or in a list, or in quotes: `echo "host:5432:…" >> ~/.pgpass` */
const LINE_START = '(?:^[ \\t>*-]{0,20}|["\'`]|pgpass:[ \\t])';
const LINE_END = '(?=["\'`]?(?:\\s|$))';
/** `.pgpass`: "host:5432:database:ann:…". A backslash stands before a colon that belongs to the password. */
const PGPASS = new RegExp(
  `${LINE_START}${HOST_AND_PORT}:${COLUMN}:(?<user>${COLUMN}):(?<password>(?:\\\\.|[^\\s:]){6,200}?)${LINE_END}`,
  'gm',
);
const DIRECTIVES = '(?:requirepass|masterauth|bindpw|rootpw)';
/** `redis.conf`, `ldap.conf`, a kickstart file */
const DIRECTIVE = new RegExp(
  `^[ \\t]*${DIRECTIVES}[ \\t]+(?<password>[^\\s-]\\S{5,200})`,
  'gm',
);
/** `_auth = …` in `.npmrc`, `"auth": "…"` in Docker's configuration: name and password in base64. */
const NPM_AUTH =
  /\b_auth\s{0,4}=\s{0,4}["']?(?<password>[\w+/]{12,400}={0,2})/g;
const DOCKER_AUTH =
  /"auth"\s{0,4}:\s{0,4}"(?<password>[\w+/]{12,400}={0,2})(?=")/g;
/** "user ann", "login ann" */
const USER = '\\b(?:login|user(?:name)?)\\s\\S{1,60}';
/** "user ann pass …", "login ann password …" */
const USER_AND_PASSWORD = new RegExp(
  `${USER}\\spass(?:word)?\\s(?<password>\\S{6,200})`,
  'gi',
);
const IN_QUOTES = `(?<password>[^"'\\n]{4,200})`;
/** "ann@example.org / …" */
const MAIL_AND_PASSWORD =
  /[\w.+-]{1,60}@[\w.-]{1,60}\.\w{2,10}[ \t]\/[ \t](?<password>[^\s/]{8,200})/g;
/** `auth=('ann', '…')` */
const PAIR = new RegExp(
  `\\bauth\\s?=\\s?\\(["'](?<user>[^"'\\n]{1,60})["'],\\s?["']${IN_QUOTES}`,
  'g',
);
/** PowerShell: "ConvertTo-SecureString '…' -AsPlainText" */
const SECURE_STRING = new RegExp(
  `\\bConvertTo-SecureString\\s(?:-String\\s)?["']${IN_QUOTES}`,
  'g',
);
const READS_PASSWORD =
  '(?:sudo -S|chpasswd|passwd|(?:docker|podman) login|cryptsetup)';
/** "echo … | sudo -S", "echo ann:… | chpasswd" */
const PIPED = new RegExp(
  `\\becho\\s["']?(?:[\\w.-]+:)?(?<password>[^\\s"'|]{6,200})(?=["']?\\s{0,4}\\|\\s{0,4}${READS_PASSWORD}\\b)`,
  'g',
);

function loginsInFiles(text: string): Login[] {
  const isEncoded = ({ password }: Login): boolean => /[\d=+/]/.test(password);
  return [
    ...loginsIn(text, NETRC),
    ...loginsIn(text, PGPASS),
    ...loginsIn(text, DIRECTIVE),
    ...loginsIn(text, PIPED),
    ...loginsIn(text, SECURE_STRING),
    ...loginsIn(text, PAIR),
    ...loginsIn(text, NPM_AUTH).filter(isEncoded),
    ...loginsIn(text, DOCKER_AUTH).filter(isEncoded),
    ...[USER_AND_PASSWORD, MAIL_AND_PASSWORD]
      .flatMap((pattern) => loginsIn(text, pattern))
      .filter(({ password }) => looksMade(password)),
  ];
}

const SETS_PASSWORD =
  '\\b(?:IDENTIFIED (?:WITH \\w+ )?BY|PASSWORD(?: FOR [^=\\n]{1,80}=)?)';
/** SQL: "IDENTIFIED BY '…'", "WITH PASSWORD '…'", "SET PASSWORD FOR x = '…'" */
const STATEMENT = new RegExp(
  `${SETS_PASSWORD}[ \\t]+(["'])(?<password>[^"'\\n]{6,200})(?=["'])`,
  'g',
);

/** The same in lower case, where "password '…'" alone may be a sentence. */
const SETS_PASSWORD_IN_LOWER_CASE =
  '\\b(?:identified by|with (?:encrypted )?password)';
const LOWER_STATEMENT = new RegExp(
  `${SETS_PASSWORD_IN_LOWER_CASE}[ \\t]+'(?<password>[^'\\n]{6,200})(?=')`,
  'g',
);

const COOKIES = /\b(?:set-)?cookie["']?\s{0,4}[:=][\s"']{0,4}([^\n]{1,2000})/gi;
const COOKIE = /[\w.-]{1,60}=(?<password>[\w%.~+/-]{16,400})/g;

/** "Cookie: theme=dark; session=…": values of 16 characters and more. */
function cookiesIn(text: string): Login[] {
  return [...text.matchAll(COOKIES)].flatMap(
    ({ index, 0: whole, 1: list = '' }) => {
      const offset = index + whole.length - list.length;
      return loginsIn(list, COOKIE)
        .filter(({ password }) => looksMade(password))
        .map((login) => ({ ...login, start: offset + login.start }));
    },
  );
}
