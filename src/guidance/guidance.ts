import { fitLists, joined, reserved, type LineList, type Section } from './budget.ts';
import { frameLists, headSection } from './frame.ts';
import {
  type InlinedFile,
  actionSections,
  contentSections,
  contentsFor,
  reminderList,
  restLists,
} from './sections.ts';
import type { GuidanceInput } from './input.ts';

/** The host may cut longer texts; the model always sees this many characters. */
const ESSENTIAL = 2_000;
/** Kept free for the lists, even if the whole budget is small. */
const KEPT_FOR_LISTS = 400;

export interface GuidanceSection extends Section {
  /** The frame stays the same within a step. */
  part: 'frame' | 'rest';
}

export interface Guidance {
  text: string;
  sections: GuidanceSection[];
  /** The files and artifacts whose content is in the text. */
  inlined: InlinedFile[];
  /** The lists that found no space. */
  omitted: LineList[];
  /** What it was made of. */
  input: GuidanceInput;
}

/** Everything a session needs to continue a run, most important first, within the budget. */
export function buildGuidance(input: GuidanceInput): Guidance {
  const candidates = contentsFor(input);
  // The contents of files can be read with the Read tool, so they are dropped first if space is short.
  for (let count = candidates.length; ; count -= 1) {
    const inlined = candidates.slice(0, count);
    const given = new Set(inlined.map(({ id }) => id));
    const first = essentials(input, given);
    const reminders = reminderList(input);
    const frame = frameLists(input);
    const { before, after } = restLists(input, given);
    const lists = [reminders, ...frame, ...before, ...after];
    const contents = contentSections(inlined);
    const space = input.maxChars - joined([...first, ...contents]).length;
    if (count > 0 && space < reserved(lists)) continue;

    const { fitted, omitted } = fitLists(lists, space);
    const isOfFrame = (index: number): boolean => index >= 1 && index <= frame.length;
    const placed = fitted.map((section, index) =>
      section === null ? null : inPart(isOfFrame(index) ? 'frame' : 'rest')(section),
    );
    const end = placed.length - after.length;
    const sections = [
      ...first,
      ...placed.slice(0, end),
      ...contents.map(inPart('rest')),
      ...placed.slice(end),
    ].filter((section) => section !== null);
    return { text: joined(sections), sections, inlined, omitted, input };
  }
}

/** Title to ACTION REQUIRED, within the part that the model always sees. */
function essentials(input: GuidanceInput, inlined: ReadonlySet<string>): GuidanceSection[] {
  const head = headSection(input);
  const limit = Math.min(ESSENTIAL, input.maxChars - KEPT_FOR_LISTS);
  const action = actionSections(input, inlined, limit - head.text.length);
  return [inPart('frame')(head), ...action.map(inPart('rest'))];
}

function inPart(part: GuidanceSection['part']): (section: Section) => GuidanceSection {
  return (section) => ({ ...section, part });
}
