import { truncate } from '../../text/sanitize.ts';
import { readLines, type SourceLine } from './field-line.ts';
import { planStatusOf, readPlan } from './plan.ts';
import { splitSections } from './sections.ts';

/** A place that looks like a workflow and declares none. */
export interface NotUnderstood {
  /** Counted from 1. */
  line: number;
  /** What is missing, with an example of it. */
  missing: string;
}

/** Sections of the local file without a `Workflow:` line, or such a line and a phase without a marker. */
export function notUnderstoodInLocalFile(text: string): NotUnderstood[] {
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

/** A plan with phases of which nobody can tell whether it is in progress; undefined if that is clear. */
export function notUnderstoodInPlan(text: string, path: string): NotUnderstood | undefined {
  const reading = readPlan(text, { path, exists: () => false });
  if (reading.state !== 'unclear' || reading.said.phase?.status === 'completed') return undefined;
  const status = planStatusOf(text);
  if (status === undefined && reading.said.phases === undefined) return undefined;
  return status === undefined
    ? { line: 1, missing: 'a status, such as `**Status**: In Progress`' }
    : {
        line: status.line,
        missing: `a status that is understood, such as \`In Progress\`, \`Paused\` or \`Complete\`, instead of "${truncate(status.value, 80)}"`,
      };
}
