import {
  isConstantName,
  isKeyVariable,
  isUserLabel,
  isVariableName,
  LAST_WORD,
  saysSecret,
} from './names.ts';
import {
  endOfLine,
  matchAt,
  valueAt,
  type Place,
  type Value,
} from './values.ts';

/** What binds a value to its name. How sure it is that a value follows depends on it. */
export type Sign =
  /** `TOKEN=x`, `token := x`, `token || "x"`, `<token>x</token>`, `name="token" value="x"`, a field of a run */
  | 'equals'
  /** `token: x`, `token => x` */
  | 'colon'
  /** `--token x` */
  | 'option'
  /** "the token is x", the next cell of a table, `f('token', 'x')` */
  | 'loose'
  /** "the token x", `ENV TOKEN x`, a cell below the name in a table */
  | 'space';

/** A name that says secret, and what is assigned to it in a text. */
export interface Assignment extends Value {
  name: string;
  sign: Sign;
  /** Whether white space stands before the value, as in `token = x`. */
  isSpaced: boolean;
  /** What follows the value on its line. */
  rest: string;
  /** Whether it is a line of its own beside others of the same form, as in YAML. */
  isInConfig: boolean;
  /** Whether the name of a user stands before it: "user: ann, password: x". */
  isAfterUser: boolean;
}

/** All values in a text that are assigned to a name that says secret. */
export function findAssignments(text: string): Assignment[] {
  const found: Assignment[] = [];
  let checkedTo = 0;
  for (const { index, 0: word } of text.matchAll(LAST_WORD)) {
    if (index < checkedTo) continue;
    checkedTo = endOfName(text, index + word.length);
    const name = nameBefore(text, checkedTo);
    if (!mayNameSecret(name.text)) continue;
    const assignment = assignmentOf(text, name);
    if (assignment === null) continue;
    found.push(assignment);
    // Names in a word that is longer than any command would each have nearly all of it as their value.
    if (!assignment.isQuoted && assignment.value.length > MAX_WORD_CHARS)
      checkedTo = assignment.end;
  }
  return found;
}

const mayNameSecret = (name: string): boolean =>
  saysSecret(name) || isUserLabel(name) || isKeyVariable(name);

const MAX_WORD_CHARS = 1_000;

/** A name in a text, as far as it matters: "the staging access key", `spring.datasource.password`. */
interface Name {
  text: string;
  /** Its last word, without those before it that are apart: "key", `spring.datasource.password`. */
  word: string;
  start: number;
  end: number;
}

const MAX_NAME_CHARS = 60;
const MAX_NAME_WORDS = 4;

/** `_PROD` of `TOKEN_PROD`; the dot in "the token. Then" ends a sentence. */
const SUFFIX = /(?:[-.]?[\p{L}\p{N}_]+)*/uy;

function endOfName(text: string, from: number): number {
  return (
    from +
    (matchAt(SUFFIX, text.slice(from, from + MAX_NAME_CHARS), 0)?.[0].length ??
      0)
  );
}

function nameBefore(text: string, end: number): Name {
  const before = text.slice(Math.max(0, end - MAX_NAME_CHARS), end);
  const [phrase = ''] = /[\p{L}\p{N}_$/. -]*$/u.exec(before) ?? [];
  const sentence = phrase.slice(phrase.lastIndexOf('. ') + 1);
  const words = sentence.trimStart().split(' ').slice(-MAX_NAME_WORDS);
  const name = words.join(' ');
  return {
    text: name,
    word: words.at(-1) ?? '',
    start: end - name.length,
    end,
  };
}

/** Of a value that stands alone on the next line: `password: |` in YAML, "Password:" in a note. */
const LINE_BREAK = /[*_]{0,3}(?:[|>][+-]?)?[ \t]{0,20}\n[ \t\n]{1,20}/y;
/** Authorization names a scheme before the value: `Authorization: token x`. */
const SCHEME = /(?:basic|bearer|token|bot|digest|apikey)[ \t]+/iy;
const MAX_REST_CHARS = 200;

