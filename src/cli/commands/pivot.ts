import { sanitizeLine } from '../../util/sanitize.ts';
import { pivotRun } from '../../operations/pivot.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { reportRun } from '../output/report-run.ts';

export interface PivotOptions {
  feedback: string;
  run?: string;
}

export function pivot(cli: CommandContext, step: string, options: PivotOptions): void {
  const feedback = textOrStdin('--feedback', options.feedback);
  const { run, action, left, from, to, tag, artifacts } = pivotRun(
    cli,
    options.run,
    step,
    feedback,
  );
  const lead = [
    `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
    ...(artifacts.text === '' ? [] : [artifacts.text]),
  ].join('\n\n');
  reportRun(cli, run, [], lead, action, { pivot: { from, to, tag }, artifacts: artifacts.due });
}
