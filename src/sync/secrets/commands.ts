import type { Login } from './spans.ts';

/*
 * Passwords in shell commands. An option without a name, like `-p`, is a password for one program and a port for another.
 */

/** Which part of an option's word is the password. */
type Part =
  /** `-p x` */
  | 'next word'
  /** `-px`, `-p"x"` */
  | 'rest of word'
  /** `-u ann:x`, `--user=ann:x` */
  | 'after colon'
  /** `-U ann%x` */
  | 'after percent'
  /** `-b file ann x` */
  | 'last word';

interface SecretOption {
  programs: readonly string[];
  options: readonly string[];
  part: Part;
}

const secretOption = (
  programs: string,
  options: string,
  part: Part,
): SecretOption => ({
  programs: programs.split(' '),
  options: options.split(' '),
  part,
});

const SECRET_OPTIONS: readonly SecretOption[] = [
  secretOption('curl', '-u --user -U --proxy-user', 'after colon'),
  secretOption('http https xh', '-a --auth', 'after colon'),
  secretOption('openssl', '-pass -passin -passout', 'after colon'),
  secretOption('openssl', '-k', 'next word'),
  secretOption('smbclient rpcclient net', '-U', 'after percent'),
  secretOption('sshpass', '-p', 'next word'),
  secretOption('sshpass 7z 7za rar unrar', '-p', 'rest of word'),
  secretOption('mongo mongosh mongodump mongorestore', '-p', 'next word'),
  secretOption(
    'mysql mysqldump mysqladmin mysqlimport mariadb',
    '-p',
    'rest of word',
  ),
  secretOption('docker podman skopeo buildah az oc', '-p', 'next word'),
  secretOption(
    'ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami',
    '-w',
    'next word',
  ),
  secretOption(
    'sqlcmd bcp mosquitto_pub mosquitto_sub zip unzip',
    '-P',
    'next word',
  ),
  secretOption('ssh-keygen', '-N', 'next word'),
  secretOption('redis-cli', '-a', 'next word'),
  secretOption('htpasswd', '-b -bc -cb -nb -bn -bB -Bb -nbB -cbB', 'last word'),
];

const PROGRAMS = [
  ...new Set(SECRET_OPTIONS.flatMap(({ programs }) => programs)),
];
const PROGRAM = new RegExp(
  `(?<![\\w.-])(${PROGRAMS.join('|')})(?:\\.exe)?(?=[ \\t])`,
);
/** Of these, only `login` takes a password: `docker run -p 8080:80` opens a port. */
const WITH_LOGIN = new Set([
  'docker',
  'podman',
  'skopeo',
  'buildah',
  'az',
  'oc',
]);

/** In an address, `&` and `;` stand without white space. */
const BETWEEN_COMMANDS = /\n|[ \t](?:&&|\|\|?|;)[ \t]|;[ \t]/g;
const MAX_COMMAND = 4_000;
const MIN_PASSWORD = 4;

export function loginsInCommands(text: string): Login[] {
  // A command may go on in the next line. Both have the same length, so that places stay what they are.
  const joined = text.replaceAll('\\\n', '  ');
  const ends = [...joined.matchAll(BETWEEN_COMMANDS)].map(({ index }) => index);
  const logins: Login[] = [];
  let start = 0;
  for (const end of [...ends, joined.length]) {
    const command = joined.slice(start, Math.min(end, start + MAX_COMMAND));
    logins.push(...loginsInCommand(command, start));
    start = end;
  }
  return logins.filter(({ password }) => password.length >= MIN_PASSWORD);
}

/** A word of a command without its quotes; `end` is behind the closing one. */
interface Word {
  text: string;
  start: number;
  end: number;
}

function loginsInCommand(command: string, offset: number): Login[] {
  const [, name = ''] = PROGRAM.exec(command) ?? [];
  if (name === '') return [];
  const at = command.search(PROGRAM);
  const words = wordsOf(command.slice(at), offset + at);
  if (WITH_LOGIN.has(name) && words[1]?.text !== 'login') return [];
  return SECRET_OPTIONS.filter(({ programs }) =>
    programs.includes(name),
  ).flatMap(({ options, part }) =>
    words.flatMap((word, index) => {
      const password = passwordOf(word, words[index + 1], words.at(-1), {
        options,
        part,
      });
      return password === null ? [] : [password];
    }),
  );
}

/** In a text, backticks stand around a command. */
const WORD = /"(?<double>[^"\n]*)"|'(?<single>[^'\n]*)'|[^\s"'`]+/g;

function wordsOf(command: string, offset: number): Word[] {
  return [...command.matchAll(WORD)].map(({ index, 0: whole, groups }) => {
    const quoted = groups?.['double'] ?? groups?.['single'];
    const start = offset + index + (quoted === undefined ? 0 : 1);
    return { text: quoted ?? whole, start, end: offset + index + whole.length };
  });
}

function passwordOf(
  word: Word,
  next: Word | undefined,
  last: Word | undefined,
  { options, part }: Pick<SecretOption, 'options' | 'part'>,
): Login | null {
  if (part === 'rest of word') {
    const option = options.find((name) => word.text.startsWith(name));
    return option === undefined ? null : restOfWord(word, option, next);
  }
  const option = options.find((name) => isOption(word.text, name));
  if (option === undefined) return null;
  if (part === 'last word') return wholeWord(last);
  const value = word.text.startsWith(`${option}=`)
    ? partOf(word, option.length + 1)
    : next;
  if (part === 'next word') return wholeWord(value);
  return afterSeparator(value, part === 'after colon' ? ':' : '%');
}

/** `-u`, `--user=x`, or the last of several letters: `-su` */
function isOption(word: string, option: string): boolean {
  const isLetter = /^-\w$/.test(option);
  const isLast =
    isLetter && /^-[a-zA-Z]{1,4}$/.test(word) && word.endsWith(option.slice(1));
  return word === option || word.startsWith(`${option}=`) || isLast;
}

const partOf = ({ text, start, end }: Word, from: number): Word => ({
  text: text.slice(from),
  start: start + from,
  end,
});

function wholeWord(word: Word | undefined): Login | null {
  if (word === undefined || word.text.startsWith('-')) return null;
  return { user: '', password: word.text, start: word.start };
}

/** In `-p"x"`, a quote follows the option without white space; in `-p shop`, no password does. */
function restOfWord(
  word: Word,
  option: string,
  next: Word | undefined,
): Login | null {
  if (word.text !== option) return wholeWord(partOf(word, option.length));
  const isAttached =
    next !== undefined && next.start === word.end + 1 && next.end > next.start;
  const isQuoted = isAttached && next.end === next.start + next.text.length + 1;
  return isQuoted ? wholeWord(next) : null;
}

/** `env:NAME` and `file:path` of openssl say where the password is. */
const ELSEWHERE = new Set(['env', 'file', 'fd']);

function afterSeparator(
  word: Word | undefined,
  separator: string,
): Login | null {
  const at = word?.text.indexOf(separator) ?? -1;
  if (word === undefined || at < 0) return null;
  const user = word.text.slice(0, at);
  if (ELSEWHERE.has(user)) return null;
  return {
    user,
    password: word.text.slice(at + 1),
    start: word.start + at + 1,
  };
}
