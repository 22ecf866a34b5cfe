import { labelFrom } from '../../state/phase-labels.ts';
import { NEXT_ITEM } from '../../state/plan-of-run.ts';
import type { DeclaredPhase } from '../../state/types.ts';
import { truncate } from '../../text/sanitize.ts';
import type { DeclaredWorkflow, SourceStatus } from '../types.ts';
import { cutName, declarePhases, MAX_PHASES } from './declare-phases.ts';
import { cleanText } from './field-line.ts';
import {
  isPlaceholder,
  readOutline,
  sectionsWithBoxes,
  type Outline,
} from './outline.ts';
import { isOver, readPhases, type PlanPhase } from './phases.ts';
import {
  baseName,
  folderName,
  type DocumentContent,
  type PlanFormat,
  type PlanReading,
  type PlanSource,
} from './plan-format.ts';

/**
 * A plan is in progress if it has both done and open items, if a phase is marked as under way, or if the tool's own
 * pointer names it. That a file exists says nothing: tools keep finished plans and plans that nobody has begun. A person
 * who started a run from the plan (`isStarted`) overrules that, and a plan that is on hold.
 */
export function readFormat(
  format: PlanFormat,
  source: PlanSource,
  isStarted = false,
): SourceStatus {
  const isPointedTo = isStarted || (format.isPointedTo?.(source) ?? false);
  const plan = describePlan(format, source);
  if (plan === undefined || plan.phases.length === 0) return { state: 'none' };
  const { name, phases, isHeld = false } = plan;
  if (isPlaceholder(name)) return { state: 'none' };
  if (phases.every(isOver)) return { state: 'finished' };
  if (!isHeld && !phases.some(hasBegun) && !isPointedTo)
    return { state: 'not_started' };

  const { path } = source;
  const siblings = format.siblings.map((each) => siblingPath(path, each));
  return {
    state: isHeld && !isStarted ? 'paused' : 'active',
    said: {
      workflow: cutName(name),
      workflow_type: 'implementation',
      ...declarePlan(plan),
      required_reading: [path, ...siblings].map((each) => `@${each}`),
      key_reminders: [],
    },
  };
}

function hasBegun({ mark, boxes }: PlanPhase): boolean {
  const isMarked =
    mark === 'under way' || mark === 'blocked' || mark === 'done';
  return isMarked || boxes.some(({ state }) => state !== 'open');
}

function siblingPath(path: string, name: string): string {
  let sibling = path.replace(/[^/]*$/, name.replace('*', baseName(path)));
  // Of `plans/../specs/a.md`, `specs/a.md` is left.
  while (/[^/]+\/\.\.\//.test(sibling))
    sibling = sibling.replace(/[^/]+\/\.\.\//, '');
  return sibling;
}

/** Undefined if the file is not a plan of this tool, or still the tool's template. */
export function describePlan(
  { content }: PlanFormat,
  source: PlanSource,
): PlanReading | undefined {
  const outline = readOutline(source.text);
  const reading =
    typeof content === 'function'
      ? content(source, outline)
      : describeDocument(content, source, outline);
  if (reading === undefined || reading.phases.length > 0) return reading;
  return {
    ...reading,
    phases: sectionsWithBoxes(outline.sections),
    isUnphased: true,
  };
}

function describeDocument(
  { name, head, places, needsItems }: DocumentContent,
  { path }: PlanSource,
  outline: Outline,
): PlanReading {
  const read = readPhases(outline.lines, { head, places });
  const hasItems = ({ mark, boxes }: PlanPhase): boolean =>
    mark !== undefined || boxes.length > 0;
  const phases = needsItems ? read.filter(hasItems) : read;
  const title =
    name === 'folder' ? '' : outline.title.replace(name.titleWithout, '');
  const folder = folderName(path).replace(/^\.planning$/, '');
  return { name: title || folder || 'Task plan', phases };
}

/** The phases, the next item of the current one, and those of the phases that a run may be in instead. */
export function declarePlan({
  phases,
  isUnphased = false,
  position,
  facts = {},
  hasStaleItems = false,
}: PlanReading): Pick<
  DeclaredWorkflow,
  | 'phase'
  | 'phases'
  | 'labels'
  | 'skipped'
  | 'undone'
  | 'context'
  | 'next_items'
> {
  if (isUnphased) return declareItems(phases);
  const declared = declarePhases(phases);
  if (position !== undefined)
    declared.phase = positioned(declared.phase, position);
  if (hasStaleItems) return { ...declared, context: facts };
  const items = phases.slice(0, MAX_PHASES).flatMap((each, index) => {
    const item = nextItem(each);
    return item === undefined ? [] : [[index + 1, item] as const];
  });
  const nextItems: Record<string, string> = Object.fromEntries(items);
  const current = declared.phase?.current;
  const next = current === undefined ? undefined : nextItems[current];
  const context = next === undefined ? facts : { ...facts, [NEXT_ITEM]: next };
  return items.length === 0
    ? { ...declared, context }
    : { ...declared, context, next_items: nextItems };
}

/** A plan without phases has only a next item. */
export function declareItems(
  sections: readonly PlanPhase[],
): Pick<DeclaredWorkflow, 'context' | 'next_items'> {
  const open = sections.filter((section) => !isOver(section));
  const [next] = open.flatMap((section) => nextItem(section) ?? []);
  if (next === undefined) return { context: {} };
  return { context: { [NEXT_ITEM]: next }, next_items: { 1: next } };
}

/** The line of the plan stands for numbers that are not known. */
function positioned(
  phase: DeclaredPhase | undefined,
  { line, label }: NonNullable<PlanReading['position']>,
): DeclaredPhase {
  const { total: _total, label: _label, ...kept } = phase ?? {};
  const own = labelFrom(label);
  const named = own === undefined ? kept : { ...kept, label: own };
  return { ...named, total_known: false, line };
}

const MAX_ITEM = 300;

/** The item that is under way, else the first open one; if it has open items below it, the first of those. */
function nextItem({ boxes }: PlanPhase): string | undefined {
  const underWay = boxes.findIndex(({ state }) => state === 'under way');
  const open = boxes.findIndex(({ state }) => state === 'open');
  let index = underWay >= 0 ? underWay : open;
  let box = boxes[index];
  for (let below = boxes[index + 1]; box && below; below = boxes[index + 1]) {
    if (below.depth <= box.depth) break;
    index += 1;
    if (below.state !== 'ticked') box = below;
  }
  return box && truncate(cleanText(box.text), MAX_ITEM);
}
