import { skipRun } from '../../operations/skip.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank, wholeNumber } from '../options.ts';
import { reportChange, reportEnd } from '../output/report-run.ts';

export interface SkipOptions {
  phase?: string;
  reason: string;
}

export function skip(cli: CommandContext, name: string | undefined, options: SkipOptions): void {
  const { run, action, skipped, artifacts } = skipRun(cli, name, {
    phase: options.phase === undefined ? undefined : wholeNumber('--phase', options.phase),
    reason: nonBlank('--reason', options.reason),
  });
  const done = `Skipped phase ${sanitizeLine(skipped)}: ${sanitizeLine(options.reason)}.`;
  if (run.state.status === 'completed') reportEnd(cli, run, done);
  else
    reportChange(cli, run, {
      done,
      isMove: options.phase === undefined,
      action,
      details: [artifacts.text],
      data: { artifacts: artifacts.due },
    });
}
