/** No title and no value of a file fills a screen or a context; `holdfast show` has them whole. */
const MAX_LINE_CHARS = 10_000;

/** Untrusted text as one line that cannot start a heading, hide anything, open a tag of the host, or go on for ever. */
export const sanitizeLine = (text: string): string =>
  truncate(wholeLine(text), MAX_LINE_CHARS);

const MAX_TITLE_CHARS = 200;

/** The same for a name, beside which other things have to be seen. */
export const sanitizeTitle = (text: string): string =>
  truncate(wholeLine(text), MAX_TITLE_CHARS);

/** The same without a bound, for lists that cut their entries themselves and say how much is missing. */
export const wholeLine = (text: string): string =>
  withoutFeedbackTags(sanitizeExceptFeedback(text));

function sanitizeExceptFeedback(text: string): string {
  const visible = text
    .replace(HIDDEN_IN_LINE, ' ')
    .replace(LONE_SURROGATE, '\uFFFD');
  return withoutHostTags(visible.trim());
}

const MAX_QUOTED = 80;

/**
 * Text of others within a sentence of holdfast: in quotation marks that it cannot close, and without the backticks in
 * which holdfast proposes commands.
 */
export const quoted = (text: string, max = MAX_QUOTED): string =>
  `"${truncate(sanitizeLine(text), max).replaceAll(/["`]/g, "'")}"`;

const MAX_WORD = 200;
/**
 * What ASCII prints, without quotation marks and backticks, and the letters of Latin scripts. Other scripts write whole
 * sentences without a space, and have characters without a glyph, which look like one.
 */
