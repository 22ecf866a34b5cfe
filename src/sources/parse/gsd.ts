import { phraseMark, standOf } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import type { Mark } from '../../state/words/vocabulary.ts';
import { truncate } from '../../text/sanitize.ts';
import { MAX_PHASES } from './declare-phases.ts';
import { cleanText } from './field-line.ts';
import { readOutline, type Outline } from './outline.ts';
import { headsOf } from './phase-head.ts';
import { readPhases, type KeyedPhase, type PlanPhase } from './phases.ts';
import type { PlanPosition, PlanReading, PlanSource } from './plan-format.ts';

/**
 * GSD keeps its position in `.planning/STATE.md` and its phases in `ROADMAP.md`. The number in the state is the number
 * that people know: a phase that was inserted later is 7.1, and a milestone may begin with phase 157.
 */
export function readGsd(
  { companions }: PlanSource,
  state: Outline,
): PlanReading | undefined {
  const stated = statedPosition(state);
  if (stated === undefined) return undefined;
  const { number, total, fields } = stated;
  if (number === '0' || total === 0 || (total ?? 0) > MAX_PHASES)
    return undefined;

  const roadmap = readOutline(companions.get(ROADMAP) ?? '');
  const milestone = state.frontMatter.get('milestone') ?? '';
  const listed = milestonePhases(roadmap, milestone, number);
  const status = statusOf(state, fields);
  const reading = {
    name: projectName(state, roadmap),
    facts: factsIn(fields),
    hasStaleItems: true,
    isHeld: /\b(?:paused|stopped|on hold)\b/.test(status),
  };
  const mark = markOf(stated, status, listed, state);
  const other = contradiction(state, stated, listed);
  if (other !== undefined) {
    const open: PlanPhase = { name: undefined, mark: 'under way', boxes: [] };
    return { ...reading, phases: [open], position: { line: other } };
  }
  return { ...reading, ...phasesAt(stated, listed, mark) };
}

export const ROADMAP = '.planning/ROADMAP.md';

/** What the state itself says about its phase. */
interface StatedPosition {
  /** `3`, `7.1`. */
  number: string;
  /** `of 5` in the same line. */
  ofTotal: number | undefined;
  /** That, or the number of all phases elsewhere in the state. */
  total: number | undefined;
  name: string;
  mark: Mark | undefined;
  /** The whole value. */
  line: string;
  fields: ReadonlyMap<string, string>;
}

const POSITION_LABELS = ['phase', 'active phase', 'current phase'];

/** `3`, `7.1`, not `2026-03-10` and not `[X]`. */
const NUMBER = /^(?:phase\s{1,3})?(\d{1,4}(?:\.\d{1,4})?)(?![\d\]]|-\d\d-)/i;
const OF_TOTAL = /^\s*(?:of|\/)\s*(\d{1,9})/i;
const NAME = /^\s*[(:–—-]\s*([^()]*)\)?/;

function statedPosition(state: Outline): StatedPosition | undefined {
  const { frontMatter, sections } = state;
  const places = [...sections.map(({ fields }) => fields), frontMatter];
  for (const label of POSITION_LABELS) {
    for (const fields of places) {
      const position = positionIn(fields.get(label) ?? '', fields, state);
      if (position !== undefined) return position;
    }
  }
  return undefined;
}

function positionIn(
  line: string,
  fields: ReadonlyMap<string, string>,
  { frontMatter, sections }: Outline,
): StatedPosition | undefined {
  const { rest, mark } = splitMark(line);
  const [whole = '', digits] = NUMBER.exec(rest) ?? [];
  if (digits === undefined) return undefined;
  const afterNumber = rest.slice(whole.length);
  const [ofWhole = '', of] = OF_TOTAL.exec(afterNumber) ?? [];
  const inLine = NAME.exec(afterNumber.slice(ofWhole.length))?.[1] ?? '';
  const inBody = sections.map((section) => section.fields.get('total phases'));
  const elsewhere = [frontMatter.get('total phases'), ...inBody].find(
    (value) => value !== undefined && /^\d{1,9}/.test(value),
  );
  const nameField = 'current phase name';
  const named = fields.get(nameField) ?? frontMatter.get(nameField) ?? '';
  const ofTotal = of === undefined ? undefined : Number(of);
  return {
    number: digits.replace(/^0+(?=\d)/, ''),
    ofTotal,
    total: ofTotal ?? (elsewhere ? Number.parseInt(elsewhere, 10) : undefined),
    name: cleanText(inLine) || named,
    mark,
    line: cleanText(line),
    fields,
  };
}

/** A project that was only set up has `planning` in its front matter, too. */
function statusOf(
  { frontMatter }: Outline,
  fields: ReadonlyMap<string, string>,
): string {
  const inFront = frontMatter.get('status') ?? '';
  const inBody = fields === frontMatter ? undefined : fields.get('status');
  const status = inBody ?? (inFront === 'planning' ? '' : inFront);
  return status.toLowerCase();
}

const MAX_FACT_CHARS = 200;

