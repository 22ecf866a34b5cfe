import type { SyncChange, SourceUpdate } from '../../sync/types.ts';
import { readSources } from '../../sync/read-sources.ts';
import { liveHolder } from '../../sessions/holder.ts';
import type { PendingReading } from '../../reading/pending-reading.ts';
import { phaseLabel } from '../../state/phases.ts';
import { planSync } from '../../sync/plan-sync.ts';
import type { Phase, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import { chooseRun, type Chosen } from '../choose-run.ts';
import type { CommandContext } from '../context.ts';
import { pendingFor } from '../pending-reading.ts';
import { viewRun } from '../../operations/save-run.ts';
import { statusReport, type StatusReport } from '../output/status-report.ts';
import { section, statusText, summaryTable } from '../output/status-text.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pendingReadingText } from '../../guidance/reading-messages.ts';

interface Detected {
  workflow: string;
  workflow_type: string;
  phase: Phase;
  required_reading: string[];
  key_reminders: string[];
  context: object;
  source: string;
}

/** What `status` adds to the report: workflows that have no state file yet, and what hooks will do about unread files. */
interface FullReport extends StatusReport {
  detected: Detected[];
  pending_reading: PendingReading | null;
}

export function status(cli: CommandContext, name: string | undefined): void {
  const { runs, unreadable } = cli.store.list();
  for (const { path, why } of unreadable) cli.output.warn(`${path} cannot be read: ${why}`);
  const changes = pendingChanges(cli, runs);
  const chosen = chooseRun(cli, runs, name);
  const { run, action } =
    chosen.run === null ? { run: null, action: null } : viewRun(cli, sound(chosen.run), runs);
  const report: FullReport = {
    ...statusReport(cli, run, chosen.others, action),
    detected: changes.flatMap((change) => (change.kind === 'create' ? [detectedFrom(change)] : [])),
    pending_reading: run === null ? null : pendingFor(cli, run),
  };
  cli.output.result(
    report,
    [
      run === null ? emptyText(cli, report, chosen) : statusText(cli, run, report, action),
      report.pending_reading === null ? '' : pendingReadingText(report.pending_reading),
      section(
        cli.output.colors.bold(
          'Detected, no state file yet (it is written before the next compaction)',
        ),
        report.detected.map(detectedLine),
      ),
      ...changes.flatMap((change) =>
        change.kind === 'update' && change.run === chosen.run ? [pendingLine(change)] : [],
      ),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
}

/** Where nobody can tell the step, there is no status to give. */
function sound(run: StoredRun): StoredRun {
  parseRun(run.state);
  return run;
}

function pendingChanges(cli: CommandContext, runs: StoredRun[]): SyncChange[] {
  const memory = cli.store.memory();
  const { sources, problems } = readSources(cli.root, cli.settings.detect, { memory });
  for (const { path, why } of problems) cli.output.warn(`${path} was not read: ${why}`);
  return planSync({
    sources,
    runs,
    memory,
    session: cli.session,
    isHeld: (run) => liveHolder(run.state, cli) !== null,
    now: cli.now,
  });
}

function emptyText(cli: CommandContext, report: FullReport, { inactive }: Chosen): string {
  const { bold } = cli.output.colors;
  const lead =
    report.others.length > 0
      ? 'This session holds no workflow; other sessions work on those below.'
      : report.detected.length > 0
        ? ''
        : 'No active workflow. Start one with: holdfast start <name> --phases "A,B,C"';
  return [
    lead,
    section(
      bold('Active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others).split('\n'),
    ),
    section(
      bold('Not active'),
      inactive.map(
        ({ runId, state }) =>
          `${runId}: ${state.status}${state.status_reason === undefined ? '' : `, ${sanitizeLine(state.status_reason)}`}`,
      ),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function detectedFrom(change: Extract<SyncChange, { kind: 'create' }>): Detected {
  const { workflow, workflow_type, phase, required_reading, key_reminders, context } = change.state;
  return {
    workflow,
    workflow_type,
    phase,
    required_reading,
    key_reminders: key_reminders ?? [],
    context: context ?? {},
    source: sourceNames(change),
  };
}

function detectedLine({ workflow, phase, source }: Detected): string {
  return `${sanitizeLine(workflow)}, phase ${sanitizeLine(phaseLabel(phase))}, declared in ${sanitizeLine(source)}`;
}

function sourceNames({ fedBy }: { fedBy: SourceUpdate[] }): string {
  return fedBy.map(({ source }) => source.path).join(', ');
}

function pendingLine(change: Extract<SyncChange, { kind: 'update' }>): string {
  const { machine, phase } = change.state;
  const what =
    machine === undefined
      ? `this run becomes phase ${sanitizeLine(phaseLabel(phase))}`
      : 'this run takes over its reading, reminders and context; its template decides the phase';
  return `${sanitizeLine(sourceNames(change))} has changed: at the next compaction ${what}.`;
}
