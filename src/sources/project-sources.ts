import { syncRuns, withoutStored } from './apply-sync.ts';
import { readSyncInput } from './read-sources.ts';
import { SourceFiles } from './source-files.ts';
import { planSync } from './plan-sync.ts';
import type { SourceFile } from './types.ts';
import { skippedPhases } from '../state/phases.ts';
import type { StoredRun } from '../state/types.ts';
import { channelOf } from '../sessions/caller.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { FORMATS } from './parse/formats.ts';
import { readProjectFile } from '../files/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import {
  phaseOf,
  readOutline,
  type PlanFormat,
  type PlanSource,
} from './parse/outline.ts';
import {
  readLines,
  splitFrontMatter,
  type SourceLine,
} from './parse/field-line.ts';
import { parsePlan, readPlan } from './parse/plan.ts';
import { splitSections } from './parse/sections.ts';
import { isOver, type PlanPhase, planPhases } from './parse/plan-phases.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord, quoted } from '../text/sanitize.ts';

/**
 * What the next sync would do. Nothing is written. `detected` are the workflows that sources declare and that no state
 * file has yet, as the runs that they become, and `runs` are all runs as the sync would leave them.
 */
export function previewSync(
  context: OperationContext,
  stored: readonly StoredRun[],
  warn = context.warn,
) {
  const { store } = context;
  const by = channelOf(context.caller);
  const read = { runs: stored, sourceRecords: store.sourceRecords() };
  const { input, problems } = readSyncInput(context, read);
  for (const { message } of problems) warn(message);
  const plan = planSync(input);
  const dry = store.dryCopy();
  const runs = syncRuns(
    dry,
    input,
    { by, unreadable: [], maxChanges: Infinity },
    plan,
  );
  const { changes, ended } = plan;
  const detected = withoutStored(runs, stored);
  return {
    input,
    changes,
    ended,
    runs,
    detected,
    sourceRecords: dry.sourceRecords(),
  };
}

export const findDetectedRuns = (
  context: OperationContext,
  runs: readonly StoredRun[],
) => previewSync(context, runs, () => undefined).detected;

const MAX_BYTES = 1_000_000;

/** The items that are still open in the plan of a run, or in one of its phases, and their file; null if there are none. */
export function openItemsOf(
  { root }: Pick<OperationContext, 'root'>,
  { state }: StoredRun,
  phase?: string,
): { path: string; count: number } | null {
  const { source: from } = state;
  if (from?.kind !== 'plan' || from.path === undefined) return null;
  const { path, format: id } = from;
  const file = readProjectFile(root, path, MAX_BYTES);
  if (file.kind !== 'text') return null;
  const format =
    typeof id === 'string' && isPlanFormatId(id) ? FORMATS[id] : undefined;
  const companions = new SourceFiles(root).texts(format?.companions?.(path));
  const source = { path, text: file.text, companions };
  const skipped = skippedPhases(state).map(({ name }) => name);
  const count = countOpenItems(source, format, phase, skipped);
  return count === 0 ? null : { path: format?.itemsFile ?? path, count };
}

/** Not those of a phase that is marked as done or skipped, or that the run has skipped, and no optional ones. */
export function countOpenItems(
  source: PlanSource,
  format: PlanFormat | undefined,
  only?: string,
  skipped: readonly string[] = [],
): number {
  const outline = readOutline(source.text);
  const own = (): PlanPhase[] =>
    only === undefined
      ? sectionsLeft(outline, skipped)
      : planPhases(readLines(splitFrontMatter(source.text).body));
  const phases = format?.describe(source, outline)?.phases ?? own();
  return phases
    .filter(
      (phase) =>
        !isOver(phase) && !(phase.name && skipped.includes(phase.name)),
    )
    .filter((phase) => only === undefined || phase.name === only)
    .flatMap(({ boxes }) => boxes)
    .filter(({ state }) => state !== 'ticked').length;
}

/** Every section, without those below a heading that is marked as over or names a skipped phase. */
function sectionsLeft(
  { sections }: ReturnType<typeof readOutline>,
  skipped: readonly string[],
) {
  let overFrom = Infinity;
  return sections.flatMap((section) => {
    const phase = phaseOf(section, section.heading);
    const isNamed = skipped.some(
      (name) => name !== '' && ` ${phase.name}`.endsWith(` ${name}`),
    );
    if (section.level <= overFrom)
      overFrom =
        section.level > 1 && (isNamed || isOver({ ...phase, boxes: [] }))
          ? section.level
          : Infinity;
    return overFrom === Infinity ? [phase] : [];
  });
}

export const openItemsText = ({
  path,
  count,
}: {
  path: string;
  count: number;
}): string => `${pluralize(count, 'open item')} in ${asWord(path)}`;

/** Old plans without a status may be many. */
const MAX_NAMED = 5;

/** A place that looks like a workflow and declares none. */
interface UnclearPlace {
  line: number;
  /** With an example of it. */
  missing: string;
}

/** The sources that look like a workflow and are not understood. For commands: hooks need not know. */
export function unclearSources(root: string, sources: readonly SourceFile[]) {
  const isUnclear = ({ kind, state, format }: SourceFile): boolean =>
    kind === 'local-file'
      ? state !== 'unreadable'
      : state === 'unclear' && format === undefined;
  const paths = new Map(
    sources.filter(isUnclear).map(({ path, kind }) => [path, kind]),
  );
  const found = [...paths].flatMap(([path, kind]) => {
    const file = readProjectFile(root, path, MAX_BYTES);
    if (file.kind !== 'text') return [];
    const places =
      kind === 'plan'
        ? unclearPlan(file.text, path)
        : unclearSections(file.text);
    return places.map((place) => ({ path, ...place }));
  });
  // The newest plans have the highest numbers.
  return found.slice(-MAX_NAMED);
}

export const describeUnclear = ({
  path,
  line,
  missing,
}: UnclearPlace & { path: string }): string =>
  `${asWord(path)}:${line} looks like a workflow and is not understood; what is missing: ${missing}`;

/** Sections of the local file without a `Workflow:` line, or such a line and a phase without a marker. */
function unclearSections(text: string): UnclearPlace[] {
  const sections = splitSections(text);
  const unnamed = sections.filter(
    ({ lines, fields }) =>
      lines.length > 0 && !fields.has('workflow') && !has(lines, 'workflow'),
  );
  if (sections.length > 0)
    return unnamed.map(({ marker }) => ({
      line: marker.number,
      missing: 'a `Workflow: <name>` line in this section',
    }));
  const lines = readLines(text);
  const named = lines.find((line) => isField(line, 'workflow'));
  return named && has(lines, 'phase')
    ? [
        {
          line: named.number,
          missing: 'a `## Workflow State` heading above this line',
        },
      ]
    : [];
}

const has = (lines: readonly SourceLine[], label: string): boolean =>
  lines.some((line) => isField(line, label));

const isField = ({ field }: SourceLine, label: string): boolean =>
  field?.label === label && field.value !== '';

/** A plan with phases of which nobody can tell whether it is in progress. */
function unclearPlan(text: string, path: string): UnclearPlace[] {
  const reading = readPlan(text, path);
  if (reading.state !== 'unclear' || reading.said.phase?.status === 'completed')
    return [];
  const { status } = parsePlan(text);
  if (status)
    return [
      {
        line: status.line,
        missing: `a status that is understood, such as \`In Progress\`, \`Paused\` or \`Complete\`, instead of ${quoted(status.value)}`,
      },
    ];
  return reading.said.phases === undefined
    ? []
    : [{ line: 1, missing: 'a status, such as `**Status**: In Progress`' }];
}