/** The plan of the phase and its status are given as they stand: boxes in the roadmap lag behind. */
function factsIn(fields: ReadonlyMap<string, string>): Record<string, string> {
  const facts: [string, string][] = [];
  for (const label of ['plan', 'status']) {
    const value = fields.get(label) ?? fields.get(`current ${label}`) ?? '';
    if (value !== '') facts.push([label, truncate(value, MAX_FACT_CHARS)]);
  }
  return Object.fromEntries(facts);
}

/** `v1.0 MVP milestone` and `Milestone v1.0`. */
const MILESTONE =
  /^\W*(?:v?\d\S*\s(?:\w+\s){0,3})?milestone(?:\sv?\d[\d.]*)?\b/g;
/** `Project complete, ready to archive`. */
const WHAT_IS_READY = /\W+ready (?:to|for)\b.*$/g;
const IS_WHOLE = /\b(?:milestone|project|all (?:\S{1,9} ){0,2}phases)\b/;

type MarkOfPhase = Mark | 'all done';

/** How far the current phase is. */
function markOf(
  { mark: inLine, number }: StatedPosition,
  status: string,
  listed: readonly KeyedPhase[],
  { frontMatter }: Outline,
): MarkOfPhase {
  const whole = status
    .replaceAll(WHAT_IS_READY, '')
    .replaceAll(MILESTONE, 'project');
  if (standOf(whole) === 'done' && IS_WHOLE.test(status)) return 'all done';

  // The front matter and the roadmap both say that the phase is behind, and the body was not updated.
  const completed = Number(frontMatter.get('completed phases') ?? 0);
  const index = listed.findIndex(({ key }) => key === number);
  const isPassed = listed[index]?.mark === 'done' && completed >= index + 1;
  const own = status === '' ? inLine : markInStatus(status);
  return own === 'open' && isPassed ? 'done' : (own ?? 'open');
}

/** `Ready to plan` and `Ready to execute` say that nothing is running yet. */
function markInStatus(status: string): Mark {
  // `Phase complete — ready for verification` means the phase that is verified next.
  if (/\bfor (?:verification|verifying)\b/.test(status)) return 'under way';
  const mark = phraseMark(
    status.replace(/^\W*(?:phase\s)?(?:[\d.]+\s(?!of\b))?/, ''),
  );
  if (mark === 'done' || mark === 'blocked') return mark;
  const isRunning =
    /\b(?:in[ _-]progress|executing|planning|verifying|discussing)\b/.test(
      status,
    );
  const isBetweenPlans = /\bplan\b.*\bcomplete/.test(status);
  return isRunning || isBetweenPlans ? 'under way' : 'open';
}

/** The phases with the current one marked, and what is said in place of numbers that are not those of a list. */
function phasesAt(
  stated: StatedPosition,
  listed: readonly KeyedPhase[],
  mark: MarkOfPhase,
): { phases: PlanPhase[]; position?: PlanPosition } {
  const { number, ofTotal, total, name, line } = stated;
  const index = listed.findIndex(({ key }) => key === number);
  const integer = number.includes('.') ? undefined : Number(number);
  const isCounted =
    integer !== undefined && total !== undefined && integer <= total;
  const isListed = index >= 0;
  const areSame =
    listed.length === total &&
    listed.every(({ key }, at) => key === String(at + 1));

  // `3 of 5` is the third of five, whatever was inserted into the roadmap.
  if (isCounted && !areSame && (ofTotal !== undefined || !isListed)) {
    const at = integer - 1;
    const numbered = firstPhases(listed, total);
    const phases = numbered ?? unlisted(at, total, name || listed[index]?.name);
    return { phases: withMarks(phases, at, mark) };
  }
  if (!isListed) {
    const at = Math.max(1, Math.floor(Number(number))) - 1;
    // A phase of which nobody knows whether it is the last one is not.
    const phases = withMarks(unlisted(at, at + 2, name), at, mark);
    return { phases, position: { line, label: number } };
  }
  const named = listed.map((phase, at) => ({
    ...phase,
    name: at === index && name !== '' ? (phase.name ?? name) : phase.name,
  }));
  const phases = withMarks(named, index, mark);
  if (
    areSame ||
    (ofTotal === undefined && total === listed.length) ||
    total === undefined
  )
    return { phases };
  const title = name === '' ? `${line} - ${listed[index]?.name ?? ''}` : line;
  return { phases, position: { line: title, label: number } };
}

/** The phases 1 to `total`, without those that were inserted between them; undefined if one is not listed. */
function firstPhases(
  listed: readonly KeyedPhase[],
  total: number,
): KeyedPhase[] | undefined {
  const found: KeyedPhase[] = [];
  for (let number = 1; number <= total; number += 1) {
    const phase = listed.find(({ key }) => key === String(number));
    if (phase === undefined) return undefined;
    found.push(phase);
  }
  return found;
}

function unlisted(
  index: number,
  length: number,
  name: string | undefined,
): PlanPhase[] {
  return Array.from({ length }, (_, at): PlanPhase => ({
    name: at === index ? name : undefined,
    mark: undefined,
    boxes: [],
  }));
}

