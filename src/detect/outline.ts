import { cleanText, readLines, parseField } from './field-line.ts';
import type { Box } from './phase-progress.ts';
import { MAX_LINES } from '../markdown/lines.ts';

/** What every plan format is made of: headings, check boxes and fields. */
export interface Outline {
  /** Labels are in lower case, with spaces for underscores. */
  frontMatter: ReadonlyMap<string, string>;
  /** The first heading of level 1. */
  title: string | undefined;
  /** In the order of the document; the first one has level 0 and holds what comes before any heading. */
  sections: OutlineSection[];
}

export interface OutlineSection {
  level: number;
  heading: string;
  /** `Label: value` lines, the first of each label. */
  fields: Map<string, string>;
  boxes: OutlineBox[];
}

export interface OutlineBox extends Box {
  isOptional: boolean;
}

export function readOutline(text: string): Outline {
  const { frontMatter, body } = splitFrontMatter(text);
  let section: OutlineSection = { level: 0, heading: '', fields: new Map(), boxes: [] };
  const sections = [section];
  let indents: number[] = [];
  for (const { text: line, heading, item, field } of readLines(body)) {
    // Text directly above a rule is a heading by Markdown's rules, but in plans it is a paragraph that ends a section.
    if (heading && (!heading.isUnderlined || (heading.level === 1 && heading.lines === 1))) {
      section = { level: heading.level, heading: heading.text, fields: new Map(), boxes: [] };
      sections.push(section);
      indents = [];
    } else if (item?.box && !line.trimStart().startsWith('>')) {
      const { box: state, isOptional, indent } = item;
      indents = indents.filter((outer) => outer < indent);
      if (item.text !== '')
        section.boxes.push({ state, isOptional, text: item.text, depth: indents.length });
      indents.push(indent);
    } else if (field && !section.fields.has(field.label)) {
      section.fields.set(field.label, field.value);
    }
  }
  const title = sections.find(({ level }) => level === 1)?.heading;
  return { frontMatter, title: title === undefined ? title : cleanText(title), sections };
}

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
    frontMatter: new Map(
      fields.map(({ label, value }) => [label, value.replace(/^(["'])(.*)\1$/, '$2')]),
    ),
    body,
  };
}

// It has to start with a key, after comments at most: the first line of a plan may also be a rule.
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?=((?:[ \t]*(?:#[^\r\n]*)?\r?\n){0,100})\w[\w -]{0,40}:)([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
