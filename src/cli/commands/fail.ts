import { blockPhase, phaseLabel } from '../../state/phases.ts';
import type { Cli } from '../context.ts';
import { filled } from '../inputs.ts';
import { changeRun, requireActive } from '../pick.ts';
import { reportRun } from '../report.ts';
import { oneLine } from '../../guidance/plain.ts';

export function fail(cli: Cli, name: string | undefined, options: { reason: string }): void {
  const reason = filled('--reason', options.reason);
  const run = changeRun(cli, name, (wanted) => {
    requireActive(wanted, 'fail');
    return {
      state: { ...blockPhase(wanted.state, reason), adopted: true },
      event: { event: 'failed', phase: wanted.state.phase, reason },
    };
  });
  reportRun(cli, run, [], `Phase ${oneLine(phaseLabel(run.state.phase))} is blocked.`);
}
