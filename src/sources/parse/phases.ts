import { LETTERS } from '../../text/markdown/scan.ts';
import { phraseMark, standOf } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import { pictureMark } from '../../state/words/signs.ts';
import {
  PHASE_WORDS,
  STATUS_LABELS,
  type Mark,
} from '../../state/words/vocabulary.ts';
import { BoxReader } from './boxes.ts';
import {
  cleanText,
  withoutQuoteMarks,
  type Box,
  type BoxState,
  type ListItem,
  type SourceLine,
} from './field-line.ts';
import { headsOf, type HeadReader, type PhaseHead } from './phase-head.ts';

/** How far a phase is: a mark on its heading counts more than the boxes below it. */
export interface PlanPhase {
  /** Undefined if only the number of phases is known. */
  name: string | undefined;
  /** The number that the plan itself gives the phase. */
  label?: string | undefined;
  mark: Mark | undefined;
  /** The plan's word for a phase that is skipped. */
  word?: string | undefined;
  boxes: Box[];
}

export type KeyedPhase = PlanPhase & { key: string };

/** Where the phases of a plan may be; where there are several, the first that has the most of them counts. */
export type PhasePlace = 'heading' | 'row' | 'item' | 'line';

/** How a plan writes its phases. */
export interface PhaseStyle {
  /** What a phase begins with. */
  head: HeadReader;
  places: readonly PhasePlace[];
  /** Whether `- ✅ text`, without a box, is an item. */
  takesSigns?: boolean;
}

/** `Phase 2: Build`, wherever people write it. */
export const ANYWHERE: PhaseStyle = {
  head: headsOf(['phase']),
  places: ['heading', 'row', 'item', 'line'],
  takesSigns: true,
};

/** The phases of a plan. `status` is that of the plan, which may name phases, too: `Phase 1 done, Phase 2 in progress`. */
export function readPhases(
  lines: readonly SourceLine[],
  style: PhaseStyle,
  status = '',
): KeyedPhase[] {
  const entries = entriesIn(lines, style);
  const found = style.places.map((place) => collect(entries, place));
  const [best] = found.toSorted((a, b) => b.size - a.size);
  // One line of a text may begin with a phase.
  const isByChance = best?.size === 1 && best !== found[0];
  if (best === undefined || best.size === 0 || isByChance)
    return listedPhases(entries);

  const named = phasesInStatus(status, style.head);
  for (const [key, phase] of best) {
    const others = found.filter((each) => each !== best);
    addFromOthers(
      phase,
      others.flatMap((each) => each.get(key) ?? []),
    );
    const inStatus = named.find((each) => isAbout(each.key, key));
    if (inStatus && phase.boxes.length === 0) phase.mark ??= inStatus.mark;
  }
  return [...best.values()];
}

/**
 * An overview may say more than the headings: `| Phase 1 | done |` above `## Phase 1`. Of a phase that is under way in
 * one place and done in another, the first was forgotten.
 */
function addFromOthers(phase: PlanPhase, others: readonly PlanPhase[]): void {
  const marks = others.map(({ mark }) => mark);
  phase.mark ??= marks.find((mark) => mark !== 'open' && mark !== undefined);
  if (phase.mark === 'under way' && marks.includes('done')) phase.mark = 'done';
  if (phase.boxes.length > 0) return;
  phase.boxes = others.find(({ boxes }) => boxes.length > 0)?.boxes ?? [];
}

function phasesInStatus(status: string, head: HeadReader): PhaseHead[] {
  const parts = status.split(/[,;]|(?:&|\band)(?=\s*phase)/i);
  return parts.flatMap((part) => {
    const named = head(part);
    const isBare = /^\W*phase \S{1,9}(?: of \d{1,4})?\W*$/i.test(part);
    if (named === undefined) return [];
    const mark = named.mark ?? (isBare ? 'under way' : undefined);
    return [{ ...named, mark }];
  });
}

/** `1-3` and `1 & 2` are about several. */
function isAbout(keys: string, key: string): boolean {
  const [from = 0, to = from] = keys.split(/[-–&+]/).map(Number);
  return key === keys || (Number(key) >= from && Number(key) <= to);
}

