import type { DeclaredWorkflow, SourceStatus } from '../types.ts';
import { cutName } from './declare-phases.ts';
import { cleanText } from './field-line.ts';
import {
  isPlaceholder,
  readOutline,
  sectionsWithBoxes,
  type Outline,
} from './outline.ts';
import {
  headsOf,
  isNumbered,
  numberedHeads,
  priorityHeads,
  withoutNumber,
} from './phase-head.ts';
import {
  ANYWHERE,
  isOver,
  readPhases,
  type PhaseStyle,
  type PlanPhase,
} from './phases.ts';
import {
  baseName,
  type PlanFormat,
  type PlanReading,
  type PlanSource,
} from './plan-format.ts';
import { readPlan } from './plan.ts';
import { declarePlan, readFormat } from './read-format.ts';

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
  const plan = describeAnyPlan(source.text, source.path);
  if (plan === null) return { state: 'none' };
  if (plan.phases.every(isOver)) return { state: 'finished' };
  const said = declareAnyPlan(plan);
  return {
    state: 'active',
    said: { ...said, required_reading: [`@${source.path}`] },
  };
}

/** Null if nothing in it looks like a phase or an item. `path` names a plan without a title. */
export function readAnyPlan(text: string, path = ''): DeclaredWorkflow | null {
  const plan = describeAnyPlan(text, path);
  return plan && declareAnyPlan(plan);
}

function declareAnyPlan(plan: PlanReading): DeclaredWorkflow {
  return {
    workflow: plan.name,
    required_reading: [],
    key_reminders: [],
    ...declarePlan(plan),
  };
}

function describeAnyPlan(text: string, path: string): PlanReading | null {
  const outline = readOutline(text);
  const title = outline.title
    .replace(/^(?:task |implementation |project )?plan\s*[:–—-]\s*/i, '')
    .replace(/\s+(?:implementation|project|task) plan$/i, '');
  const isNamed = title !== '' && !isPlaceholder(title);
  const name = (isNamed && cutName(title)) || baseName(path) || 'Plan';
  const phases = phasesIn(outline);
  if (phases.length > 0) return { name, phases };
  const sections = sectionsWithBoxes(outline.sections);
  return sections.length === 0
    ? null
    : { name, phases: sections, isUnphased: true };
}

/** The numbered phases of the widest unit, else the steps of a numbered list. */
function phasesIn(outline: Outline): PlanPhase[] {
  for (const style of stylesOf(outline)) {
    const phases = readPhases(outline.lines, style);
    if (phases.length > 1) return phases;
  }
  const hasBoxes = outline.sections.some(({ boxes }) => boxes.length > 0);
  return hasBoxes ? [] : stepsIn(outline);
}

function stylesOf({ sections }: Outline): PhaseStyle[] {
  const places = ['heading'] as const;
  const level = sections.find(({ heading }) => isNumbered(heading))?.level;
  return [
    ANYWHERE,
    ...(['stage', 'milestone', 'task', 'step'] as const).map((unit) => ({
      head: headsOf([unit]),
      places,
    })),
    { head: priorityHeads, places },
    { head: numberedHeads(level), places },
  ];
}

/** A plan without boxes, as plan mode makes them: the steps of its longest numbered list. */
function stepsIn({ sections }: Outline): PlanPhase[] {
  const [longest] = sections.toSorted(
    (a, b) => b.steps.length - a.steps.length,
  );
  const steps = longest?.steps ?? [];
  if (steps.length < 2) return [];
  return steps.map((step) => ({
    name: cutName(cleanText(stepName(withoutNumber(step)))),
    mark: undefined,
    boxes: [],
  }));
}

/** What is in bold at the start of a step, or before a colon or a dash. */
function stepName(step: string): string {
  const bold = /^\*\*([^*]+)\*\*/.exec(step)?.[1];
  return bold ?? step.replace(/(?:: | [–—-] ).*/s, '');
}
