import { MAX_LINES } from '../markdown/lines.ts';
import { parseField } from './field-line.ts';

/** Only plain `key: value` lines are parsed: a status needs nothing else of YAML. */
export function splitFrontMatter(text: string): {
  frontMatter: ReadonlyMap<string, string>;
  body: string;
} {
  const block = FRONT_MATTER.exec(text);
  if (!block) return { frontMatter: new Map(), body: text };
  const [whole, comments = '', yaml = ''] = block;
  const body = text.slice(whole.length);
  // A rule, a title and a status above another rule look the same; then there is no other title.
  if (comments.includes('#') && !/^(?:#[ \t]|=+[ \t]*\r?$)/m.test(body)) {
    return { frontMatter: new Map(), body: text };
  }
  const fields = yaml
    .split(/\r?\n/, MAX_LINES)
    .filter((line) => /^[a-z]/i.test(line))
    .flatMap((line) => parseField(line) ?? []);
  return {
    frontMatter: new Map(fields.map(({ label, value }) => [label, unquoted(value)])),
    body,
  };
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/, '$2');
}

// It has to start with a key, after comments at most: the first line of a plan may also be a rule.
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?=((?:[ \t]*(?:#[^\r\n]*)?\r?\n){0,100})\w[\w -]{0,40}:)([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
