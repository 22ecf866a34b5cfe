import { baseName } from './formats/locations.ts';
import {
  isPlaceholder,
  numberedHeading,
  phasesByHeading,
  phasesBySection,
  withoutNumber,
} from './formats/phases.ts';
import { declareItems, readFormat } from './formats/read-format.ts';
import type { PlanFormat, PlanSource } from './formats/types.ts';
import { readOutline, type Outline } from './field-line.ts';
import { cutName, declarePhases, type PlanPhase } from './plan-phases.ts';
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
  const reading =
    format === 'own'
      ? readPlan(source.text, source)
      : format && readFormat(format, source, { isStarted: true });
  if (reading?.state === 'active' || reading?.state === 'finished') return reading;
  const plan = readAnyPlan(source.text, source.path);
  if (plan === null) return { state: 'none' };
  if (plan.phase?.status === 'completed') return { state: 'finished' };
  return { state: 'active', said: { ...plan, required_reading: [`@${source.path}`] } };
}

/**
 * Any Markdown plan with headings and boxes, or with numbered headings alone. Null if nothing in it looks like a phase
 * or an item. `path` names a plan without a title.
 */
export function readAnyPlan(text: string, path = ''): DeclaredWorkflow | null {
  const outline = readOutline(text);
  const phases = phasesIn(outline);
  if (phases.length === 0) return null;
  return {
    workflow: nameIn(outline) || baseName(path) || 'Plan',
    required_reading: [],
    key_reminders: [],
    ...declareItems(phases, declarePhases(phases, true)),
  };
}

function nameIn({ title = '' }: Outline): string {
  const name = title
    .replace(/^(?:task |implementation |project )?plan\s*[:–—-]\s*/i, '')
    .replace(/\s+(?:implementation|project|task) plan$/i, '');
  return isPlaceholder(name) ? '' : cutName(name);
}

const WORDS = ['Phase', 'Stage', 'Milestone', 'Task', 'Step'];

/** The numbered headings of the widest unit, else the sections that have boxes. */
function phasesIn({ sections }: Outline): PlanPhase[] {
  // Headings such as `### 2. Write the parser`, all of the level of the first one.
  const level = sections.find(({ heading }) => NUMBERED.test(heading))?.level;
  const parseNumber: ReturnType<typeof numberedHeading> = ({ level: own, heading }) => {
    const key = own === level ? NUMBERED.exec(heading)?.[1] : undefined;
    return key === undefined
      ? undefined
      : { key: String(Number(key)), name: withoutNumber(heading) };
  };
  for (const parse of [...WORDS.map(numberedHeading), parseNumber]) {
    const phases = phasesByHeading(sections, parse);
    if (phases.length > 1) return phases;
  }
  return phasesBySection(sections).map((phase) => ({
    ...phase,
    name: phase.name && withoutNumber(phase.name),
  }));
}

const NUMBERED = /^\**(\d{1,4})[.):]\s+\S/;
