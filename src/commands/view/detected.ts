import { findDetectedRuns, type DetectedRun } from '../../sources/detected-runs.ts';
import { shortName } from '../../sessions/select-run.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { Phase, StoredRun } from '../../state/types.ts';
import type { SourceUpdate } from '../../sources/types.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { section } from './layout.ts';
import type { CommandContext } from './output.ts';

/** A workflow that a file declares and that has no state file yet, as data. */
export interface Detected {
  /** The id that the run gets when it is stored. */
  run_id: string;
  workflow: string;
  workflow_type: string;
  phase: Phase;
  required_reading: string[];
  key_reminders: string[];
  context: object;
  source: string;
  /** The tool that wrote the plan; null for the local file and plans in holdfast's own format. */
  format: string | null;
}

export function detectedReport({ run, change }: DetectedRun): Detected {
  const { workflow, workflow_type, phase, required_reading, key_reminders, context } = change.state;
  return {
    run_id: run.runId,
    workflow,
    workflow_type,
    phase,
    required_reading,
    key_reminders: key_reminders ?? [],
    context: context ?? {},
    source: sourceNames(change),
    format: change.updates.find(({ source }) => source.format)?.source.format ?? null,
  };
}

export function detectedText(cli: CommandContext, detected: readonly Detected[]): string {
  return section(
    cli.output.colors.bold('Declared in a file, not stored yet'),
    detected.map(detectedLine),
  );
}

/** What to type for it: its slug, or the path of its file where several workflows have one name. */
export function nameOfDetected(cli: CommandContext, run: StoredRun): string {
  const { runs } = cli.store.list();
  const detected = findDetectedRuns(cli, runs).map((each) => each.run);
  return shortName(run, [...runs, ...detected]);
}

export function sourceNames({ updates }: { updates: readonly SourceUpdate[] }): string {
  return updates.map(({ source }) => source.path).join(', ');
}

function detectedLine({ workflow, phase, source, format }: Detected): string {
  const declared = `${sanitizeLine(workflow)}, phase ${sanitizeLine(phaseLabel(phase))}, declared in ${sanitizeLine(source)}`;
  return format === null ? declared : `${declared} (${format})`;
}
