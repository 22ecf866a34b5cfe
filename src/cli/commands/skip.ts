import { skipRun } from '../../operations/skip.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank, wholeNumber } from '../options.ts';
import { reportEnd, reportRun } from '../output/report-run.ts';

export interface SkipOptions {
  phase?: string;
  reason: string;
}

export function skip(cli: CommandContext, name: string | undefined, options: SkipOptions): void {
  const { run, action, skipped } = skipRun(cli, name, {
    phase: options.phase === undefined ? undefined : wholeNumber('--phase', options.phase),
    reason: nonBlank('--reason', options.reason),
  });
  const lead = `Skipped phase ${sanitizeLine(skipped)}.`;
  if (run.state.status === 'completed') reportEnd(cli, run, lead);
  else reportRun(cli, run, [], lead, action);
}