function assignmentOf(text: string, name: Name): Assignment | null {
  const sign = signAfter(text, name);
  if (sign === null) return null;
  const lineBreak =
    sign.kind === 'colon' ? lengthAt(LINE_BREAK, text, sign.end) : 0;
  const scheme = /authorization$/i.test(name.text)
    ? lengthAt(SCHEME, text, sign.end)
    : 0;
  const at = sign.end + lineBreak + scheme;
  const isSpaced = /[ \t]/.test(text[sign.end - 1] ?? '');
  const value = valueAt(
    text,
    at,
    name.text,
    placeOf(text, name, sign.kind, isSpaced),
  );
  // In `"token=" + x`, the quote behind the sign closes what began before the name.
  const isClosing = !sign.isNameClosed && text[name.start - 1] === text[at];
  if (value === null || (value.isQuoted && isClosing)) return null;
  const lineEnd = endOfLine(text, value.end);
  const rest = text.slice(
    value.end,
    Math.min(lineEnd, value.end + MAX_REST_CHARS),
  );
  // Below `token:`, there may be other names: `type: string`.
  const isAlone = rest.trim() === '' && !value.value.endsWith(':');
  if (lineBreak > 0 && !isAlone) return null;
  const isInConfig = lineBreak > 0 || isConfigLine(text, name.start, lineEnd);
  return {
    name: name.text,
    sign: sign.kind,
    isSpaced,
    ...value,
    rest,
    isInConfig,
    isAfterUser: AFTER_USER.test(beforeWord(text, name)),
  };
}

/** "user: ann, password", "ann@example.org password" */
const AFTER_USER =
  /(?:\b(?:user(?:name)?|login|benutzer)[ \t]?[:=][ \t]?\S+|\S@\S+)[ \t,;/|]+$/i;

