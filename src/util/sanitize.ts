// Written out, because Unicode classes take a hook milliseconds to prepare. Joiners and variation selectors belong to
// words and pictures, but a row of them to none.
const INVISIBLE =
  /(?:[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF0-\uFFFB]|[\uDB40-\uDB43][\uDC00-\uDFFF]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|(?:\u200C|\u200D|[\uFE00-\uFE0F]){4,})+/g;
const CONTROL =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF0-\uFFFB]|[\uDB40-\uDB43][\uDC00-\uDFFF]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|(?:\u200C|\u200D|[\uFE00-\uFE0F]){4,}/g;

// Most lines are of these alone, and the patterns above take a hook half a millisecond to prepare.
const ORDINARY = /^[ -~]*$/;

// Half of a character, which a JSON escape can make.
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text of others as one harmless line: it cannot start a heading of ours, hide itself, or open a tag of the host. */
export function sanitizeLine(text: string): string {
  return withoutFeedbackTags(harmless(text));
}

function harmless(text: string): string {
  const visible = ORDINARY.test(text) ? text : text.replace(INVISIBLE, ' ').replace(LONE, '\uFFFD');
  return withoutHostTags(visible.trim());
}

/** Text of others in its own lines, each harmless by itself. */
export function sanitizeLines(text: string): string[] {
  return linesOf(text).map((line) => `${indentOf(line)}${sanitizeLine(line)}`);
}

/** The same for words that feedback of ours was joined to. */
export function sanitizeLinesWithFeedback(text: string): string[] {
  return linesOf(text).map((line) => `${indentOf(line)}${harmless(line)}`);
}

function linesOf(text: string): string[] {
  return text.trimEnd().split(/\r\n|[\n\r]/);
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? '';
}

/** Content of a file as data: in a fence that it cannot close. */
export function fenced(content: string): string {
  const visible = withoutFeedbackTags(
    withoutHostTags(content.replace(/\r\n?/g, '\n').replace(CONTROL, ' ').replace(LONE, '\uFFFD')),
  ).replace(/\n+$/, '');
  const runs = visible.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${visible}\n${fence}`;
}

/**
 * The host speaks to the model in tags like these, and reads its summaries by them; from a file they are only letters.
 * Letters with something between them that nobody sees are the same to a model.
 */
const HOST_TAG =
  /^<[\s/]*(?:invoke|parameter|system|antml|function|command|local-command|user|assistant|human|tool|task|bash|hook|[\w-]{1,40}-hook\b|ide|persisted|new-diagnostics|session|sandbox_violations|cc[-_]|cross[-_]session|claude[-_]?md|pasted_content|previous-conversation|memory_|truncated-output|interrupted-output|partial-response|subagent|teammate|webhook-payload|fork-boilerplate|autonomous-loop|repl-output|mcp-|summary|analysis|thinking)/i;
const TAG_LIKE = /<[^<>]*/g;
const UNSEEN =
  /\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180D]|\u180F|\u200C|\u200D|\u3164|[\uFE00-\uFE0F]|\uFFA0/g;

/** Also where something invisible stands in the tag. */
export function opensHostTag(text: string): boolean {
  const line = text.replace(INVISIBLE, ' ');
  return withoutHostTags(line) !== line;
}

export function withoutHostTags(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(TAG_LIKE, (start) =>
    HOST_TAG.test(start.replace(UNSEEN, '')) ? `&lt;${start.slice(1)}` : start,
  );
}

/** A tag of ours, by which the model knows feedback: only a pivot gives one. */
const FEEDBACK_TAG = /\[([\w\s-]{0,200}_PIVOT_FEEDBACK)\s*\]/gi;

export function withoutFeedbackTags(text: string): string {
  return /_PIVOT_FEEDBACK/i.test(text) ? text.replace(FEEDBACK_TAG, '($1)') : text;
}

/** At most `max` characters, never half of one. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

/** A value of the run's context as people write it: `key: value`, or the key alone where it is simply so. */
export function formatEntry(key: string, value: unknown): string {
  if (value === true) return sanitizeLine(key);
  return `${sanitizeLine(key)}: ${sanitizeLine(typeof value === 'string' ? value : JSON.stringify(value))}`;
}

/** Enough of a session's id to tell it from the others. */
export function shortId(session: string): string {
  return Array.from(sanitizeLine(session)).slice(0, 8).join('');
}
