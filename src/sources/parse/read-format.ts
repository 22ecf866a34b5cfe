import { truncate } from '../../text/sanitize.ts';
import { NEXT_ITEM } from '../../state/plan-of-run.ts';
import { cleanText } from './field-line.ts';
import { baseName } from './formats.ts';
import {
  isPlaceholder,
  numberedHeading,
  phasesByHeading,
  phasesBySection,
  readOutline,
  withoutNumber,
  type Outline,
  type PlanFormat,
  type PlanSource,
} from './outline.ts';
import {
  cutName,
  declarePhases,
  isOver,
  MAX_PHASES,
  type PlanPhase,
} from './plan-phases.ts';
import { readPlan } from './plan.ts';
import type { DeclaredWorkflow, SourceStatus } from '../types.ts';

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
  const plan = format.describe(source, readOutline(source.text));
  if (
    plan === undefined ||
    plan.phases.length === 0 ||
    isPlaceholder(plan.name)
  )
    return { state: 'none' };
  const { name, phases, line, isHeld = false } = plan;
  if (phases.every(isOver)) return { state: 'finished' };
  const hasBegun = phases.some(
    ({ mark, boxes }) =>
      mark === 'under way' ||
      mark === 'blocked' ||
      mark === 'done' ||
      boxes.some(({ state }) => state === 'ticked'),
  );
  if (!isHeld && !hasBegun && !isPointedTo) return { state: 'not_started' };

  const declared = declareItems(phases, declarePhases(phases));
  const { total: _total, ...phase } = declared.phase ?? {};
  const { path } = source;
  const siblings = format.siblings.map((each) =>
    path
      .replace(/[^/]*$/, each.replace('*', baseName(path)))
      // Of `plans/../specs/a.md`, `specs/a.md` is left.
      .replace(/[^/]+\/\.\.\//, ''),
  );
  return {
    state: isHeld && !isStarted ? 'paused' : 'active',
    said: {
      workflow: cutName(name),
      workflow_type: 'implementation',
      ...declared,
      ...(line !== undefined && {
        phase: { ...phase, total_known: false, line },
      }),
      required_reading: [path, ...siblings].map((each) => `@${each}`),
      key_reminders: [],
    },
  };
}

/** The phases, the next item of the current one, and those of the phases that a run may be in instead. */
function declareItems(
  phases: readonly PlanPhase[],
  declared: ReturnType<typeof declarePhases>,
) {
  const items = phases
    .slice(0, MAX_PHASES)
    .flatMap((each, index) =>
      nextItems(each).map((item) => [index + 1, item] as const),
    );
  const next_items = Object.fromEntries(items);
  const next = next_items[declared.phase?.current ?? 1];
  return {
    ...declared,
    context: next === undefined ? {} : { [NEXT_ITEM]: next },
    ...(items.length > 0 && { next_items }),
  };
}

const MAX_ITEM = 300;

/** The item that is under way, else the first open one; if it has open items below it, the first of those. */
function nextItems({ boxes }: PlanPhase): string[] {
  const underWay = boxes.findIndex(({ state }) => state === 'under way');
  let index =
    underWay >= 0 ? underWay : boxes.findIndex(({ state }) => state === 'open');
  let box = boxes[index];
  for (let below = boxes[index + 1]; box && below; below = boxes[index + 1]) {
    if (below.depth <= box.depth) break;
    index += 1;
    if (below.state !== 'ticked') box = below;
  }
  return box ? [truncate(cleanText(box.text), MAX_ITEM)] : [];
}

/**
 * A plan that a person started a run from. It is in progress although nothing in it is ticked and no tool points to it.
 * What its own format does not recognise is read as any Markdown plan. `format` is undefined if no tool uses this path.
 */
export function readStartedPlan(
  source: PlanSource,
  format: PlanFormat | 'own' | undefined,
): SourceStatus {
  const reading =
    format === 'own'
      ? readPlan(source.text, source.path)
      : format && readFormat(format, source, true);
  if (reading?.state === 'active' || reading?.state === 'finished')
    return reading;
  const plan = readAnyPlan(source.text, source.path);
  if (plan === null) return { state: 'none' };
  if (plan.phase?.status === 'completed') return { state: 'finished' };
  return {
    state: 'active',
    said: { ...plan, required_reading: [`@${source.path}`] },
  };
}

/** Null if nothing in it looks like a phase or an item. `path` names a plan without a title. */
export function readAnyPlan(text: string, path = ''): DeclaredWorkflow | null {
  const outline = readOutline(text);
  const phases = phasesIn(outline);
  if (phases.length === 0) return null;
  const name = outline.title
    .replace(/^(?:task |implementation |project )?plan\s*[:–—-]\s*/i, '')
    .replace(/\s+(?:implementation|project|task) plan$/i, '');
  return {
    workflow:
      (!isPlaceholder(name) && cutName(name)) || baseName(path) || 'Plan',
    required_reading: [],
    key_reminders: [],
    ...declareItems(phases, declarePhases(phases, true)),
  };
}

const WORDS = ['Phase', 'Stage', 'Milestone', 'Task', 'Step'];

/** The numbered headings of the widest unit, else the sections that have boxes. */
function phasesIn({ sections }: Outline): PlanPhase[] {
  // Headings such as `### 2. Write the parser`, all of the level of the first one.
  const level = sections.find(({ heading }) => NUMBERED.test(heading))?.level;
  const parseNumber: ReturnType<typeof numberedHeading> = ({
    level: own,
    heading,
  }) => {
    const key = own === level ? NUMBERED.exec(heading)?.[1] : undefined;
    return key === undefined
      ? undefined
      : { key: String(Number(key)), name: withoutNumber(heading) };
  };
  for (const parse of [...WORDS.map(numberedHeading), parseNumber]) {
    const phases = phasesByHeading(sections, parse);
    if (phases.length > 1) return phases;
  }
  const withBoxes = phasesBySection(sections).map((phase) => ({
    ...phase,
    name: phase.name && withoutNumber(phase.name),
  }));
  return withBoxes.length > 0 ? withBoxes : plainPhases(sections);
}

/** A plan without boxes, as plan mode makes them: the steps of its longest numbered list, else its headings. */
function plainPhases(sections: Outline['sections']): PlanPhase[] {
  const [{ steps } = { steps: [] }] = sections.toSorted(
    (a, b) => b.steps.length - a.steps.length,
  );
  const headings = sections
    .filter(({ level }) => level === 2)
    .map(({ heading }) => heading);
  // What is in bold at the start of a step, or before a colon or a dash.
  const named = steps
    .map(withoutNumber)
    .map(
      (text) =>
        /^\*\*([^*]+)\*\*/.exec(text)?.[1] ??
        text.replace(/(?:: | [–—-] ).*/s, ''),
    );
  const names = steps.length > 1 ? named : headings;
  if (names.length < 2) return [];
  return names.map((name) => ({
    name: cutName(cleanText(name)),
    mark: undefined,
    boxes: [],
  }));
}

const NUMBERED = /^\**(\d{1,4})[.):]\s+\S/;
