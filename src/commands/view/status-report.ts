import { pivotWarning } from '../../guidance/frame.ts';
import { withOpenFeedback } from '../../guidance/step.ts';
import { readerOf } from '../../sessions/caller.ts';
import { waitIdOf } from '../../templates/waits.ts';
import {
  readingOf,
  type ReadingEntry,
} from '../../guidance/reading/required-reading.ts';
import { NEEDS } from '../../ui/need.ts';
import { summaryOf } from '../../ui/run-summary.ts';
import { phaseLabel, phaseWords } from '../../state/phase-words.ts';
import { listUnused } from '../../state/store/unused-files.ts';
import type { RunState, Run } from '../../state/types.ts';
import { humanizeStatus, timeAgo } from '../../text/relative-time.ts';
import { asWord, sanitizeLine, shortId } from '../../text/sanitize.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import type { DetectedWorkflow, RunDocument } from '../json/documents.ts';
import type { RunSummary } from '../../ui/run-summary.ts';
import { section, type CommandContext, table } from './output.ts';
import { mustEndTurn } from '../../templates/what-to-type-next.ts';

/** What every command reports of a run. `action` is the context action that this call requests: the instructions come with the next call. */
export function statusReport(
  cli: CommandContext,
  run: Run | null,
  others: Run[],
  action: ContextCommand | null = null,
  reading: ReadingEntry[] = run === null ? [] : readingOf(cli, run),
): RunDocument {
  // The command has already succeeded, so a step that cannot be determined is only a warning.
  if (run?.kind === 'broken') cli.output.warn(sanitizeLine(run.error.message));
  const at = run?.kind === 'template' ? run : null;
  const step = at && withOpenFeedback(at.state, at.status);
  const warning =
    run === null || step === null
      ? null
      : pivotWarning(run, readerOf(cli.caller));
  return {
    run: run?.state ?? null,
    step:
      step === null ||
      (action === null && !(run !== null && mustEndTurn(cli.environment, run)))
        ? step
        : { ...step, instructions: '' },
    context_action: at?.action ?? null,
    wait: run && waitIdOf(run),
    reading,
    others: others.map((other) => summaryOf(cli, other)),
    warnings: warning === null ? [] : [warning],
    set_aside: listUnused(cli.root).setAside,
  };
}

/** `1/3; left: Build, "Code review"`. It stands in sentences, so that each name is marked as one. */
export function earlyText({
  at,
  left,
}: NonNullable<RunState['ended_early']>): string {
  const names = left.map((name) => asWord(name)).join(', ');
  return `${asWord(at)}; left: ${names}`;
}

const SHOWN_RUNS = 20;

export function otherRuns(
  cli: CommandContext,
  runs: readonly RunSummary[],
): string {
  const more = runs.length - SHOWN_RUNS;
  const shown =
    runs.length === 0
      ? []
      : summaryTable(cli, runs.slice(0, SHOWN_RUNS), 2).split('\n');
  const rest = more > 0 ? [`… ${more} more: holdfast list`] : [];
  return section(cli.output.colors.bold('Other active runs'), [
    ...shown,
    ...rest,
  ]);
}

/** The runs below each other, in the width of the terminal without the indentation of a section. */
export function summaryTable(
  cli: CommandContext,
  runs: readonly RunSummary[],
  indent = 0,
): string {
  const isHeld = runs.some((run) => (run.held_by ?? run.holder_gone) !== null);
  const titles = [
    'RUN',
    'PHASE',
    'STATUS',
    ...(isHeld ? ['HELD BY'] : []),
    'UPDATED',
  ];
  const rows = runs.map((run) => {
    const skipped = Object.keys(run.skipped).length;
    const seen = run.holder_gone;
    const gone = seen === null ? '' : `gone, seen ${timeAgo(seen, cli.now)}`;
    return [
      run.run_id,
      `${phaseLabel(run.phase)}${skipped === 0 ? '' : ` (${skipped} skipped)`}`,
      statusWords(run),
      ...(isHeld ? [run.held_by === null ? gone : shortId(run.held_by)] : []),
      timeAgo(run.updated_at, cli.now),
    ];
  });
  return table(titles, rows, (cli.output.columns ?? Infinity) - indent);
}

/** What a run needs of a person says more than its status. */
function statusWords({
  needs,
  status,
  ended_early: early,
}: RunSummary): string {
  if (needs !== null) return NEEDS[needs];
  return early === null ? humanizeStatus(status) : 'ended early';
}

export const setAsideText = (
  cli: CommandContext,
  paths: readonly string[],
): string =>
  section(
    cli.output.colors.bold('Unreadable state files, set aside'),
    paths.map(
      (path) =>
        `${asWord(path)}: repair it and remove ".corrupt-…" from its name, or delete it`,
    ),
  );

/** A workflow that a file declares and that has no state file yet, as data. */
export function detectedReport({ runId, state }: Run): DetectedWorkflow {
  const {
    workflow,
    workflow_type,
    phase,
    required_reading,
    key_reminders,
    context,
    source,
  } = state;
  return {
    run_id: runId,
    workflow,
    workflow_type,
    phase,
    required_reading,
    key_reminders: key_reminders ?? [],
    context: context ?? {},
    source: source?.path ?? '',
    format: typeof source?.['format'] === 'string' ? source['format'] : null,
  };
}

export function detectedText(
  cli: CommandContext,
  detected: readonly DetectedWorkflow[],
): string {
  const lines = detected.map(
    ({ workflow, phase, source, format }) =>
      `${asWord(workflow)}, phase ${phaseWords(phase)}, declared in ${asWord(source)}${format === null ? '' : ` (${asWord(format)})`}`,
  );
  return section(
    cli.output.colors.bold('Declared in a file, not stored yet'),
    lines,
  );
}
