import { readSources } from '../../io/sources.ts';
import { liveHolder } from '../../sessions/history.ts';
import type { PendingReading } from '../../sessions/pending-reading.ts';
import { phaseLabel } from '../../state/phases.ts';
import { planSync, type Change, type Feeding } from '../../state/sync.ts';
import type { Phase, StoredRun } from '../../state/types.ts';
import { viewOf } from '../../workflow/run-view.ts';
import { choose, type Chosen } from '../choose.ts';
import type { Cli } from '../context.ts';
import { pendingFor } from '../pending-reading.ts';
import { lookAt } from '../../operations/deliver.ts';
import { statusReport, type StatusReport } from '../status-report.ts';
import { section, statusText, summaryTable } from '../status-text.ts';
import { oneLine } from '../../guidance/plain.ts';
import { pendingWords } from '../../guidance/receipts.ts';

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

export function status(cli: Cli, name: string | undefined): void {
  const { runs, unreadable } = cli.store.list();
  for (const { path, why } of unreadable) cli.output.warn(`${path} cannot be read: ${why}`);
  const changes = pendingChanges(cli, runs);
  const chosen = choose(cli, runs, name);
  const { run, action } =
    chosen.run === null ? { run: null, action: null } : lookAt(cli, sound(chosen.run), runs);
  const report: FullReport = {
    ...statusReport(cli, run, chosen.others, action),
    detected: changes.flatMap((change) => (change.kind === 'create' ? [detectedFrom(change)] : [])),
    pending_reading: run === null ? null : pendingFor(cli, run),
  };
  cli.output.result(
    report,
    [
      run === null ? emptyText(cli, report, chosen) : statusText(cli, run, report, action),
      report.pending_reading === null ? '' : pendingWords(report.pending_reading),
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
  viewOf(run.state);
  return run;
}

function pendingChanges(cli: Cli, runs: StoredRun[]): Change[] {
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

function emptyText(cli: Cli, report: FullReport, { inactive }: Chosen): string {
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
          `${runId}: ${state.status}${state.status_reason === undefined ? '' : `, ${oneLine(state.status_reason)}`}`,
      ),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function detectedFrom(change: Extract<Change, { kind: 'create' }>): Detected {
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
  return `${oneLine(workflow)}, phase ${oneLine(phaseLabel(phase))}, declared in ${oneLine(source)}`;
}

function sourceNames({ fedBy }: { fedBy: Feeding[] }): string {
  return fedBy.map(({ source }) => source.path).join(', ');
}

function pendingLine(change: Extract<Change, { kind: 'update' }>): string {
  const { machine, phase } = change.state;
  const what =
    machine === undefined
      ? `this run becomes phase ${oneLine(phaseLabel(phase))}`
      : 'this run takes over its reading, reminders and context; its template decides the phase';
  return `${oneLine(sourceNames(change))} has changed: at the next compaction ${what}.`;
}