interface Entry {
  place: PhasePlace;
  phase: PhaseHead | undefined;
  /** Of a heading; other lines are deeper than any. */
  level: number;
  indent: number;
  box?: Box | undefined;
  item?: ListItem | undefined;
  status?: Mark | undefined;
  /** Below a heading such as `## Phases`. */
  isListed: boolean;
  table?: Table | undefined;
}

const ANY_LEVEL = 7;

function entriesIn(lines: readonly SourceLine[], style: PhaseStyle): Entry[] {
  const reader = new EntryReader(style);
  return lines
    .filter(({ text, struck = '' }) => (text + struck).trim() !== '')
    .map((line) => reader.read(line));
}

/** What was read before tells what a line is: the header of its table, the heading above it, the items it is nested in. */
class EntryReader {
  #table: Table | undefined;
  #sectionMark: Mark | undefined;
  #isListed = false;
  readonly #boxes: BoxReader;

  private readonly head: HeadReader;
  readonly #mayBeLine: boolean;

  constructor({ head, places, takesSigns }: PhaseStyle) {
    this.#boxes = new BoxReader(takesSigns);
    this.head = head;
    this.#mayBeLine = places.some((place) => place !== 'heading');
  }

  read(line: SourceLine): Entry {
    return line.heading
      ? this.#readHeading(line, line.heading)
      : this.#readLine(line);
  }

