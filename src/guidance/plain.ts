// Written out, because Unicode classes take a hook milliseconds to prepare.
const INVISIBLE =
  /(?:[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F\uDD00-\uDDEF])+/g;
const CONTROL =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F\uDD00-\uDDEF]/g;

// Half of a character, which a JSON escape can make.
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text of others as one harmless line: it cannot start a heading of ours, hide itself, or open a tag of the host. */
export function oneLine(text: string): string {
  return withoutTags(text.replace(INVISIBLE, ' ').replace(LONE, '\uFFFD').trim());
}

/** Text of others in its own lines, each harmless by itself. */
export function plainLines(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r\n|[\n\r]/)
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      return `${indent}${oneLine(line)}`;
    });
}

/** Content of a file as data: in a fence that it cannot close. */
export function fenced(content: string): string {
  const visible = withoutTags(
    content.replace(/\r\n?/g, '\n').replace(CONTROL, ' ').replace(LONE, '\uFFFD'),
  ).replace(/\n+$/, '');
  const longest = Math.max(2, ...(visible.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${visible}\n${fence}`;
}

/** The host speaks to the model in tags like these; from a file they are only letters. */
const HOST_TAG =
  /<(?=(?:[\s/]|\u200C|\u200D|[\uFE00-\uFE0F]){0,20}(?:invoke|parameter|system|antml|function|command|local-command|user|assistant|human|tool|task|bash|hook|ide|persisted|new-diagnostics|session)[\w:-]*)/gi;

/** Also where something invisible stands in the tag. */
export function opensHostTag(text: string): boolean {
  return text.replace(INVISIBLE, ' ').search(HOST_TAG) >= 0;
}

function withoutTags(text: string): string {
  return text.replace(HOST_TAG, '&lt;');
}

/** At most `max` characters, never half of one. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

/** A value of the run's context as people write it: `key: value`, or the key alone where it is simply so. */
export function entryLine(key: string, value: unknown): string {
  if (value === true) return oneLine(key);
  return `${oneLine(key)}: ${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`;
}

/** Enough of a session's id to tell it from the others. */
export function shortId(session: string): string {
  return Array.from(oneLine(session)).slice(0, 8).join('');
}
