import { statusWord } from '../../state/phase-line.ts';
import { truncate } from '../../util/sanitize.ts';
import { cleanText, withoutDecoration, withoutMarks } from '../field-line.ts';
import { markIn, markOfStatus, type Mark } from '../marks.ts';
import type { Box, OutlineSection } from '../outline.ts';
import { statusOf } from '../plan-status.ts';
import type { PlanPhase } from './types.ts';

/** The phase that a heading starts; `key` is its number, so that a later heading can add to the same phase. */
export interface PhaseHeading {
  key: string;
  name: string;
  /** The tool records elsewhere that every item of this phase is done. */
  isFinished?: boolean;
}

export interface KeyedPhase extends PlanPhase {
  key: string;
}

/** Parses headings such as `Phase 2: Build` or `Task 3 - Write the parser`. */
export function numberedHeading(
  word: string,
): (section: OutlineSection) => PhaseHeading | undefined {
  const pattern = new RegExp(
    String.raw`^${word}\s{1,3}(t?\d{1,9}(?:\.\d{1,9}){0,3}[a-z]?|n)(?!\w)[\s:.)|–—-]*`,
    'i',
  );
  return ({ heading }) => {
    const text = withoutDecoration(heading);
    const match = pattern.exec(text);
    if (!match) return undefined;
    const [prefix, digits = ''] = match;
    const number = digits.replace(/^0+(?=\d)/, '');
    return { key: number.toLowerCase(), name: text.slice(prefix.length) || `${word} ${number}` };
  };
}

/** A phase for each heading that starts one. The sections below its heading belong to it. */
export function phasesByHeading(
  sections: readonly OutlineSection[],
  parse: (section: OutlineSection) => PhaseHeading | undefined,
): KeyedPhase[] {
  const phases = new Map<string, KeyedPhase>();
  let open: { phase: PlanPhase; level: number; isFinished: boolean } | undefined;
  for (const section of sections) {
    const heading = parse(section);
    if (heading) {
      const { key } = heading;
      const { name, mark } = splitMark(heading.name);
      const phase = phases.get(key) ?? { key, name, mark: undefined, boxes: [] };
      phase.mark ??= statusMark(section) ?? mark;
      phases.set(key, phase);
      open = { phase, level: section.level, isFinished: heading.isFinished ?? false };
    } else if (open && section.level <= open.level) {
      open = undefined;
    }
    for (const box of open ? section.boxes.filter(isItem) : [])
      open?.phase.boxes.push(open.isFinished ? { ...box, state: 'ticked' } : box);
  }
  return [...phases.values()];
}

/** Phases that only describe something can never be done. */
export function withItems(phases: PlanPhase[]): PlanPhase[] {
  return phases.filter(({ mark, boxes }) => mark !== undefined || boxes.length > 0);
}

/** Every section with boxes as a phase of its own. */
export function phasesBySection(sections: readonly OutlineSection[]): PlanPhase[] {
  return sections.flatMap((section) => {
    const boxes = section.boxes.filter(isItem);
    if (boxes.length === 0) return [];
    const { name, mark } = splitMark(section.heading);
    return [{ name: name === '' ? undefined : name, mark: statusMark(section) ?? mark, boxes }];
  });
}

/** A box of a template, such as `- [ ] {{TASK}}` or `- [ ] 1.1 <!-- description -->`, is not an item. */
export function isItem({ text }: Box): boolean {
  return !text.includes('{{') && !/^[\d.]+$/.test(text);
}

/** The text that a template has in place of a title. */
export function isPlaceholder(title: string): boolean {
  return /(?:^|: )\[[^\]]+\]$|\{\{/.test(title);
}

/** The text of a heading without the number in front of it. */
export function withoutNumber(heading: string): string {
  return heading.replace(/^\**\d{1,9}[.):]?\s+/, '');
}

const MAX_NAME = 200;

/** Names are stored in the state and shown in lists; a heading may be a whole paragraph. */
export function cutName(name: string): string {
  return truncate(name, MAX_NAME);
}

function statusMark({ fields }: OutlineSection): Mark | undefined {
  const status = statusOf(fields.get('status') ?? '')?.status;
  return status && MARKS[status];
}

const MARKS = { 'in progress': 'under way', finished: 'done', waiting: 'open' } as const;

/** Takes a mark off the end of a name: an emoji, or a status in brackets such as `[in_progress]`. */
function splitMark(text: string): { name: string; mark: Mark | undefined } {
  const bracketed = /[[(]\s{0,3}([a-z][a-z _-]{2,20})[\])]\s*$/i.exec(text);
  const status = bracketed ? statusWord(bracketed[1] ?? '') : undefined;
  const rest = bracketed && status ? text.slice(0, bracketed.index) : text;
  const mark = (status && markOfStatus(status)) ?? markIn(text);
  return { name: withoutMarks(cleanText(rest)), mark };
}
