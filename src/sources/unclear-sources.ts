import { readProjectFile } from '../files/read-file.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import { readLines, type SourceLine } from './parse/field-line.ts';
import { parsePlan, readPlan } from './parse/plan.ts';
import { splitSections } from './parse/sections.ts';
import type { SourceFile } from './types.ts';

const MAX_SOURCE_BYTES = 1_000_000;
/** Old plans without a status may be many. */
const MAX_NAMED = 5;

/** A place that looks like a workflow and declares none. */
interface UnclearPlace {
  line: number;
  /** With an example of it. */
  missing: string;
}

interface UnclearSource extends UnclearPlace {
  path: string;
}

/** The sources that look like a workflow and are not understood. For commands: hooks need not know. */
export function unclearSources(
  root: string,
  sources: readonly SourceFile[],
): UnclearSource[] {
  const kinds = new Map<string, SourceFile['kind']>();
  for (const source of sources)
    if (mayBeUnclear(source)) kinds.set(source.path, source.kind);

  const found: UnclearSource[] = [];
  for (const [path, kind] of kinds) {
    const file = readProjectFile(root, path, MAX_SOURCE_BYTES);
    if (file.kind !== 'text') continue;
    const places =
      kind === 'plan'
        ? unclearPlan(file.text, path)
        : unclearSections(file.text);
    for (const place of places) found.push({ path, ...place });
  }
  // The newest plans have the highest numbers.
  return found.slice(-MAX_NAMED);
}

/** Plans of other tools have no lines that a person could add. */
function mayBeUnclear({ kind, state, format }: SourceFile): boolean {
  return kind === 'local-file'
    ? state !== 'unreadable'
    : state === 'unclear' && format === undefined;
}

export function describeUnclear({
  path,
  line,
  missing,
}: UnclearSource): string {
  return `${asWord(path)}:${line} looks like a workflow and is not understood; what is missing: ${missing}`;
}

/** Sections of the local file without a `Workflow:` line, or such a line and a phase without a marker. */
function unclearSections(text: string): UnclearPlace[] {
  const sections = splitSections(text);
  if (sections.length === 0) return unmarkedWorkflow(readLines(text));
  const unnamed = sections.filter(
    ({ lines, fields }) =>
      lines.length > 0 &&
      !fields.has('workflow') &&
      !hasField(lines, 'workflow'),
  );
  return unnamed.map(({ marker }) => ({
    line: marker.number,
    missing: 'a `Workflow: <name>` line in this section',
  }));
}

function unmarkedWorkflow(lines: readonly SourceLine[]): UnclearPlace[] {
  const named = lines.find((line) => isField(line, 'workflow'));
  if (named === undefined || !hasField(lines, 'phase')) return [];
  const missing = 'a `## Workflow State` heading above this line';
  return [{ line: named.number, missing }];
}

function hasField(lines: readonly SourceLine[], label: string): boolean {
  return lines.some((line) => isField(line, label));
}

function isField({ field }: SourceLine, label: string): boolean {
  return field?.label === label && field.value !== '';
}

/** A plan with phases of which nobody can tell whether it is in progress. */
function unclearPlan(text: string, path: string): UnclearPlace[] {
  const reading = readPlan(text, path);
  if (reading.state !== 'unclear') return [];
  const { phase, phases } = reading.said;
  if (phase?.status === 'completed') return [];

  const { status } = parsePlan(text);
  if (status) {
    const missing = `a status that is understood, such as \`In Progress\`, \`Paused\` or \`Complete\`, instead of ${quoted(status.value)}`;
    return [{ line: status.line, missing }];
  }
  return phases === undefined
    ? []
    : [{ line: 1, missing: 'a status, such as `**Status**: In Progress`' }];
}
