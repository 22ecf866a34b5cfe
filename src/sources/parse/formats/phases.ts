import { pattern } from '../../../text/markdown/lines.ts';
import { phraseMark, splitMark } from '../../../state/marks.ts';
import {
  cleanText,
  withoutDecoration,
  type OutlineBox,
  type OutlineSection,
} from '../field-line.ts';
import type { PlanPhase } from '../plan-phases.ts';

/** The phase that a heading starts; `key` is its number, so that a later heading can add to the same phase. */
export interface PhaseHeading {
  key: string;
  name: string;
  /** The tool records elsewhere that every item of this phase is done. */
  isFinished?: boolean;
}

type ParseHeading = (section: OutlineSection) => PhaseHeading | undefined;

export interface KeyedPhase extends PlanPhase {
  key: string;
}

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
    return { key: number.toLowerCase(), name: text.slice(prefix.length) || `${word} ${number}` };
  };
}

/** A phase for each heading that starts one. The sections below its heading belong to it. */
export function phasesByHeading(
  sections: readonly OutlineSection[],
  parse: ParseHeading,
): KeyedPhase[] {
  const phases = new Map<string, KeyedPhase>();
  let open: { phase: PlanPhase; level: number; isFinished: boolean } | undefined;
  for (const section of sections) {
    const heading = parse(section);
    if (heading) {
      const { key, isFinished = false } = heading;
      const { name, mark } = phaseOf(section, heading.name);
      const phase = phases.get(key) ?? { key, name, mark: undefined, boxes: [] };
      phase.mark ??= mark;
      phases.set(key, phase);
      open = { phase, level: section.level, isFinished };
    } else if (open && section.level <= open.level) {
      open = undefined;
    }
    for (const box of open ? section.boxes.filter(isItem) : [])
      open?.phase.boxes.push(open.isFinished ? { ...box, state: 'ticked' } : box);
  }
  return [...phases.values()];
}

/** The phases by heading that have items, because others can never be done. */
export function phasesWithItems(
  sections: readonly OutlineSection[],
  parse: ParseHeading,
  otherwise = phasesBySection,
): PlanPhase[] {
  const phases = phasesByHeading(sections, parse).filter(
    ({ mark, boxes }) => mark !== undefined || boxes.length > 0,
  );
  return phases.length > 0 ? phases : otherwise(sections);
}

/** Every section with boxes as a phase of its own. */
export function phasesBySection(sections: readonly OutlineSection[]): PlanPhase[] {
  return sections
    .map((section) => phaseOf(section, section.heading))
    .filter(({ boxes }) => boxes.length > 0);
}

function phaseOf({ fields, boxes }: OutlineSection, heading: string): PlanPhase {
  const { rest, mark } = splitMark(cleanText(heading));
  return {
    name: rest || undefined,
    mark: phraseMark(fields.get('status') ?? '') ?? mark,
    boxes: boxes.filter(isItem),
  };
}

/** Optional items do not keep a plan open, and those of a template, such as `- [ ] {{TASK}}` or `- [ ] 1.1`, are none. */
export function isItem({ text, isOptional }: OutlineBox): boolean {
  return !isOptional && !text.includes('{{') && !/^[\d.]+$/.test(text);
}

/** The text that a template has in place of a title. */
export function isPlaceholder(title: string): boolean {
  return /(?:^|: )\[[^\]]+\]$|\{\{/.test(title);
}

/** The text of a heading without the number in front of it. */
export function withoutNumber(heading: string): string {
  return heading.replace(/^\**\d{1,9}[.):]?\s+/, '');
}