/** What stands on the line before the last word of a name. */
function beforeWord(text: string, { word, end }: Name): string {
  const wordStart = end - word.length;
  const before = text.slice(Math.max(0, wordStart - MAX_LINE_CHARS), wordStart);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** Where an assignment stands, which decides what ends its value without quotes: `?token=x&…`, `TOKEN=x`, other text. */
function placeOf(
  text: string,
  name: Name,
  sign: Sign,
  isSpaced: boolean,
): Place {
  if (/[?&]/.test(text[name.start - 1] ?? '')) return 'address';
  const isVariable =
    sign === 'equals' && !isSpaced && isConstantName(name.word);
  return isVariable ? 'variable' : 'text';
}

/** What closes the name itself: `"token"`, `**token**`, `env["token"]`, `<b>token</b>`, `\"token\"`. */
const CLOSERS = /(?:["'`*\\\]]|<\/[a-z]{1,9}>){0,5}/iy;

const IN_BRACKETS = '\\([^()\\n]{0,40}\\)';
const PREPOSITION = '(?:for|of|on|at|to|für)[ \\t]';
const ONE_TO_FIVE_WORDS = '(?:[\\p{L}\\p{N}_-]+[ \\t]){0,4}?[\\p{L}\\p{N}_-]+';
const IS = '(?:is|was|are|ist|war|lautet|es|est|é)';
const BEFORE_SIGN = `(?=[ \\t]*[:=→-]|[ \\t]+${IS}[ \\t])`;
/** "token (staging): …", "password for the new server is …" */
const REMARK = new RegExp(
  `[ \\t]{1,4}(?:${IN_BRACKETS}|${PREPOSITION}${ONE_TO_FIVE_WORDS})${BEFORE_SIGN}`,
  'uy',
);

const AFTER_FIELD = '[,\\s{]{1,40}';
const VALUE_NAMES = '(?:value|default|content|body)';
/** `"name": "TOKEN", "value": "x"`, the same in YAML, `set TOKEN --body "x"`, `variable "token" { default = "x" }` */
const VALUE_FIELD = new RegExp(
  `${AFTER_FIELD}(?:--|["'])?${VALUE_NAMES}["']?[ \\t]*[ :=][ \\t]*`,
  'y',
);

const SIGNS: readonly (readonly [Sign, RegExp])[] = [
  // `a == b`, `a =~ b` compare.
  ['equals', /[ \t]{0,20}(?::=|=(?![=~>]))[ \t]{0,20}/y],
  // What counts where nothing else is set: `process.env.TOKEN || "x"`, `${TOKEN:-x}`
  ['equals', /[ \t]{0,20}(?:\|\||\?\?)[ \t]{0,20}(?=["'`])/y],
  ['equals', /:-(?=[^\s}])/y],
  // A variable with its type: `token: String = "x"`
  [
    'equals',
    /[ \t]{0,4}:[ \t]{0,4}&?[\w<>.]{1,30}[ \t]{0,4}=[ \t]{0,4}(?=["'`])/y,
  ],
  // `<property name="password"><value>x</value>`
  ['equals', />?\s{0,20}<value>[ \t]*/y],
  ['colon', /[ \t]{0,20}(?:=>|->|→)[ \t]{0,20}/y],
  // `::` and `://` belong to code and addresses. French has a space before the sign.
  ['colon', /[ \t\u00a0]{0,4}[:：](?![:=]|\/\/)[ \t]{0,20}/y],
  ['loose', new RegExp(`[ \\t]+${IS}(?:[ \\t]?:[ \\t]?|[ \\t]+)`, 'y')],
  ['loose', /[ \t]+[-–—][ \t]+/y],
  // `<td>Token</td><td>x</td>`, `<key>Token</key><string>x</string>`
  ['loose', /\s{0,20}<(?:t[dh]|string)>[ \t]*/y],
  ['equals', VALUE_FIELD],
];
/** `f('token', 'x')` */
const ARGUMENT = /[ \t]*,[ \t]*(?=["'])/y;
/** The next cell of a table in Markdown. */
const CELL = /[ \t]*\|[ \t]*/y;
const SPACE = /[ \t]+/y;

interface FoundSign {
  kind: Sign;
  end: number;
  /** Whether quotes or brackets close the name before the sign. */
  isNameClosed: boolean;
}

function signAfter(text: string, name: Name): FoundSign | null {
  const closers = matchAt(CLOSERS, text, name.end)?.[0] ?? '';
  const isNameClosed = closers !== '';
  const at = name.end + closers.length;
  // `<password>x</password>`
  if (text[name.start - 1] === '<' && text[at] === '>')
    return { kind: 'equals', end: at + 1, isNameClosed };
  const remark = isNameClosed ? 0 : lengthAt(REMARK, text, at);
  // In CSS, `[type="password"]:focus` selects; in `arn:aws:secret:x`, the name is a part of another.
  const isPart =
    text[name.end - name.word.length - 1] === ':' || closers.includes(']');
  const [from, sign, length] = firstSign(text, [at, at + remark]);
  if (
    sign !== undefined &&
    !(isPart && text.slice(from, from + length).includes(':'))
  )
    return { kind: sign, end: from + length, isNameClosed };
  // What follows `$token` or `~/.ssh/deploy_key` is not what the variable or the file holds.
  if (/^\$|\//.test(name.word)) return null;
  const argument = /["']/.test(closers) ? lengthAt(ARGUMENT, text, at) : 0;
  if (argument > 0) {
    const kind = isVariableName(name.text) ? 'equals' : 'loose';
    return { kind, end: at + argument, isNameClosed };
  }
  const cell = isInTable(text, name.start) ? lengthAt(CELL, text, at) : 0;
  if (cell > 0) return { kind: 'loose', end: at + cell, isNameClosed };
  const space = lengthAt(SPACE, text, at);
  if (space === 0) return null;
  const isOption = /^--?[a-z]/i.test(name.word) && !isNameClosed;
  return { kind: isOption ? 'option' : 'space', end: at + space, isNameClosed };
}

function firstSign(
  text: string,
  places: readonly number[],
): [from: number, sign: Sign | undefined, length: number] {
  for (const from of places) {
    for (const [sign, pattern] of SIGNS) {
      const length = lengthAt(pattern, text, from);
      if (length > 0) return [from, sign, length];
    }
  }
  return [0, undefined, 0];
}

const MAX_LINE_CHARS = 300;

/** Whether the line begins a row of a table in Markdown. */
function isInTable(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_LINE_CHARS), at);
  return /^[ \t>]*\|/.test(before.slice(before.lastIndexOf('\n') + 1));
}

/** `name: value`, alone on its line. */
const CONFIG_LINE = /^[ \t]*(?:- )?["']?[\w.-]+["']?:(?:[ \t]+\S+)?[ \t]*$/;

function isConfigLine(
  text: string,
  nameStart: number,
  lineEnd: number,
): boolean {
  const [start = '', above = ''] = text
    .slice(Math.max(0, nameStart - MAX_LINE_CHARS), nameStart)
    .split('\n')
    .toReversed();
  const line = start + text.slice(nameStart, lineEnd);
  const below =
    text.slice(lineEnd + 1, lineEnd + MAX_LINE_CHARS).split('\n', 1)[0] ?? '';
  return (
    CONFIG_LINE.test(line) &&
    (CONFIG_LINE.test(above) || CONFIG_LINE.test(below))
  );
}

const lengthAt = (pattern: RegExp, text: string, at: number): number =>
  matchAt(pattern, text, at)?.[0].length ?? 0;
