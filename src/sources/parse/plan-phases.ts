import {
  cleanText,
  withoutQuoteMarks,
  type SourceLine,
  type Box,
} from './field-line.ts';
import { pattern } from '../../text/markdown/scan.ts';
import { phraseMark, standOf } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import { pictureMark } from '../../state/words/signs.ts';
import type { Mark } from '../../state/words/vocabulary.ts';
import { truncate } from '../../text/sanitize.ts';
import type { DeclaredWorkflow } from '../types.ts';

/** Where the phases of a plan are: the first of these that has the most of them counts. */
const KINDS = ['heading', 'row', 'item', 'line'] as const;
type Kind = (typeof KINDS)[number];

/** The phases of a plan. `status` is that of the plan, which may name phases, too: `Phase 1 done, Phase 2 in progress`. */
export function planPhases(
  lines: readonly SourceLine[],
  status = '',
): PlanPhase[] {
  const entries = entriesIn(lines);
  const found = KINDS.map((kind) => collect(entries, kind));
  const [best] = found.toSorted((a, b) => b.size - a.size);
  if (best === undefined || (best.size === 1 && best !== found[0])) return [];
  // An overview may say more than the headings: `| Phase 1 | done |` above `## Phase 1`.
  const named = status
    .split(/[,;]|(?:&|\band)(?=\s*phase)/i)
    .flatMap((part) => {
      const head = parsePhaseHead(part);
      const isBare = /^\W*phase \S{1,9}(?: of \d{1,4})?\W*$/i.test(part);
      return head
        ? [{ ...head, mark: head.mark ?? (isBare ? 'under way' : undefined) }]
        : [];
    });
  for (const [key, phase] of best) {
    const marks = found.flatMap((others) => others.get(key)?.mark ?? []);
    phase.mark ??= marks.find((mark) => mark !== 'open');
    const inStatus = named.find(({ key: keys }) => {
      // `1-3` and `1 & 2` are several.
      const [from = 0, to = from] = keys.split(/[-–&+]/).map(Number);
      return key === keys || (Number(key) >= from && Number(key) <= to);
    });
    if (inStatus && phase.boxes.length === 0) phase.mark ??= inStatus.mark;
  }
  return [...best.values()];
}

interface PhaseHead {
  key: string;
  name: string;
  mark?: Mark | undefined;
  /** The word that says so. */
  word?: string | undefined;
}

interface Entry {
  kind: Kind;
  phase: PhaseHead | undefined;
  /** Of a heading; other lines are deeper than any. */
  level: number;
  indent: number;
  box?: Box | undefined;
  status?: Mark | undefined;
}

const ANY_LEVEL = 7;

function entriesIn(lines: readonly SourceLine[]): Entry[] {
  let table: { header?: string[]; last: string[] } | undefined;
  let sectionMark: Mark | undefined;
  return lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, heading, item, field }): Entry => {
      const line = withoutQuoteMarks(text);
      if (heading) {
        const phase = parsePhaseHead(heading.text);
        // Phases listed below `## Completed` are done.
        sectionMark = phase
          ? undefined
          : phraseMark(heading.text.replace(UNIT, ''));
        table = undefined;
        return { kind: 'heading', phase, level: heading.level, indent: 0 };
      }
      // `**Status**: ✅ Complete` below a heading that has no mark of its own.
      const value = field?.label === 'status' ? field.value : '';
      const ownMark = phraseMark(value) ?? standOf(value) ?? pictureMark(value);
      const isRow = line.trimStart().startsWith('|');
      table = isRow ? (table ?? { last: [] }) : undefined;
      const phase = table ? rowPhase(line, table) : parsePhaseHead(line, true);
      if (phase) phase.mark ??= sectionMark;
      const otherKind = item ? 'item' : 'line';
      return {
        kind: isRow ? 'row' : otherKind,
        phase,
        level: ANY_LEVEL,
        indent: item?.indent ?? 0,
        box: item && boxOf(item),
        status: isRow || item?.box ? undefined : (ownMark ?? loneMark(text)),
      };
    });
}

const UNIT = /\s(?:phases?|work|tasks?|items?|steps?)\W*$/i;

/** A box without text is one whose task was struck out. A leading ✅ is a tick, too. */
function boxOf({
  text,
  box,
  indent,
}: NonNullable<SourceLine['item']>): Box | undefined {
  const mark = box ?? pictureMark(/^\S{1,2}(?=\s)/.exec(text)?.[0] ?? '');
  const state = mark === 'done' ? 'ticked' : mark;
  return text !== '' &&
    (state === 'ticked' || state === 'under way' || state === 'open')
    ? { state, text, depth: indent }
    : undefined;
}

