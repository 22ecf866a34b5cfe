import { sanitizeLine } from '../../util/sanitize.ts';
import { pivotRun } from '../../operations/pivot.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { reportChange } from '../output/report-run.ts';

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
  reportChange(cli, run, {
    done: `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`,
    isMove: true,
    action,
    details: [artifacts.text],
    data: { pivot: { from, to, tag }, artifacts: artifacts.due },
  });
}
