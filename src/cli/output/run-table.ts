import { phaseLabel } from '../../state/phases.ts';
import { humanizeStatus, timeAgo } from '../../util/relative-time.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { section, UNKNOWN_WIDTH } from './layout.ts';
import type { RunSummary } from './status-report.ts';
import { table } from './table.ts';

/** The runs below each other, in the width of the terminal without the indentation of a section. */
export function summaryTable(cli: CommandContext, runs: readonly RunSummary[], indent = 0): string {
  const isHeld = runs.some((run) => run.held_by !== null);
  const columns = [
    { title: 'RUN', min: 14 },
    { title: 'PHASE', min: 6, max: runs.some(hasSkipped) ? 26 : 14 },
    { title: 'STATUS', min: 6, max: 11 },
    ...(isHeld ? [{ title: 'HELD BY', max: 8, isOptional: true }] : []),
    { title: 'UPDATED', min: 8, max: 14, isOptional: true },
  ];
  const rows = runs.map((run) => [
    run.run_id,
    phaseCell(run),
    humanizeStatus(run.status),
    ...(isHeld ? [run.held_by === null ? '' : shortId(run.held_by)] : []),
    timeAgo(run.updated_at, cli.now),
  ]);
  return table(columns, rows, (cli.output.columns ?? UNKNOWN_WIDTH) - indent);
}

function hasSkipped({ skipped }: RunSummary): boolean {
  return Object.keys(skipped).length > 0;
}

function phaseCell(run: RunSummary): string {
  const label = phaseLabel(run.phase);
  return hasSkipped(run) ? `${label} (${Object.keys(run.skipped).length} skipped)` : label;
}

export function setAsideText(cli: CommandContext, paths: readonly string[]): string {
  return section(
    cli.output.colors.bold('Unreadable state files, set aside'),
    paths.map(
      (path) =>
        `${sanitizeLine(path)}: repair it and remove ".corrupt-…" from its name, or delete it`,
    ),
  );
}
