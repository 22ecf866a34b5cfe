import { cutName, isPlaceholder, numberedHeading, phasesByHeading } from './formats/phases.ts';
import { phasesBySection, withoutNumber } from './formats/phases.ts';
import { declareItems, readFormat, toNamedPhase } from './formats/read-format.ts';
import type { PlanFormat, PlanPhase, PlanSource } from './formats/types.ts';
import { readOutline, type Outline, type OutlineSection } from './outline.ts';
import { declarePhases, isDone, type NamedPhase } from './phase-progress.ts';
import { readPlan } from './plan.ts';
import type { DeclaredWorkflow, SourceStatus } from './types.ts';

/**
 * A plan that a person started a run from. It is in progress although nothing in it is ticked and no tool points to it.
 * What its own format does not recognise is read as any Markdown plan. `format` is undefined if no tool uses this path.
 */
export function readStartedPlan(
  source: PlanSource,
  format: PlanFormat | 'own' | undefined,
): SourceStatus {
  const reading = readByFormat(source, format);
  if (reading.state === 'active' || reading.state === 'finished') return reading;
  const plan = readAnyPlan(source.text, source.path);
  if (plan === null) return { state: 'none' };
  if (plan.phase?.status === 'completed') return { state: 'finished' };
  return { state: 'active', said: { ...plan, required_reading: [`@${source.path}`] } };
}

function readByFormat(source: PlanSource, format: PlanFormat | 'own' | undefined): SourceStatus {
  if (format === undefined) return { state: 'none' };
  return format === 'own'
    ? readPlan(source.text, source)
    : readFormat(format, source, { isStarted: true });
}

/**
 * Any Markdown plan with headings and boxes, or with numbered headings alone. Null if nothing in it looks like a phase
 * or an item. `path` names a plan without a title.
 */
export function readAnyPlan(text: string, path = ''): DeclaredWorkflow | null {
  const outline = readOutline(text);
  const phases = phasesIn(outline);
  if (phases.length === 0) return null;
  const { phase, phases: names } = declarePhases(phases.map(toNamedPhase), firstOpen);
  const hasNames = phases.every(({ name }) => name !== undefined);
  return {
    workflow: nameIn(outline) || fileName(path) || 'Plan',
    ...(phase && { phase }),
    ...(names && hasNames && { phases: names }),
    required_reading: [],
    key_reminders: [],
    ...declareItems(phases, phase?.current),
  };
}

function nameIn({ title = '' }: Outline): string {
  const name = title
    .replace(/^(?:task |implementation |project )?plan\s*[:–—-]\s*/i, '')
    .replace(/\s+(?:implementation|project|task) plan$/i, '');
  return isPlaceholder(name) ? '' : cutName(name);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{1,10}$/, '');
}

const WORDS = ['Phase', 'Stage', 'Milestone', 'Task', 'Step'];

/** The numbered headings of the widest unit, else the sections that have boxes. */
function phasesIn({ sections }: Outline): PlanPhase[] {
  for (const parse of [...WORDS.map(numberedHeading), parseNumber(sections)]) {
    const phases = phasesByHeading(sections, parse);
    if (phases.length > 1) return phases;
  }
  return phasesBySection(sections).map((phase) => ({
    ...phase,
    name: phase.name && withoutNumber(phase.name),
  }));
}

/** Headings such as `### 2. Write the parser`, all of the level of the first one. */
function parseNumber(sections: readonly OutlineSection[]): ReturnType<typeof numberedHeading> {
  const level = sections.find(({ heading }) => NUMBERED.test(heading))?.level;
  return (section) => {
    const number = section.level === level ? NUMBERED.exec(section.heading)?.[1] : undefined;
    const name = withoutNumber(section.heading);
    return number === undefined ? undefined : { key: String(Number(number)), name };
  };
}

const NUMBERED = /^\**(\d{1,4})[.):]\s+\S/;

/**
 * The phase with the first open box, unless another one is marked as under way. Without an open box, the first phase
 * that is not done. Undefined if all are done.
 */
function firstOpen(phases: readonly NamedPhase[]): number | undefined {
  const candidates = [
    phases.findIndex(({ mark }) => mark === 'under way'),
    phases.findIndex((phase) => !isDone(phase) && phase.boxes.some((state) => state !== 'ticked')),
    phases.findIndex((phase) => !isDone(phase)),
  ];
  return candidates.find((index) => index >= 0);
}
