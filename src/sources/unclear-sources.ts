import { readProjectFile } from '../files/read-file.ts';
import { truncate } from '../text/sanitize.ts';
import { readLines, type SourceLine } from './parse/field-line.ts';
import { parsePlan, readPlan } from './parse/plan.ts';
import { splitSections } from './parse/sections.ts';
import type { SourceFile } from './types.ts';

const MAX_BYTES = 1_000_000;
/** Old plans without a status may be many. */
const MAX_NAMED = 5;

/** A place that looks like a workflow and declares none. */
interface UnclearPlace {
  /** Counted from 1. */
  line: number;
  /** What is missing, with an example of it. */
  missing: string;
}

export interface UnclearSource extends UnclearPlace {
  path: string;
}

/** The sources that look like a workflow and are not understood. For commands: hooks need not know. */
export function unclearSources(root: string, sources: readonly SourceFile[]): UnclearSource[] {
  const isUnclear = ({ kind, state, format }: SourceFile): boolean =>
    kind === 'local-file' ? state !== 'unreadable' : state === 'unclear' && format === undefined;
  const paths = new Map(sources.filter(isUnclear).map(({ path, kind }) => [path, kind]));
  const found = [...paths].flatMap(([path, kind]) => {
    const file = readProjectFile(root, path, MAX_BYTES);
    if (file.kind !== 'text') return [];
    const places = kind === 'plan' ? unclearPlan(file.text, path) : unclearSections(file.text);
    return places.map((place) => ({ path, ...place }));
  });
  // The newest plans have the highest numbers.
  return found.slice(-MAX_NAMED);
}

export function describeUnclear({ path, line, missing }: UnclearSource): string {
  return `${path}:${line} looks like a workflow and is not understood; what is missing: ${missing}`;
}

/** Sections of the local file without a `Workflow:` line, or such a line and a phase without a marker. */
function unclearSections(text: string): UnclearPlace[] {
  const sections = splitSections(text);
  const unnamed = sections.filter(
    ({ lines, fields }) => lines.length > 0 && !fields.has('workflow') && !has(lines, 'workflow'),
  );
  if (sections.length > 0)
    return unnamed.map(({ marker }) => ({
      line: marker.number,
      missing: 'a `Workflow: <name>` line in this section',
    }));
  const lines = readLines(text);
  const named = lines.find((line) => isField(line, 'workflow'));
  return named && has(lines, 'phase')
    ? [{ line: named.number, missing: 'a `## Workflow State` heading above this line' }]
    : [];
}

function has(lines: readonly SourceLine[], label: string): boolean {
  return lines.some((line) => isField(line, label));
}

function isField({ field }: SourceLine, label: string): boolean {
  return field?.label === label && field.value !== '';
}

/** A plan with phases of which nobody can tell whether it is in progress. */
function unclearPlan(text: string, path: string): UnclearPlace[] {
  const reading = readPlan(text, { path, exists: () => false });
  if (reading.state !== 'unclear' || reading.said.phase?.status === 'completed') return [];
  const { status } = parsePlan(text);
  if (status)
    return [
      {
        line: status.line,
        missing: `a status that is understood, such as \`In Progress\`, \`Paused\` or \`Complete\`, instead of "${truncate(status.value, 80)}"`,
      },
    ];
  return reading.said.phases === undefined
    ? []
    : [{ line: 1, missing: 'a status, such as `**Status**: In Progress`' }];
}
