import { LETTERS } from '../markdown/characters.ts';
import type { Heading, MarkdownLine } from '../markdown/types.ts';
import { parseField, parseListItem, withoutDecoration, withoutQuoteMarks } from './field-line.ts';
import { markIn } from './marks.ts';

export type PlanStatus = 'in progress' | 'finished' | 'waiting';

/** The plan's own status; undefined if it has none. The status of a phase or a task does not count. */
export function planStatus(
  lines: MarkdownLine[],
  title: MarkdownLine | undefined,
): PlanStatus | undefined {
  const outline = new Outline();
  let followsStatusHeading = false;
  for (const line of lines) {
    if (line.kind === 'code' || line.text.trim() === '') continue;
    if (line.heading?.lines === 1) outline.enter(line.heading, line === title);
    if (outline.inWork) continue;

    const status = fieldStatus(line) ?? rowStatus(line.text);
    if (status) return status;
    const mayStandAlone = followsStatusHeading || (outline.inPreamble && !isListed(line.text));
    const alone = mayStandAlone && !line.heading ? statusOf(line.text) : undefined;
    if (alone?.isAll) return alone.status;
    followsStatusHeading = line.heading !== undefined && isStatusLabel(line.heading.text);
  }
  return undefined;
}

/** Tracks which sections the current line is in. The preamble ends at the second heading. */
class Outline {
  #sections: { level: number; isWork: boolean }[] = [];
  #headings = 0;

  enter(heading: Heading, isTitle: boolean): void {
    this.#headings += 1;
    this.#sections = this.#sections.filter(({ level }) => level < heading.level);
    const isStatus = isStatusLabel(parseField(heading.text)?.label ?? heading.text);
    this.#sections.push({
      level: heading.level,
      isWork: !isTitle && !isStatus && WORK.test(heading.text),
    });
  }

  get inWork(): boolean {
    return this.#sections.some(({ isWork }) => isWork);
  }

  get inPreamble(): boolean {
    return this.#headings <= 1;
  }
}

const WORK = /\b(?:phases?|(?:sub)?tasks?|steps?|stages?|milestones?|todos?)\b/i;

function isStatusLabel(label: string): boolean {
  return /^(?:(?:plan|current)\s+)?status\W{0,9}$/i.test(withoutDecoration(label));
}

function fieldStatus({ text }: MarkdownLine): PlanStatus | undefined {
  const field = parseField(text);
  if (!field || field.value === '' || !isStatusLabel(field.label)) return undefined;
  const item = parseListItem(text);
  const isOfParentItem = item !== undefined && (item.box !== undefined || item.indent > 1);
  return isOfParentItem ? undefined : statusOfValue(field.value);
}

/** Reads `| Status | In Progress |`. In the header of a task table, the second cell is not a status. */
function rowStatus(text: string): PlanStatus | undefined {
  const [before, label = '', value = ''] = withoutQuoteMarks(text).split('|', 3);
  return before?.trim() === '' && isStatusLabel(label) ? statusOf(value)?.status : undefined;
}

/** A status in a list or a table belongs to something else, or to a legend. */
function isListed(text: string): boolean {
  return text.trimStart().startsWith('|') || parseListItem(text) !== undefined;
}

/** The status that the value of a status field gives; a mark counts if the words do not say. */
export function statusOfValue(value: string): PlanStatus {
  const byWords = statusOf(value)?.status;
  if (byWords) return byWords;
  const mark = markIn(BEFORE_WORDS.exec(withoutStruckText(value))?.[0] ?? '');
  return mark === 'done' ? 'finished' : mark === 'under way' ? 'in progress' : 'waiting';
}

/** The status a text starts with; `isAll` is false if a sentence continues behind it. */
export function statusOf(text: string): { status: PlanStatus; isAll: boolean } | undefined {
  const words = withoutStruckText(text).slice(0, 200).replace(BEFORE_WORDS, '');
  for (const [status, pattern] of STATUS_WORDS) {
    const match = pattern.exec(words);
    if (!match) continue;
    const rest = words.slice(match[0].length);
    return { status, isAll: NO_WORD.test(rest) };
  }
  return undefined;
}

const BEFORE_WORDS = new RegExp(`^[^${LETTERS}]*`, 'i');
const NO_WORD = new RegExp(String.raw`^\s*(?:$|[^${LETTERS}\s])`, 'i');

const STATUS_WORDS: [PlanStatus, RegExp][] = [
  ['in progress', /^in[\s_-]{1,3}progress\b/i],
  [
    'finished',
    /^(?:completed?|done|finished|closed|cancell?ed|abandoned|superseded|obsolete|deprecated|archived|rejected|dropped|withdrawn|implemented|shipped|released)\b/i,
  ],
  [
    'waiting',
    /^(?:not[\s_-](?:yet[\s_-])?(?:started|in[\s_-]progress)|on[\s_-]hold|paused|blocked|draft|proposed|planned|planning|pending|waiting|deferred|postponed|ready|to[\s_-]?do|backlog)\b/i,
  ],
];

function withoutStruckText(text: string): string {
  const pieces = text.slice(0, 1000).split('~~');
  return pieces.filter((_, index) => index % 2 === 0 || index === pieces.length - 1).join('');
}