const ONE_WORD = /^[!#-_a-~\u00C0-\u024F]+$/;

/** A path or an id of others within a sentence: one word stands as it is, because it says little; others are quoted. */
export function asWord(text: string, max = MAX_WORD): string {
  const line = truncate(sanitizeLine(text), max);
  return ONE_WORD.test(line) ? line : quoted(text, max);
}

/** Untrusted text line by line, each sanitized; indentation is kept. */
export function sanitizeLines(text: string, sanitize = wholeLine): string[] {
  const lines = text.trimEnd().split(/\r\n|[\n\r]/);
  return lines.map((line) => `${/^ */.exec(line)?.[0]}${sanitize(line)}`);
}

/** The same, but feedback tags stay: for text that holdfast has added feedback to. */
export const sanitizeLinesWithFeedback = (text: string): string[] =>
  sanitizeLines(text, sanitizeExceptFeedback);

/** The content of a file in a code fence that it cannot close. */
export function fenced(content: string): string {
  const visible = withoutFeedbackTags(
    withoutHostTags(
      content
        .replace(/\r\n?/g, '\n')
        .replace(HIDDEN_IN_TEXT, ' ')
        .replace(LONE_SURROGATE, '\uFFFD'),
    ),
  ).replace(/\n+$/, '');
  const runs = visible.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${visible}\n${fence}`;
}

/** The names of tags with which a host marks its own text for the model; `/` and blanks may come before them. */
const HOST_TAG_NAMES = [
  // Who speaks.
  'system|user|assistant|human|subagent|teammate|session|cross[-_]session|cc[-_]',
  // Calls of tools and what they return, such as `<bash-stdout>`.
  'invoke|parameter|antml|function|command|local-command|tool|task|bash|mcp-|repl-output',
  'persisted|truncated-output|interrupted-output|partial-response|sandbox_violations',
  // What hooks, files and programs around the conversation add, such as `<post-tool-use-hook>`.
  'hook|[\\w-]{1,40}-hook\\b|webhook-payload|ide|new-diagnostics|claude[-_]?md|memory_',
  'channel|pasted_content|fork-boilerplate|autonomous-loop',
  // What the client or the service says of tools, of the budget and of the time.
  'available[-_]|budget:|total_tokens|tick\\b|env\\b|skill_content',
  // Summaries.
  'summary|analysis|thinking|previous-conversation|state_snapshot',
  // Codex, which gives the text of hooks the rank that these have.
  'permissions|[a-z_]{0,40}instructions|environment_context|context_window',
  'collaboration_mode|multi_?agent|model_switch|turn_aborted|goal_context',
  'personality_spec|realtime_conversation|skills?\\b',
  // Qwen Code and Gemini CLI.
  'qwen:|untrusted_context|activated_skill',
];

/**
 * Tags by which a host talks to the model or reads its summaries. In the content of a file they must not work, also
 * not with invisible characters between the letters, which a model reads as the same tag.
 */
const HOST_TAG = new RegExp(`^<[\\s/]*(?:${HOST_TAG_NAMES.join('|')})`, 'i');
const TAG_LIKE = /<[^<>]*/g;

/** True even if the tag contains hidden characters. */
export function opensHostTag(text: string): boolean {
  const line = text.replace(HIDDEN_IN_LINE, ' ');
  return withoutHostTags(line) !== line;
}

export const withoutHostTags = (text: string): string =>
  text.replace(TAG_LIKE, (start) =>
    HOST_TAG.test(start.replace(IGNORABLE_IN_WORD, ''))
      ? `&lt;${start.slice(1)}`
      : start,
  );

/** The tag that marks feedback for the model. Only `pivot` and `reject` may write one. */
const FEEDBACK_TAG = /\[([\w\s-]{0,200}_PIVOT_FEEDBACK)\s*\]/gi;

export function withoutFeedbackTags(text: string): string {
  const isTagged = text.includes('[') && /_PIVOT_FEEDBACK/i.test(text);
  return isTagged ? text.replace(FEEDBACK_TAG, '($1)') : text;
}

/** At most `max` UTF-16 units, without splitting a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

/** `key: value`, or the key alone if the value is true. */
export function formatEntry(key: string, value: unknown): string {
  if (value === true) return wholeLine(key);
  return `${wholeLine(key)}: ${wholeLine(typeof value === 'string' ? value : JSON.stringify(value))}`;
}

/** The beginning of an id; one from a file may have any characters. */
export const shortId = (session: string): string =>
  session.slice(0, SHORT_ID).replaceAll(/[^\w.:-]/g, '?');

const SHORT_ID = 8;

/** Whether a session id can be a file name as it is; bin/hook.sh accepts no other. */
export const isPlainId = (id: string): boolean => /^[\w-]{1,128}$/.test(id);

/**
 * Which characters count as hidden: a terminal obeys them or shows nothing, so text could use them to look different
 * from what it is. The classes are written out, because Unicode property classes take a hook milliseconds to compile.
 */
const FORMAT_CHARACTERS =
  '\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF0-\\uFFFB';
const SURROGATE_PAIRS =
  '[\\uDB40-\\uDB43][\\uDC00-\\uDFFF]|\\uD82F[\\uDCA0-\\uDCA3]|\\uD834[\\uDD73-\\uDD7A]';
/** One joiner or variation selector is part of a word or an emoji; a row of them is not. */
const JOINER_ROW = '(?:\\u200C|\\u200D|[\\uFE00-\\uFE0F]){4,}';

function hidden(controls: string): string {
  return `(?:[${controls}${FORMAT_CHARACTERS}]|${SURROGATE_PAIRS}|${JOINER_ROW})`;
}

export const PRINTABLE_ASCII = /^[ -~]*$/;

/** In a single line, tabs and line ends are hidden characters, too. */
const HIDDEN_IN_LINE = new RegExp(`${hidden('\\u0000-\\u001F')}+`, 'g');

export const HIDDEN_IN_TEXT = new RegExp(
  hidden('\\u0000-\\u0008\\u000B-\\u001F'),
  'g',
);

/** In serialized JSON, which escapes the ASCII control characters itself. */
export const HIDDEN_IN_JSON = new RegExp(hidden(''), 'g');

/** Half of a surrogate pair, which a JSON escape can produce. */
export const LONE_SURROGATE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Characters without a glyph that may stand between letters without changing how a word looks. */
const IGNORABLE_IN_WORD = new RegExp(
  [
    // A joiner of letters with marks
    '\\u034F',
    // Fillers of Korean syllables
    '\\u115F|\\u1160|\\u3164|\\uFFA0',
    // Vowels of Khmer that are not written
    '\\u17B4|\\u17B5',
    // Selectors of forms in Mongolian
    '[\\u180B-\\u180D]|\\u180F',
    // Joiners of emoji and of letters that would stand apart
    '\\u200C|\\u200D',
    // Selectors of forms
    '[\\uFE00-\\uFE0F]',
  ].join('|'),
  'g',
);

export const hasHiddenCharacters = (line: string): boolean =>
  line.search(HIDDEN_IN_LINE) >= 0;

/** Control, format, surrogate, private and unassigned characters, separators of lines, and what is usually not drawn. */
const INVISIBLE =
  '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
/** Any space but the usual one. */
const OTHER_SPACE = '(?! )\\p{Zs}';

/**
 * Writes every character that a terminal obeys or does not show as its code point, such as `<U+200B>`. This is stricter than
 * what hooks do, and includes all of it: the user approves commands by what is shown.
 */
export function escapeInvisible(text: string): string {
  // Built here, because these classes take a hook milliseconds to compile.
  const invisible = new RegExp(`[${INVISIBLE}]|${OTHER_SPACE}`, 'gu');
  return text.replace(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Behind a margin, so that no line of the text can pass for the output around it. */
export const escapeInvisibleLines = (text: string, margin: string): string[] =>
  text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `${margin}│ ${escapeInvisible(line)}`);