function collect(
  entries: readonly Entry[],
  kind: Kind,
): Map<string, PlanPhase> {
  const phases = new Map<string, PlanPhase>();
  let open:
    | { phase: PlanPhase; key: string; level: number; indent: number }
    | undefined;
  // A status below another heading is that of a task.
  let isDirectlyBelow = false;
  for (const { kind: own, phase, level, indent, box, status } of entries) {
    const isHeading = level < ANY_LEVEL;
    const isDeeper =
      open !== undefined && (level > open.level || indent > open.indent);
    // `2.1` and `2a` below `2`.
    const of = isDeeper ? open?.key : undefined;
    const isPart =
      of !== undefined &&
      phase?.key.startsWith(of) &&
      /^[.a-z]/.test(phase.key.slice(of.length));
    if (phase && own === kind && !isPart) {
      // A later one with the same number, such as a summary, belongs to the same phase.
      const { key, name, mark, word } = phase;
      const found = phases.get(key) ?? { name, mark: undefined, boxes: [] };
      if (found.mark === undefined) Object.assign(found, { mark, word });
      phases.set(key, found);
      open = { phase: found, key, level, indent };
      isDirectlyBelow = true;
    } else if (!open) {
      continue;
    } else if (
      isHeading
        ? level <= open.level
        : kind === 'item' && box && indent <= open.indent
    ) {
      open = undefined;
    } else {
      if (isHeading) isDirectlyBelow = false;
      if (isDirectlyBelow) open.phase.mark ??= status;
      if (box) open.phase.boxes.push(box);
    }
  }
  return phases;
}

/** `✅ COMPLETE` or `**In progress**` in a line of its own. */
function loneMark(text: string): Mark | undefined {
  // Cut, because the expression is quadratic; no mark is longer.
  return /^(?:[^\w\s|>-]|[A-Z _]+\W*$)/.test(text.slice(0, 200))
    ? phraseMark(text)
    : undefined;
}

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve'.split(
    ' ',
  );
const HEAD = new RegExp(
  pattern`^(?:\d{1,3}[.)]\s+)?phases?[\s_#-]{0,3}(\d{1,4}(?:\.\d{1,3}){0,2}[a-z]?(?:\s?(?:[-–&+]|and|to)\s?\d{1,4})?|[A-Z]|[IVX]{1,5}|${NUMBERS.join('|')})(?![\w%]|\.\w|[-'’]\w)`,
  'i',
);
const IS_ID = pattern`^(?:\d|[A-Z]$|[IVX]+$|(?:${NUMBERS.join('|')})$)`;
const TOTAL = /^\s*(?:\/|\(?of)\s*\d{1,4}\)?/;
const SEPARATOR = /^[\s:：.)|–—-]*/;

/**
 * The phase that a heading, an item, a cell or a line begins with. Where a sentence may begin with a phase, too
 * (`isStrict`), a colon or a dash has to follow the number, or nothing but a mark.
 */
export function parsePhaseHead(
  text: string,
  isStrict = false,
): PhaseHead | undefined {
  if (!/phase/i.test(text.slice(0, 120))) return undefined;
  const isBold = /^[\s\-+*•\d.)]*(?:\*\*|__)/.test(text);
  const plain = isStrict ? text.replace(CURRENT, '🔄 Phase ') : text;
  const bullet = plain.replace(LIST_MARK, '');
  const { rest, mark, word } = splitMark(bullet);
  const { rest: line, mark: inBold } = splitMark(
    cleanText(rest).replace(/^#+\s+/, ''),
  );
  const [head = '', id = ''] = HEAD.exec(line) ?? [];
  const shown = NUMBERS.includes(id.toLowerCase()) ? id.toLowerCase() : id;
  if (id === '' || !IS_ID.test(shown)) return undefined;
  const after = line.slice(head.length).replace(TOTAL, '');
  const {
    rest: tail,
    mark: leading,
    word: aside,
  } = splitMark(after.replace(SEPARATOR, ''));
  const isMarked = isBold || plain !== text || leading !== undefined;
  if (isStrict && !isMarked && !/^\s*(?:$|[:：.)|–—]|-\s)/.test(after))
    return undefined;
  const name = tail.replace(SEPARATOR, '');
  const wholeMark = phraseMark(name);
  const number = NUMBERS.indexOf(shown);
  const key =
    number >= 0 ? String(number) : shown.replace(/^0+(?=\d)/, '').toLowerCase();
  return {
    key,
    name: (wholeMark ? '' : name) || `Phase ${/^\d/.test(key) ? key : id}`,
    mark: mark ?? inBold ?? leading ?? wholeMark,
    word: word ?? aside ?? (wholeMark && name),
  };
}

/** `**Current Phase**: 2`. */
const CURRENT = /^\W{0,9}current phase\W{1,9}(?:phase )?(?=\d)/i;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,9}[.)])\s+(?=\S)/;