  #readHeading(
    { struck }: SourceLine,
    { level, text }: NonNullable<SourceLine['heading']>,
  ): Entry {
    const phase =
      this.head(text, { isStrict: false, level }) ??
      this.#cancelled(text, struck, level);
    const title = cleanText(text).replace(UNIT_AT_END, '');
    // Phases listed below `## Completed` are done.
    this.#sectionMark = phase ? undefined : phraseMark(title);
    this.#isListed = phase === undefined && isListOfPhases(text);
    this.#table = undefined;
    this.#boxes.startSection();
    return { place: 'heading', phase, level, indent: 0, isListed: false };
  }

  #readLine({ text, item, field, struck }: SourceLine): Entry {
    const line = withoutQuoteMarks(text);
    const isRow = line.trimStart().startsWith('|');
    this.#table = isRow ? (this.#table ?? newTable()) : undefined;
    const phase = this.#phaseIn(line, struck);
    if (phase) phase.mark ??= this.#sectionMark;

    const box = item && this.#boxes.read(item, text);
    const status = isRow || item?.box ? undefined : statusIn(text, field);
    const otherPlace = item ? 'item' : 'line';
    return {
      place: isRow ? 'row' : otherPlace,
      phase,
      level: ANY_LEVEL,
      indent: item?.indent ?? 0,
      item,
      box,
      status,
      isListed: this.#isListed,
      table: this.#table,
    };
  }

  /** Most tools write phases as headings only, so that other lines need not be looked at. */
  #phaseIn(line: string, struck: string | undefined): PhaseHead | undefined {
    if (!this.#mayBeLine) return undefined;
    if (this.#table) return rowPhase(line, this.#table, this.head);
    return this.head(line, { isStrict: true }) ?? this.#cancelled(line, struck);
  }

  /** `~~Phase 2: Review~~ — CANCELLED`: what is struck out is gone, but for what is said about it. */
  #cancelled(
    visible: string,
    struck: string | undefined,
    level?: number,
  ): PhaseHead | undefined {
    if (struck === undefined || phraseMark(visible) !== 'skipped')
      return undefined;
    const isStrict = level === undefined;
    const phase = this.head(struck.replace(/^#+\s/, ''), { isStrict, level });
    if (phase === undefined) return undefined;
    const { word } = splitMark(struck);
    return { ...phase, mark: 'skipped', word: word ?? phase.word };
  }
}

/** `## Completed work` is about what is completed. */
const UNIT_AT_END = /\s(?:phases?|work|tasks?|items?|steps?)\W*$/i;

const LISTS = new Set(
  Object.values(PHASE_WORDS)
    .flat()
    .flatMap(([, words]) => words.split(', ')),
);

/** `## Phases`. */
function isListOfPhases(heading: string): boolean {
  return LISTS.has(cleanText(heading).toLowerCase().replaceAll(NO_LETTER, ''));
}

const NO_LETTER = new RegExp(`[^${LETTERS}]`, 'g');

/** `**Status**: ✅ Complete` below a heading that has no mark of its own, or `✅ COMPLETE` in a line of its own. */
function statusIn(text: string, field: SourceLine['field']): Mark | undefined {
  const value = field?.label === 'status' ? field.value : '';
  if (value === '') return loneMark(text);
  const own = phraseMark(value) ?? standOf(value) ?? pictureMark(value);
  return own ?? loneMark(text);
}

function loneMark(text: string): Mark | undefined {
  // Cut, because the expression is quadratic; no mark is longer.
  const isAlone = /^(?:[^\w\s|>-]|[A-Z _]+\W*$)/.test(text.slice(0, 200));
  return isAlone ? phraseMark(text) : undefined;
}

function collect(
  entries: readonly Entry[],
  place: PhasePlace,
): Map<string, KeyedPhase> {
  const phases = new Map<string, KeyedPhase>();
  const plain = plainKeys(entries, place);
  let open: OpenPhase | undefined;
  // A status below another heading is that of a task.
  let isDirectlyBelow = false;
  for (const entry of entries) {
    const { place: own, phase, level, indent, box, status } = entry;
    const isHeading = level < ANY_LEVEL;
    const isHead =
      phase !== undefined &&
      own === place &&
      entry.table?.isLog !== true &&
      !isPartOf(entry, open) &&
      (phase.isPlain || !plain.has(phase.key));
    if (isHead) {
      const found = phaseFor(phases, phase, entry);
      open = { phase: found, key: phase.key, level, indent };
      isDirectlyBelow = true;
      continue;
    }
    if (open === undefined) continue;
    const isEnd = isHeading
      ? level <= open.level
      : place === 'item' && box !== undefined && indent <= open.indent;
    if (isEnd) {
      open = undefined;
      continue;
    }
    if (isHeading) isDirectlyBelow = false;
    if (isDirectlyBelow) open.phase.mark ??= status;
    if (box) open.phase.boxes.push(box);
  }
  return phases;
}

interface OpenPhase {
  phase: PlanPhase;
  key: string;
  level: number;
  indent: number;
}

/** The phases that have a head of their own, so that `Phase 1 Summary` need not stand for one. */
function plainKeys(
  entries: readonly Entry[],
  place: PhasePlace,
): ReadonlySet<string> {
  const heads = entries.flatMap((entry) =>
    entry.place === place && entry.phase?.isPlain ? [entry.phase.key] : [],
  );
  return new Set(heads);
}

/** `2.1` and `2a` below `2`. */
function isPartOf(
  { phase, level, indent }: Entry,
  open: OpenPhase | undefined,
): boolean {
  if (open === undefined || phase === undefined) return false;
  const isDeeper = level > open.level || indent > open.indent;
  const end = phase.key.slice(open.key.length);
  return isDeeper && phase.key.startsWith(open.key) && /^[.a-z]/.test(end);
}

/** A later head with the same number belongs to the same phase. */
function phaseFor(
  phases: Map<string, KeyedPhase>,
  { key, label, name, mark, word }: PhaseHead,
  { item }: Entry,
): KeyedPhase {
  const found = phases.get(key) ?? {
    key,
    label,
    name,
    mark: undefined,
    boxes: [],
  };
  // An empty box beside a phase only says that it is not done.
  const isEmptyBox = item?.box === 'open' && mark === 'open' && !word;
  if (found.mark === undefined && !isEmptyBox)
    Object.assign(found, { mark, word });
  phases.set(key, found);
  return found;
}

/** The items of a list below `## Phases`, which are phases without a number. */
function listedPhases(entries: readonly Entry[]): KeyedPhase[] {
  const items = entries.filter(
    ({ isListed, item, indent }) =>
      isListed && item !== undefined && indent === 0 && item.text !== '',
  );
  if (items.length < 2) return [];
  return items.map(({ item, box }, index) => {
    const { rest, mark, word } = splitMark(cleanText(item?.text ?? ''));
    const own = markOfBox(box?.state) ?? mark;
    const key = String(index + 1);
    return { key, label: undefined, name: rest, mark: own, word, boxes: [] };
  });
}

function markOfBox(state: BoxState | undefined): Mark | undefined {
  if (state === 'ticked') return 'done';
  return state === 'under way' ? 'under way' : undefined;
}

interface Table {
  header?: string[];
  last: string[];
  /** The phases that its rows name. */
  keys: Set<string>;
  /** A table that names a phase twice is a log of what was done in each. */
  isLog: boolean;
}

function newTable(): Table {
  return { last: [], keys: new Set(), isLog: false };
}

/** A phase is named by one of these cells; the others may name the phases that it depends on. */
const HEAD_CELLS = 2;
const MAX_CELLS = 20;

/** Rows such as `| Phase 1 | Setup | ✅ Done |`, or `| 1 | Setup | Done |` below a header that has a column `Phase`. */
function rowPhase(
  row: string,
  table: Table,
  head: HeadReader,
): PhaseHead | undefined {
  const cells = row
    .trim()
    .replaceAll(/^\||\|$/g, '')
    .split('|', MAX_CELLS)
    .map((cell) => cleanText(cell));
  if (cells.every((cell) => /^:?-+:?$/.test(cell))) {
    table.header = table.last;
    return undefined;
  }
  table.last = cells;
  const header = table.header ?? [];
  const named = cells.slice(0, HEAD_CELLS).findIndex((cell) => head(cell));
  const at = named >= 0 ? named : phaseColumn(header);
  const cell = cells[at] ?? '';
  const found = named >= 0 ? head(cell) : numberedCell(cell, head);
  if (found === undefined) return undefined;
  table.isLog ||= table.keys.has(found.key);
  table.keys.add(found.key);
  cells[at] = '';
  const status = cells[header.findIndex(isStatusColumn)] ?? '';
  const word = [status, ...cells].find((each) => cellMark(each));
  const isNameless =
    /^\S+ \S+$/.test(found.name) && found.name.endsWith(found.key);
  const name = cells.find(
    (each, cellAt) => cellAt > at && each !== '' && each !== word,
  );
  return {
    ...found,
    name: (isNameless && name) || found.name,
    mark: found.mark ?? cellMark(word ?? ''),
    word,
  };
}

/** `2` in a column of phases. */
function numberedCell(cell: string, head: HeadReader): PhaseHead | undefined {
  const isNumber = /^[^\w]*(?:\d{1,4}(?:\.\d{1,3})?[a-z]?|[A-Z])(?![\w%])/;
  return isNumber.test(cell)
    ? head(`Phase ${splitMark(cell).rest}`)
    : undefined;
}

/** A column of mere numbers is one of phases only if another says how far each is. */
function phaseColumn(header: readonly string[]): number {
  const labels = header.map((cell) => cell.toLowerCase());
  const named = labels.findIndex(
    (label) => LISTS.has(label) || /^phase\b.{0,10}$/.test(label),
  );
  const isNumbered = /^(?:#|no\.?|nr\.?)$/.test(labels[0] ?? '');
  if (named >= 0 || !isNumbered) return named;
  return labels.some(isStatusColumn) ? 0 : -1;
}

const STATUS_COLUMNS = new Set([
  'progress',
  ...STATUS_LABELS.flatMap(([, labels]) => labels.split(', ')),
]);

function isStatusColumn(cell: string): boolean {
  return STATUS_COLUMNS.has(cell.toLowerCase());
}

function cellMark(cell: string): Mark | undefined {
  const byWord = phraseMark(cell);
  if (byWord !== undefined) return byWord;
  return splitMark(cell).rest === '' ? pictureMark(cell) : undefined;
}

/** Done or skipped. */
export function isOver(phase: PlanPhase): boolean {
  return phase.mark === 'skipped' || isDone(phase);
}

export function isDone({ mark, boxes }: PlanPhase): boolean {
  if (mark !== undefined) return mark === 'done';
  return boxes.length > 0 && boxes.every(({ state }) => state === 'ticked');
}

/** How much of a phase is ticked, by all of its boxes or by those that are not nested, whichever is more. */
export function tickedShare({ boxes }: PlanPhase): number {
  const outer = boxes.filter(({ depth }) => depth === 0);
  return Math.max(shareOf(boxes), shareOf(outer));
}

function shareOf(boxes: readonly Box[]): number {
  if (boxes.length === 0) return 0;
  const ticked = boxes.filter(({ state }) => state === 'ticked');
  return ticked.length / boxes.length;
}
