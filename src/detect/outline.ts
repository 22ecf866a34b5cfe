import { MAX_LINES } from '../markdown/lines.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import type { Heading, MarkdownLine } from '../markdown/types.ts';
import { cleanText, parseField } from './field-line.ts';
import { splitFrontMatter } from './front-matter.ts';
import { TICKS } from './marks.ts';
import type { BoxState } from './phase-progress.ts';

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
  boxes: Box[];
}

export interface Box {
  state: BoxState;
  /** Written as `- [ ]* text`. */
  isOptional: boolean;
  text: string;
  /** The number of boxes that this one is nested in. */
  depth: number;
}

export function readOutline(text: string): Outline {
  const { frontMatter, body } = splitFrontMatter(text);
  let section = newSection(0, '');
  const sections = [section];
  let title: string | undefined;
  let indents: number[] = [];
  for (const line of scanMarkdown(body, { maxLines: MAX_LINES, hideStruckText: true })) {
    if (line.kind === 'code') continue;
    const heading = headingOf(line);
    if (heading) {
      section = newSection(heading.level, heading.text);
      sections.push(section);
      indents = [];
      if (heading.level === 1) title ??= cleanText(heading.text);
      continue;
    }
    const match = BOX.exec(line.text);
    if (match) {
      const [whole, indent = '', mark = '', star] = match;
      indents = indents.filter((outer) => outer < indent.length);
      const item = line.text.slice(whole.length).trim();
      if (item !== '') {
        const state = BOX_STATES.get(mark) ?? 'ticked';
        section.boxes.push({
          state,
          isOptional: star !== undefined,
          text: item,
          depth: indents.length,
        });
      }
      indents.push(indent.length);
      continue;
    }
    const field = line.text.includes(':') ? parseField(line.text) : undefined;
    if (field && !section.fields.has(field.label)) section.fields.set(field.label, field.value);
  }
  return { frontMatter, title, sections };
}

// A date or a label in brackets is longer than a mark, and a link has no space behind the bracket.
const BOX = new RegExp(
  String.raw`^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[([ \-~${TICKS}])\ufe0f?\](\*)?(?:\s+|$)`,
);
const BOX_STATES: ReadonlyMap<string, BoxState> = new Map([
  [' ', 'open'],
  ['-', 'under way'],
  ['~', 'under way'],
]);

function newSection(level: number, heading: string): OutlineSection {
  return { level, heading, fields: new Map(), boxes: [] };
}

/** Text directly above a rule is a heading by Markdown's rules, but in plans it is a paragraph that ends a section. */
function headingOf({ heading }: MarkdownLine): Heading | undefined {
  if (!heading?.isUnderlined) return heading;
  return heading.level === 1 && heading.lines === 1 ? heading : undefined;
}