/** Rows such as `| Phase 1 | Setup | ✅ Done |`, or `| 1 | Setup | Done |` below a header that has a column `Phase`. */
function rowPhase(row: string, table: { header?: string[]; last: string[] }) {
  const cells = row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|', 20)
    .map((cell) => cleanText(cell));
  if (cells.every((cell) => /^:?-+:?$/.test(cell))) {
    table.header = table.last;
    return undefined;
  }
  table.last = cells;
  const column = (label: RegExp): number =>
    table.header?.findIndex((cell) => label.test(cell)) ?? -1;
  const index = cells.findIndex((cell) => parsePhaseHead(cell));
  const at = index >= 0 ? index : column(/^(?:phase\b.{0,10}|#|no\.?)$/i);
  const cell = cells[at] ?? '';
  const isNumbered =
    /^[^\w]*(?:\d{1,4}(?:\.\d{1,3})?[a-z]?|[A-Z])(?![\w%])/.test(cell);
  const number = isNumbered ? `Phase ${splitMark(cell).rest}` : '';
  const head = parsePhaseHead(index >= 0 ? cell : number);
  if (head === undefined) return undefined;
  cells[at] = '';
  const status = cells[column(/^(?:status|state|progress)$/i)] ?? '';
  const word = [status, ...cells].find((each) => cellMark(each));
  const isNameless = /^Phase \S+$/.test(head.name);
  const name = cells.find(
    (each, cellAt) => cellAt > at && each !== '' && each !== word,
  );
  return {
    key: head.key,
    name: (isNameless && name) || head.name,
    mark: head.mark ?? cellMark(word ?? ''),
    word,
  };
}

const cellMark = (cell: string): Mark | undefined =>
  phraseMark(cell) ??
  (splitMark(cell).rest === '' ? pictureMark(cell) : undefined);

export const MAX_PHASES = 1_000;

/** How far a phase is: a mark on its heading counts more than the boxes below it. */
export interface PlanPhase {
  /** Undefined if only the number of phases is known. */
  name: string | undefined;
  mark: Mark | undefined;
  /** The plan's word for a phase that is skipped. */
  word?: string | undefined;
  boxes: Box[];
}

/** Names are stored in the state and shown in lists; a heading may be a whole paragraph. */
export const cutName = (name: string): string => truncate(name, 200);

/** With `byBoxes`, the first open box decides, also after phases that nobody has marked as done. */
export function declarePhases(
  allPhases: readonly PlanPhase[],
  byBoxes = false,
): Pick<DeclaredWorkflow, 'phase' | 'phases' | 'skipped' | 'undone'> {
  const phases = allPhases.slice(0, MAX_PHASES);
  if (phases.length === 0) return {};
  const current = currentIndex(phases, byBoxes);
  const last = phases.findLastIndex(({ mark }) => mark !== 'skipped');
  const index = current ?? (last < 0 ? phases.length - 1 : last);
  const names = phases.map(({ name = '' }) => cutName(name));
  const skipped = phases.flatMap(({ mark, word = mark }, at) =>
    mark === 'skipped' ? [[at + 1, word]] : [],
  );
  const undone = phases.flatMap((phase, at) =>
    at < index && !isOver(phase) ? [at + 1] : [],
  );
  const status = phases[index]?.mark === 'blocked' ? 'blocked' : 'in_progress';
  return {
    phase: {
      current: index + 1,
      total: phases.length,
      name: names[index] ?? '',
      status: current === undefined ? 'completed' : status,
    },
    ...(phases.every(({ name }) => name !== undefined) && { phases: names }),
    ...(skipped.length > 0 && { skipped: Object.fromEntries(skipped) }),
    ...(undone.length > 0 && { undone }),
  };
}

/** Returns undefined if nothing is left to do after the last phase that is done. */
function currentIndex(
  phases: readonly PlanPhase[],
  byBoxes: boolean,
): number | undefined {
  const lastDone = byBoxes
    ? -1
    : phases.findLastIndex(({ mark }) => mark === 'done');
  const next = phases.findIndex(
    (phase, index) => index > lastDone && !isOver(phase),
  );
  const open = phases.findIndex(
    (phase) =>
      !isOver(phase) && phase.boxes.some(({ state }) => state !== 'ticked'),
  );
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    byBoxes ? open : phases.findIndex(({ mark }) => mark === 'blocked'),
    next,
    open,
  ];
  return candidates.find((index) => index >= 0);
}

/** Done or skipped. */
export const isOver = (phase: PlanPhase): boolean =>
  phase.mark === 'skipped' || isDone(phase);

export function isDone({ mark, boxes }: PlanPhase): boolean {
  if (mark !== undefined) return mark === 'done';
  return boxes.length > 0 && boxes.every(({ state }) => state === 'ticked');
}