function withMarks(
  phases: readonly PlanPhase[],
  index: number,
  mark: MarkOfPhase,
): PlanPhase[] {
  return phases.map((phase, at) => {
    if (mark === 'all done' || at < index) return { ...phase, mark: 'done' };
    return { ...phase, mark: at === index ? mark : 'open' };
  });
}

/**
 * The phases of the current milestone, in the order of their numbers. They are listed as boxes and described under
 * headings, where the boxes are the plans of a phase; one that was inserted later often has only the heading.
 */
function milestonePhases(
  { lines, sections }: Outline,
  milestone: string,
  current: string,
): KeyedPhase[] {
  const style = { head: headsOf(['phase']), places: ['heading'] as const };
  const byNumber = new Map<string, KeyedPhase>();
  for (const { text, state } of sections.flatMap(({ boxes }) => boxes)) {
    const [, key, name] = LISTED_PHASE.exec(text) ?? [];
    if (key === undefined) continue;
    const mark = state === 'ticked' ? 'done' : undefined;
    byNumber.set(key, { key, label: key, name, mark, boxes: [] });
  }
  for (const phase of readPhases(lines, style)) {
    const { name, mark } = byNumber.get(phase.key) ?? phase;
    byNumber.set(phase.key, { ...phase, name, mark });
  }
  const all = [...byNumber.values()].toSorted(byNumberInPlan);
  const starts = milestoneStarts(sections);
  const own = starts.find(({ title }) => isTitleOf(title, milestone));
  if (own === undefined || Number(current) < own.first) return all;
  const next = Math.min(
    ...starts.map(({ first }) => first).filter((first) => first > own.first),
  );
  return all.filter(
    ({ key }) => Number(key) >= own.first && Number(key) < next,
  );
}

/** 2.10 comes after 2.9. */
function byNumberInPlan(one: KeyedPhase, other: KeyedPhase): number {
  const [major = 0, minor = 0] = one.key.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.key.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}

/** `**Phase 2: Build** - what it is about (3/3 plans)`. */
const LISTED_PHASE = new RegExp(
  [
    /^\**phase\s{1,3}0*(\d{1,4}(?:\.\d{1,4})?)\s*[:–—-]\s*/,
    /(.+?)(?:\*\*.*|\s[-–—]\s.*|\s\(\d+\/\d+.*)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);

/** The first phase that is listed below each heading that names a milestone. */
function milestoneStarts(
  sections: Outline['sections'],
): { title: string; first: number }[] {
  const starts: { title: string; first: number }[] = [];
  let title = '';
  for (const { heading, boxes } of sections) {
    if (/\bv\d/i.test(heading)) title = heading;
    const numbers = boxes.flatMap(
      ({ text }) => LISTED_PHASE.exec(text)?.[1] ?? [],
    );
    if (title === '' || numbers.length === 0) continue;
    starts.push({ title, first: Math.min(...numbers.map(Number)) });
    title = '';
  }
  return starts;
}

function isTitleOf(heading: string, milestone: string): boolean {
  const words = heading.toLowerCase().split(/[\s:()[\]*]+/);
  return milestone !== '' && words.includes(milestone.toLowerCase());
}

/** What is said where the front matter and the body name different phases. */
function contradiction(
  { frontMatter }: Outline,
  { number, line, fields }: StatedPosition,
  listed: readonly KeyedPhase[],
): string | undefined {
  if (fields === frontMatter) return undefined;
  const stopped = frontMatter.get('stopped at') ?? '';
  const numbers = [...stopped.matchAll(NAMED_PHASE)].map(([, word, slug]) =>
    Number(word ?? slug),
  );
  const last = Math.max(...numbers);
  const here = Number(number);
  // Whoever has finished phase 5 is in phase 6.
  const isSame = numbers.includes(here) || last === here - 1;
  if (numbers.length === 0 || isSame) return undefined;
  const name = listed.find(({ key }) => Number(key) === last)?.name;
  const there = name === undefined ? String(last) : `${last} (${name})`;
  return `the file contradicts itself: ${there} by "stopped_at", ${line} by "Phase"`;
}

/** `Phase 12`, or `12-signal-accuracy` at the start. */
const NAMED_PHASE =
  /\bphase\s(\d{1,4}(?:\.\d{1,4})?)|(?:^|completed\s)(\d{1,4}(?:\.\d{1,4})?)-[a-z]/gi;

/** The title of the state is `Project State`, and the name of the first milestone is `milestone`. */
function projectName(
  { frontMatter, title }: Outline,
  roadmap: Outline,
): string {
  const milestone = frontMatter.get('milestone name');
  if (milestone && milestone !== 'milestone') return milestone;
  const ofRoadmap = roadmap.title.replace(/^roadmap\s*[:–—-]?\s*/i, '');
  const ofState = title.replace(/^(?:project\s)?state\s*[:–—-]?\s*/i, '');
  return ofRoadmap || ofState || 'GSD project';
}
