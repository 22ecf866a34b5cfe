import { splitMark } from '../../state/marks.ts';
import { cleanText, readLines, splitFrontMatter, type SourceLine } from './field-line.ts';
import {
  phasesByHeading,
  type ParseHeading,
  type PhaseHead,
  type PlanPhase,
} from './plan-phases.ts';

/** What the plans of other tools are made of: headings, check boxes and fields. */
export interface Outline {
  /** Labels are in lower case, with spaces for underscores. */
  frontMatter: ReadonlyMap<string, string>;
  /** The first heading of level 1; empty if there is none. */
  title: string;
  /** The first one is a heading of level 0, for what comes before any other. */
  lines: SourceLine[];
}

/**
 * How one tool writes its plans. To add a tool: describe it in `formats.ts`, list it in the settings schema, and add fixtures of a
 * fresh, a running and a finished plan.
 */
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
  /** Undefined if the file is not a plan of this tool, or still the tool's template. */
  describe: (source: PlanSource, outline: Outline) => PlanDescription | undefined;
}

export interface PlanSource {
  /** Relative to the project, with forward slashes. */
  path: string;
  text: string;
  /** By path; a file that does not exist is absent. */
  companions: ReadonlyMap<string, string>;
  exists: (projectRelativePath: string) => boolean;
}

export interface PlanDescription {
  name: string;
  phases: PlanPhase[];
  /** Where the plan says the current phase, if its number or how many there are is not understood. */
  line?: string;
  /** The plan is paused or on hold. */
  isHeld?: boolean;
}

const START: SourceLine = {
  number: 0,
  text: '',
  shown: '',
  heading: { level: 0, text: '', lines: 1, isUnderlined: false },
  item: undefined,
  field: undefined,
};

export function readOutline(text: string): Outline {
  const { frontMatter, body } = splitFrontMatter(text);
  // Text directly above a rule is a heading by Markdown's rules, but in plans it is a paragraph that ends a section.
  const lines = [
    START,
    ...readLines(body).map((line) => {
      const { isUnderlined, level, lines: height } = line.heading ?? {};
      return isUnderlined && (level !== 1 || height !== 1) ? { ...line, heading: undefined } : line;
    }),
  ];
  const title = lines.find(({ heading }) => heading?.level === 1)?.heading?.text ?? '';
  return { frontMatter, title: cleanText(title), lines };
}

/** The lines below each heading. */
export function splitAtHeadings(lines: readonly SourceLine[]): SourceLine[][] {
  const starts = lines.flatMap(({ heading }, index) => (heading ? [index] : []));
  return starts.map((start, index) => lines.slice(start + 1, starts[index + 1]));
}

/** Every section with boxes as a phase of its own. */
export function phasesBySection(lines: readonly SourceLine[]): PlanPhase[] {
  return [...phasesByHeading(lines, anyHeading).values()].filter(({ boxes }) => boxes.length > 0);
}

export const anyHeading: ParseHeading = ({ text }, line) => headOf(String(line), text);

export function headOf(key: string, heading: string): PhaseHead {
  const { rest, mark } = splitMark(cleanText(heading));
  return { key, name: rest || undefined, mark };
}

/** The text that a template has in place of a title. */
export function isPlaceholder(title: string): boolean {
  return /(?:^|: )\[[^\]]+\]$|\{\{/.test(title);
}

/** The text of a heading without the number in front of it. */
export function withoutNumber(heading: string): string {
  return heading.replace(/^\**\d{1,9}[.):]?\s+/, '');
}
