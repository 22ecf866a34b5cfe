import { pattern } from '../../text/markdown/scan.ts';
import { phraseMark } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import {
  cleanText,
  readLines,
  splitFrontMatter,
  withoutDecoration,
} from './field-line.ts';
import type { PlanPhase } from './plan-phases.ts';

export interface Outline {
  /** Labels are in lower case, with spaces for underscores. */
  frontMatter: ReadonlyMap<string, string>;
  /** The first heading of level 1; empty if there is none. */
  title: string;
  /** In the order of the document; the first one has level 0 and holds what comes before any heading. */
  sections: OutlineSection[];
}

export interface OutlineSection {
  level: number;
  heading: string;
  /** `Label: value` lines, the first of each label. */
  fields: Map<string, string>;
  boxes: PlanPhase['boxes'];
  /** The items of numbered lists, without those below other items. */
  steps: string[];
}

/** How one tool writes its plans. */
export interface PlanFormat {
  /** Where its plans are. */
  patterns: readonly string[];
  /** Paths that match a pattern but are not plans. */
  excludes?: RegExp;
  /** Other files of the tool that the reading depends on. Their texts are in `PlanSource.companions`. */
  companions?: (path: string) => string[];
  /** The companion that the items are in, if they are not in the plan itself. */
  itemsFile?: string;
  /** Whether a file of the tool says that this plan is being worked on. */
  isPointedTo?: (source: PlanSource) => boolean;
  /** Documents to read with the plan, if they exist, from its folder; `*` is its name. */
  siblings: readonly string[];
  /**
   * Undefined if the file is not a plan of this tool, or still the tool's template. `line` is where the plan says the
   * current phase, if its number or how many there are is not understood; a plan that is on hold `isHeld`.
   */
  describe: (
    source: PlanSource,
    outline: Outline,
  ) =>
    | { name: string; phases: PlanPhase[]; line?: string; isHeld?: boolean }
    | undefined;
}

export interface PlanSource {
  /** Relative to the project, with forward slashes. */
  path: string;
  text: string;
  /** By path; a file that does not exist is absent. */
  companions: ReadonlyMap<string, string>;
}

export function readOutline(text: string): Outline {
  const { frontMatter, body } = splitFrontMatter(text);
  let section: OutlineSection = {
    level: 0,
    heading: '',
    fields: new Map(),
    boxes: [],
    steps: [],
  };
  const sections = [section];
  let indents: number[] = [];
  for (const { text: line, heading, item, field } of readLines(body)) {
    // Text directly above a rule is a heading by Markdown's rules, but in plans it is a paragraph that ends a section.
    if (
      heading &&
      (!heading.isUnderlined || (heading.level === 1 && heading.lines === 1))
    ) {
      const { level, text: name } = heading;
      section = {
        level,
        heading: name,
        fields: new Map(),
        boxes: [],
        steps: [],
      };
      sections.push(section);
      indents = [];
    } else if (item?.box && !line.trimStart().startsWith('>')) {
      indents = indents.filter((outer) => outer < item.indent);
      // Optional items do not keep a plan open, and those of a template, such as `{{TASK}}` or `1.1`, are no items.
      if (!item.isOptional && !/\{\{|^[\d.]*$/.test(item.text))
        section.boxes.push({
          state: item.box,
          text: item.text,
          depth: indents.length,
        });
      indents.push(item.indent);
    } else if (STEP.test(line)) {
      section.steps.push(line);
    } else if (field && !section.fields.has(field.label)) {
      section.fields.set(field.label, field.value);
    }
  }
  const title = sections.find(({ level }) => level === 1)?.heading ?? '';
  return { frontMatter, title: cleanText(title), sections };
}

const STEP = /^\d{1,3}[.)]\s+\S/;

/** The phase that a heading starts; `key` is its number, so that a later heading can add to the same phase. */
type ParseHeading = (
  section: OutlineSection,
) => { key: string; name: string } | undefined;

/** Parses headings such as `Phase 2: Build` or `Task 3 - Write the parser`. */
export function numberedHeading(word: string): ParseHeading {
  const numbered = new RegExp(
    pattern`^${word}\s{1,3}(t?\d{1,9}(?:\.\d{1,9}){0,3}[a-z]?|n)(?!\w)[\s:.)|–—-]*`,
    'i',
  );
  return ({ heading }) => {
    const text = withoutDecoration(heading);
    const [prefix, digits] = numbered.exec(text) ?? [];
    if (prefix === undefined || digits === undefined) return undefined;
    const number = digits.replace(/^0+(?=\d)/, '');
    return {
      key: number.toLowerCase(),
      name: text.slice(prefix.length) || `${word} ${number}`,
    };
  };
}

export type KeyedPhase = PlanPhase & { key: string };

/** A phase for each heading that starts one. The sections below its heading belong to it. */
export function phasesByHeading(
  sections: readonly OutlineSection[],
  parse: ParseHeading,
): KeyedPhase[] {
  const phases = new Map<string, KeyedPhase>();
  let open: KeyedPhase | undefined;
  let openLevel = 0;
  for (const section of sections) {
    const heading = parse(section);
    if (heading) {
      const { name, mark } = phaseOf(section, heading.name);
      open = phases.get(heading.key) ?? {
        key: heading.key,
        name,
        mark: undefined,
        boxes: [],
      };
      open.mark ??= mark;
      openLevel = section.level;
      phases.set(heading.key, open);
    } else if (section.level <= openLevel) {
      open = undefined;
    }
    open?.boxes.push(...section.boxes);
  }
  return [...phases.values()];
}

export const phasesBySection = (
  sections: readonly OutlineSection[],
): PlanPhase[] =>
  sections
    .filter(({ boxes }) => boxes.length > 0)
    .map((section) => phaseOf(section, section.heading));

export function phaseOf(
  { fields, boxes }: OutlineSection,
  heading: string,
): PlanPhase {
  const { rest, mark } = splitMark(cleanText(heading));
  return {
    name: rest || undefined,
    mark: phraseMark(fields.get('status') ?? '') ?? mark,
    boxes,
  };
}

/** The text that a template has in place of a title. */
export const isPlaceholder = (title: string): boolean =>
  /(?:^|: )\[[^\]]+\]$|\{\{/.test(title);

export const withoutNumber = (heading: string): string =>
  heading.replace(/^\**\d{1,9}[.):]?\s+/, '');
