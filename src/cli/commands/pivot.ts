import { oneLine } from '../../guidance/plain.ts';
import { pivotRun } from '../../operations/pivot.ts';
import type { Cli } from '../context.ts';
import { textOrStdin } from '../inputs.ts';
import { reportRun } from '../report.ts';

export interface PivotOptions {
  feedback: string;
  run?: string;
}

export function pivot(cli: Cli, step: string, options: PivotOptions): void {
  const feedback = textOrStdin('--feedback', options.feedback);
  const { run, action, left, from, to, tag, artifacts } = pivotRun(
    cli,
    options.run,
    step,
    feedback,
  );
  const lead = [
    `Went back from ${oneLine(left)} to ${oneLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
    ...(artifacts.text === '' ? [] : [artifacts.text]),
  ].join('\n\n');
  reportRun(cli, run, [], lead, action, { pivot: { from, to, tag }, artifacts: artifacts.due });
}
