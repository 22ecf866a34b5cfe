import { truncate } from '../../util/sanitize.ts';
import { cleanText } from '../field-line.ts';
import { TICKS } from '../marks.ts';
import { readOutline, type Box } from '../outline.ts';
import { declarePhases, isDone, MAX_PHASES, type NamedPhase } from '../phase-progress.ts';
import { NEXT_ITEM } from '../../state/next-item.ts';
import type { DeclaredWorkflow, SourceStatus } from '../types.ts';
import { cutName, isPlaceholder } from './phases.ts';
import type { PlanFormat, PlanPhase, PlanSource } from './types.ts';

/**
 * A plan is in progress if it has both done and open items, if a phase is marked as under way, or if the tool's own
 * pointer names it. That a file exists says nothing: tools keep finished plans and plans that nobody has begun. A person
 * who started a run from the plan (`isStarted`) overrules that, and a plan that is on hold.
 */
export function readFormat(
  format: PlanFormat,
  source: PlanSource,
  { isStarted = false }: { isStarted?: boolean } = {},
): SourceStatus {
  const isPointedTo = isStarted || (format.isPointedTo?.(source) ?? false);
  const early = format.usesBoxes && !isPointedTo ? statusByBoxes(source.text) : undefined;
  if (early) return early;

  const plan = format.describe(source, readOutline(source.text));
  if (plan === undefined || plan.phases.length === 0 || isPlaceholder(plan.name))
    return { state: 'none' };
  const phases = plan.phases.map(toNamedPhase);
  if (phases.every(isDone)) return { state: 'finished' };
  const hasBegun = phases.some(
    ({ mark, boxes }) =>
      mark === 'under way' || mark === 'done' || boxes.some((state) => state === 'ticked'),
  );
  if (!isStarted && (plan.isHeld || !(hasBegun || isPointedTo))) return { state: 'inactive' };

  const { phase, phases: names } = declarePhases(phases);
  return {
    state: 'active',
    said: {
      workflow: cutName(plan.name),
      workflow_type: 'implementation',
      ...(phase && { phase }),
      ...(names && plan.phases.every(({ name }) => name !== undefined) && { phases: names }),
      required_reading: [source.path, ...format.siblings(source.path).filter(source.exists)].map(
        (path) => `@${path}`,
      ),
      key_reminders: [],
      ...declareItems(plan.phases, phase?.current),
    },
  };
}

/**
 * Most plans of a project are finished or not begun, and parsing all of them would take a hook too long. A plan without
 * a ticked box or without an open one needs no parsing.
 */
function statusByBoxes(text: string): SourceStatus | undefined {
  if (UNDER_WAY_BOX.test(text)) return undefined;
  const hasOpen = OPEN_BOX.test(text);
  if (TICKED_BOX.test(text)) return hasOpen ? undefined : { state: 'finished' };
  return { state: hasOpen ? 'inactive' : 'none' };
}

const LIST_MARK = String.raw`^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+`;
const OPEN_BOX = new RegExp(String.raw`${LIST_MARK}\[ \](?!\*)`, 'm');
const UNDER_WAY_BOX = new RegExp(String.raw`${LIST_MARK}\[[-~]\]`, 'm');
const TICKED_BOX = new RegExp(String.raw`${LIST_MARK}\[[${TICKS}]`, 'm');

export function toNamedPhase({ name = '', mark, boxes }: PlanPhase): NamedPhase {
  return { name: cutName(name), mark, boxes: requiredBoxes(boxes).map(({ state }) => state) };
}

/** Optional items do not keep a plan open. */
function requiredBoxes(boxes: readonly Box[]): Box[] {
  return boxes.filter(({ isOptional }) => !isOptional);
}

/** The next item of the current phase, and those of the phases that a run may be in instead. */
export function declareItems(
  phases: readonly PlanPhase[],
  current = 1,
): Pick<DeclaredWorkflow, 'context' | 'next_items'> {
  const items = phases.slice(0, MAX_PHASES).flatMap((phase, index) => {
    const item = nextItem(phase);
    return item === undefined ? [] : [[index + 1, item] as const];
  });
  const next_items = Object.fromEntries(items);
  const next = next_items[current];
  return {
    context: next === undefined ? {} : { [NEXT_ITEM]: next },
    ...(items.length > 0 && { next_items }),
  };
}

const MAX_ITEM = 300;

/** The item that is under way, else the first open one; if it has open items below it, the first of those. */
function nextItem(phase: PlanPhase): string | undefined {
  const boxes = requiredBoxes(phase.boxes);
  const underWay = boxes.findIndex(({ state }) => state === 'under way');
  let index = underWay >= 0 ? underWay : boxes.findIndex(({ state }) => state === 'open');
  let box = boxes[index];
  for (let below = boxes[index + 1]; box && below; below = boxes[index + 1]) {
    if (below.depth <= box.depth) break;
    index += 1;
    if (below.state !== 'ticked') box = below;
  }
  if (!box) return undefined;
  return truncate(cleanText(box.text), MAX_ITEM);
}
