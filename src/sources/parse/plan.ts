import { phraseMark, standOf } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import {
  cleanText,
  readLines,
  type SourceLine,
  parseField,
  withoutDecoration,
  withoutQuoteMarks,
  splitFrontMatter,
} from './field-line.ts';
import { declarePhases } from './declare-phases.ts';
import { sectionsOf, sectionsWithBoxes } from './outline.ts';
import { priorityHeads } from './phase-head.ts';
import {
  ANYWHERE,
  isDone,
  isOver,
  readPhases,
  type PlanPhase,
} from './phases.ts';
import { declareItems } from './read-format.ts';
import type { DeclaredWorkflow, SourceStatus } from '../types.ts';

/** The plan's own status decides; else whether a phase is under way, or there are both done and open items. */
export function readPlan(text: string, path: string): SourceStatus {
  const { frontMatter, lines, title, status } = parsePlan(text);
  const { value = '' } = status ?? {};
  const stand = standOf(value);
  if (stand === 'done') return { state: 'finished' };
  if (stand === 'skipped') return { state: 'cancelled' };
  if (stand === 'open') return { state: 'not_started' };

  const isGoing =
    stand === 'under way' || stand === 'paused' || stand === 'blocked';
  if (!isGoing && !lines.some(({ text: line }) => IS_ABOUT_WORK.test(line)))
    return { state: 'none' };
  const phases = phasesOf(
    lines.filter((line) => line !== title),
    value,
  );
  const folder = path.split('/').at(-2) ?? path;
  const number = /^\d{1,15}/.exec(folder)?.[0];
  const [, second] = lines.filter(({ heading }) => heading?.lines === 1);
  const preamble = lines.slice(0, second && lines.indexOf(second));
  const typeField = preamble.find(
    ({ field }) => field?.label === 'type' && field.value !== '',
  );
  const type = frontMatter.get('type') ?? typeField?.field?.value;
  const name = splitMark(cleanText(title?.heading?.text ?? '')).rest;
  const items =
    phases.length === 0
      ? declareItems(sectionsWithBoxes(sectionsOf(lines)))
      : { context: {} };
  const said: DeclaredWorkflow = {
    workflow: cleanText(name.replace(PLAN_PREFIX, '')) || folder,
    ...(type && { workflow_type: type }),
    ...declarePhases(phases),
    ...items,
    required_reading: planReading(lines, path),
    key_reminders: [],
    context: {
      ...items.context,
      ...(number && { plan_number: Number(number) }),
      plan_name: folder,
    },
  };
  if (stand === 'paused') return { state: 'paused', said };
  if (stand === 'blocked')
    return {
      state: 'active',
      said: { ...said, phase: { ...said.phase, status: 'blocked' } },
    };
  const isActive = stand === 'under way' || isBegun(phases, title, lines);
  return { state: isActive ? 'active' : 'unclear', said };
}

/** A plan whose status says nothing counts only if it is about phases or a workflow. */
const IS_ABOUT_WORK = /\b(?:phases?|workflows?)\b/i;

function phasesOf(lines: readonly SourceLine[], status: string): PlanPhase[] {
  const phases = readPhases(lines, ANYWHERE, status);
  if (phases.length > 0) return phases;
  const ranked = readPhases(lines, {
    head: priorityHeads,
    places: ['heading'],
  });
  return ranked.length > 1 ? ranked : [];
}

/** A plan, cut into what its parts are about. */
export interface ParsedPlan {
  frontMatter: ReturnType<typeof splitFrontMatter>['frontMatter'];
  lines: SourceLine[];
  title: ReturnType<typeof findTitle>;
  /** The plan's own, with the line that it stands in; undefined if it has none. */
  status: { value: string; line: number } | undefined;
}

export function parsePlan(text: string): ParsedPlan {
  const { frontMatter, body } = splitFrontMatter(text);
  const lines = readLines(body);
  const title = findTitle(lines);
  const inFront = frontMatter.get('status');
  const inBody = planStatus(lines, title);
  const above = text.slice(0, text.length - body.length).split('\n').length - 1;
  const status = inFront
    ? { value: inFront, line: 2 }
    : inBody && { value: inBody.value, line: inBody.line + above };
  return { frontMatter, lines, title, status };
}

