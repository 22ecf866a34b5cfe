import { updateRun } from '../../operations/update.ts';
import type { Edits } from '../../state/edits.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { humanizeStatus, pluralize } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import {
  parseDetails,
  nonBlank,
  phaseNames,
  phaseNumber,
  phaseStatus,
  readingEntry,
  warnAboutReading,
  type DetailOptions,
} from '../options.ts';
import { reportChange } from '../output/report-run.ts';

export interface UpdateOptions extends DetailOptions {
  phase?: string;
  phases?: string;
  name?: string;
  status?: string;
  unread?: string[];
  forget?: string[];
  unset?: string[];
}

export function update(
  cli: CommandContext,
  name: string | undefined,
  options: UpdateOptions,
): void {
  const edits = readEdits(cli, options);
  const run = updateRun(cli, name, edits, { ...options });
  const report = reportChange(cli, run, {
    done: `Updated ${run.runId}: ${changesText(run, edits)}.`,
  });
  warnAboutReading(
    cli,
    report.reading.filter(({ path }) => edits.read.includes(path)),
  );
}

function readEdits(cli: CommandContext, options: UpdateOptions): Edits {
  return {
    ...parseDetails(cli, options),
    phase: options.phase === undefined ? undefined : phaseNumber(options.phase),
    phases: options.phases === undefined ? undefined : phaseNames(options.phases),
    name: options.name === undefined ? undefined : nonBlank('--name', options.name),
    status: options.status === undefined ? undefined : phaseStatus(options.status),
    unread: (options.unread ?? []).map((path) => readingEntry(cli, path)),
    forget: (options.forget ?? []).map((text) => nonBlank('--forget', text)),
    unset: options.unset ?? [],
  };
}

/** What has changed, for people. */
function changesText({ state }: StoredRun, edits: Edits): string {
  const { phase, phases, name, status, read, unread, remind, forget, set, unset, artifact } = edits;
  const isMoved = [phase, phases, name, status].some((edit) => edit !== undefined);
  const counted: [count: number, one: string, verb: string][] = [
    [read.length, 'required file', 'added'],
    [unread.length, 'required file', 'removed'],
    [remind.length, 'reminder', 'added'],
    [forget.length, 'reminder', 'removed'],
    [set.length, 'fact', 'set'],
    [unset.length, 'fact', 'removed'],
    [artifact.length, 'file', 'named'],
  ];
  return [
    ...(isMoved
      ? [`phase ${sanitizeLine(phaseLabel(state.phase))} (${humanizeStatus(state.phase.status)})`]
      : []),
    ...counted
      .filter(([count]) => count > 0)
      .map(([count, one, verb]) => `${pluralize(count, one)} ${verb}`),
  ].join(', ');
}
