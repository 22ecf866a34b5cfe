import { updateRun } from '../../operations/update.ts';
import type { Edits } from '../../state/edits.ts';
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
import { reportRun } from '../output/report-run.ts';

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
  const report = reportRun(cli, run, [], `Updated ${run.runId}.`);
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
