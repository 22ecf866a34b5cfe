import { recordModule } from '../../sessions/loaded-modules.ts';
import type { SyncChange } from '../../sync/types.ts';
import { getStatus, type StatusOptions, type StatusView } from '../../operations/status.ts';
import type { NextAction } from '../../workflow/machine/next-action.ts';
import type { PendingReading } from '../../reading/pending-reading.ts';
import { phaseLabel } from '../../state/phases.ts';
import { forgetConflicts } from '../../operations/told.ts';
import type { StoredRun } from '../../state/types.ts';
import { sameJson } from '../../util/json.ts';
import type { CommandContext } from '../context.ts';
import {
  detectedReport,
  detectedText,
  nameOfDetected,
  sourceNames,
  type Detected,
} from '../output/detected.ts';
import { conflictTexts, statusReport, type StatusReport } from '../output/status-report.ts';
import { fitText, paragraphs, section } from '../output/layout.ts';
import { setAsideText, summaryTable } from '../output/run-table.ts';
import { statusText } from '../output/status-text.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pendingReadingText } from '../../guidance/reading-messages.ts';

/** Adds detected workflows without a state file, and the required files that are still to be opened. */
export interface FullReport extends StatusReport {
  next: NextAction | null;
  position: string | null;
  warn_at: number[];
  detected: Detected[];
  pending_reading: PendingReading | null;
  /** What has become of the source of the run, if it no longer declares it. */
  note: string | null;
  /** When the run entered its current phase, as far as its journal tells. */
  phase_since: string | null;
}

export interface StatusCommandOptions {
  look?: boolean;
  prompted?: string;
  /** The version of the module that asks. */
  module?: string;
}

export function status(
  cli: CommandContext,
  name: string | undefined,
  { look = false, prompted, module }: StatusCommandOptions,
): void {
  if (module !== undefined && cli.session !== null)
    recordModule(cli, cli.session, { version: module, project: cli.root });
  const { report, text, run } = statusOf(cli, name, {
    isLook: look,
    lastPrompted: prompted ?? null,
  });
  cli.output.result(report, text);
  if (!look && run !== null) forgetConflicts(cli, run);
}

/** The full view of a run, as data and as text. */
export function statusOf(
  cli: CommandContext,
  name: string | undefined,
  options: StatusOptions,
): { report: FullReport; text: string; run: StoredRun | null } {
  const view = getStatus(cli, name, options);
  const { run, action, changes } = view;
  const basic = statusReport(cli, run, view.others, action);
  const report: FullReport = {
    ...basic,
    // Only here, because every other command that reports a run would repeat them.
    warnings: [...basic.warnings, ...(run === null ? [] : conflictTexts(cli, run))],
    next: view.next?.next ?? null,
    position: view.next?.position ?? null,
    warn_at: cli.settings.context.warn,
    detected: view.detected.map(detectedReport),
    pending_reading: view.pendingReads,
    note: view.note,
    phase_since: view.since,
  };
  const parts = [
    run === null
      ? emptyText(cli, report, view)
      : statusText(cli, run, report, { action, since: view.since }),
    view.note ?? '',
    report.pending_reading === null ? '' : pendingReadingText(report.pending_reading),
    detectedText(cli, report.detected),
    ...changes.flatMap((change) =>
      change.kind === 'update' && change.run.runId === run?.runId ? pendingLines(change) : [],
    ),
    run === null ? nextWithoutRun(cli, view) : '',
  ];
  return { report, text: fitText(paragraphs(parts), cli.output.columns), run };
}

function emptyText(cli: CommandContext, report: FullReport, { inactive }: StatusView): string {
  const { bold } = cli.output.colors;
  const lead =
    report.others.length > 0
      ? 'This session holds no workflow; other sessions work on those below.'
      : report.detected.length > 0
        ? ''
        : 'No active workflow.';
  return paragraphs([
    lead,
    section(
      bold('Active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others, 2).split('\n'),
    ),
    setAsideText(cli, report.set_aside),
    section(
      bold('Not active'),
      inactive.map(
        ({ runId, state }) =>
          `${runId}: ${state.status}${state.status_reason === undefined ? '' : `, ${sanitizeLine(state.status_reason)}`}`,
      ),
    ),
  ]);
}

/** What to type where no run is shown. */
function nextWithoutRun(cli: CommandContext, { inactive, detected }: StatusView): string {
  const [declared] = detected;
  if (declared !== undefined) {
    const name = nameOfDetected(cli, declared.run);
    return `Next: holdfast advance ${name}, or in a Claude Code session holdfast resume ${name}`;
  }
  const start = 'holdfast start <name> --phases "A,B,C"';
  const stopped = inactive.find(
    ({ state }) => state.status === 'paused' || state.status === 'failed',
  );
  return `Next: ${stopped === undefined ? '' : `holdfast resume ${stopped.runId}, or `}${start}`;
}

/** None if the merge changes nothing that a line could name: it may only record what the source declares. */
function pendingLines(change: Extract<SyncChange, { kind: 'update' }>): string[] {
  const { state } = change;
  const before = change.run.state;
  const source = sanitizeLine(sourceNames(change));
  const phase = phaseLabel(state.phase);
  if (phase !== phaseLabel(before.phase))
    return [
      `${source} has changed: at the next compaction this run becomes phase ${sanitizeLine(phase)}.`,
    ];
  const changed = [
    ...(sameJson(state.required_reading, before.required_reading) ? [] : ['reading']),
    ...(sameJson(state.key_reminders ?? [], before.key_reminders ?? []) ? [] : ['reminders']),
    ...(sameJson(state.context ?? {}, before.context ?? {}) ? [] : ['context']),
  ];
  const decides = state.machine === undefined ? '' : '; its template decides the phase';
  return changed.length === 0
    ? []
    : [
        `At the next compaction this run takes over ${changed.join(' and ')} from ${source}${decides}.`,
      ];
}
