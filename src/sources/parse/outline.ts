import { phraseMark } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import { BoxReader } from './boxes.ts';
import {
  cleanText,
  readLines,
  splitFrontMatter,
  type Box,
  type SourceLine,
} from './field-line.ts';
import type { PlanPhase } from './phases.ts';

/** A plan, cut into what its parts are about. */
export interface Outline {
  /** Labels are in lower case, with spaces for underscores. */
  frontMatter: ReadonlyMap<string, string>;
  /** The first heading of level 1; empty if there is none. */
  title: string;
  /** In the order of the document; the first one has level 0 and holds what comes before any heading. */
  sections: OutlineSection[];
  lines: SourceLine[];
}

export interface OutlineSection {
  level: number;
  heading: string;
  /** `Label: value` lines, the first of each label. */
  fields: Map<string, string>;
  boxes: Box[];
  /** The items of numbered lists, without those below other items. */
  steps: string[];
}

export function readOutline(text: string): Outline {
  const { frontMatter, body } = splitFrontMatter(text);
  const lines = readLines(body);
  const sections = sectionsOf(lines);
  const title = sections.find(({ level }) => level === 1)?.heading ?? '';
  return { frontMatter, title: cleanText(title), sections, lines };
}

export function sectionsOf(lines: readonly SourceLine[]): OutlineSection[] {
  const reader = new BoxReader();
  let section = newSection(0, '');
  const sections = [section];
  for (const { text: line, heading, item, field } of lines) {
    const box = item && reader.read(item, line);
    if (heading && isHeading(heading)) {
      section = newSection(heading.level, heading.text);
      sections.push(section);
      reader.startSection();
    } else if (box) {
      section.boxes.push(box);
    } else if (STEP.test(line) && item?.box === undefined) {
      section.steps.push(line);
    } else if (field && !section.fields.has(field.label)) {
      section.fields.set(field.label, field.value);
    }
  }
  return sections;
}

function newSection(level: number, heading: string): OutlineSection {
  return { level, heading, fields: new Map(), boxes: [], steps: [] };
}

/** Text directly above a rule is a heading by Markdown's rules, but in plans it is a paragraph that ends a section. */
function isHeading({
  isUnderlined,
  level,
  lines,
}: NonNullable<SourceLine['heading']>): boolean {
  return !isUnderlined || (level === 1 && lines === 1);
}

const STEP = /^\d{1,3}[.)]\s+\S/;

/** The sections that have boxes. They are no phases: they only hold the items of a plan without phases. */
export function sectionsWithBoxes(
  sections: readonly OutlineSection[],
): PlanPhase[] {
  return sections
    .filter(({ boxes }) => boxes.length > 0)
    .map((section) => sectionAsPhase(section));
}

/** A section with the mark that its heading or its status gives it. */
export function sectionAsPhase({
  heading,
  fields,
  boxes,
}: OutlineSection): PlanPhase {
  const { rest, mark } = splitMark(cleanText(heading));
  return {
    name: rest || undefined,
    mark: phraseMark(fields.get('status') ?? '') ?? mark,
    boxes,
  };
}

/** The text that a template has in place of a title. */
export function isPlaceholder(title: string): boolean {
  return /(?:^|: )\[[^\]]+\]$|\{\{/.test(title);
}