/** Counts only where the plan's own status does not say. */
function isBegun(
  phases: readonly PlanPhase[],
  title: SourceLine | undefined,
  lines: readonly SourceLine[],
): boolean {
  const ofTitle = splitMark(title?.heading?.text ?? '').mark;
  if (ofTitle === 'done' || ofTitle === 'under way')
    return ofTitle === 'under way';
  if (phases.some(({ mark }) => mark === 'under way' || mark === 'blocked'))
    return true;
  const boxes = new Set(lines.map(({ item }) => item?.text && item.box));
  const hasDone = phases.some(isDone) || boxes.has('ticked');
  return (
    hasDone && (phases.some((phase) => !isOver(phase)) || boxes.has('open'))
  );
}

const PLAN_PREFIX =
  /^plan(?:[\s#-]{0,3}\d+[a-z]?)?\s{0,3}(?::|[–—]|(?<=\s)-(?=\s|$))/i;

/** The first heading of level 1 that is no phase; the only one is a title even if it reads `# Phase 2 rollout`. */
function findTitle(lines: SourceLine[]): SourceLine | undefined {
  const candidates = lines.filter(({ heading }) => heading?.level === 1);
  const title = candidates.find(
    ({ heading }) => !ANYWHERE.head(heading?.text ?? ''),
  );
  return title ?? (candidates.length === 1 ? candidates[0] : undefined);
}

/** Each costs a file-system call, and a plan may name any number of files. */
const MAX_DOCUMENTS = 200;

/** The plan itself, the project's rules for plans, and the documents that the plan names. */
function planReading(lines: SourceLine[], path: string): string[] {
  const named = lines
    .filter(({ shown }) => /claude\//i.test(shown))
    .flatMap(({ shown }) => shown.split(/[\s`"'()[\]<>|*,;]+/))
    .flatMap((word) => DOCUMENT.exec(word)?.[1] ?? []);
  const documents = named.filter((document) => !document.includes('/../'));
  return [...new Set([path, 'CLAUDE/PlanWorkflow.md', ...documents])]
    .slice(0, MAX_DOCUMENTS)
    .map((document) => `@${document}`);
}

const DOCUMENT =
  /^@?(?:\.\/)?((?:CLAUDE|\.claude)\/[^#]*?\.md)(?:#.*|[.:!?]{1,3})?$/;

/** The status of a phase or a task does not count. */
function planStatus(
  lines: readonly SourceLine[],
  title: SourceLine | undefined,
) {
  let headings = 0;
  let workLevel = Infinity;
  let followsStatusHeading = false;
  for (const line of lines) {
    const { heading, item, field, text } = line;
    if (text.trim() === '') continue;
    if (heading?.lines === 1) {
      headings += 1;
      const isStatus = isStatusLabel(
        parseField(heading.text)?.label ?? heading.text,
      );
      const isWork = line !== title && !isStatus && WORK.test(heading.text);
      if (heading.level <= workLevel)
        workLevel = isWork ? heading.level : Infinity;
    }
    if (workLevel < Infinity) continue;

    // An item with a box, or below another one, has a status of its own.
    const isOfItem =
      item !== undefined && (item.box !== undefined || item.indent > 1);
    const isField =
      field !== undefined && !isOfItem && isStatusLabel(field.label);
    const value = (isField && field.value) || rowStatus(text);
    if (value) return { value, line: line.number };
    // A sentence in the preamble may begin with such a word, too; in a list or a table it may be a legend.
    const mayStandAlone =
      headings <= 1 &&
      !item &&
      !/^\s*\|/.test(text) &&
      phraseMark(withoutDecoration(text));
    if (!heading && (followsStatusHeading || mayStandAlone) && standOf(text))
      return { value: text.trim(), line: line.number };
    followsStatusHeading = heading !== undefined && isStatusLabel(heading.text);
  }
  return undefined;
}

const WORK =
  /\b(?:phases?|(?:sub)?tasks?|steps?|stages?|milestones?|todos?)\b/i;

const isStatusLabel = (label: string): boolean =>
  /^(?:(?:plan|current|overall|project|implementation|work)\s+){0,2}status\W{0,9}$/i.test(
    withoutDecoration(label),
  );

/** Reads `| Status | In Progress |`. In the header of a task table, the second cell is not a status. */
function rowStatus(text: string): string | undefined {
  const [before, label = '', value = ''] = withoutQuoteMarks(text).split(
    '|',
    3,
  );
  return before?.trim() === '' && isStatusLabel(label) && standOf(value)
    ? value.trim()
    : undefined;
}
