import { holderOf, recordCompletedPhase } from '../../sessions/holder.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { CommandContext } from '../context.ts';
import { endRun } from '../../operations/end-run.ts';
import { reportEnd } from '../output/report-end.ts';
import { withActor, withRun } from '../../operations/with-run.ts';

export function complete(
  cli: CommandContext,
  name: string | undefined,
  options: { purge?: boolean },
): void {
  const run = withRun(cli, name, (picked, tx) => {
    const { phase } = picked.state;
    const done = { ...picked.state, phase: { ...phase, status: 'completed' as const } };
    const holder = holderOf(picked.state);
    const state =
      holder === null ? done : recordCompletedPhase(done, holder, phaseLabel(phase), cli.now);
    return endRun(
      cli,
      tx,
      picked,
      state,
      withActor(cli, { event: 'completed', phase }),
      options.purge === true,
    );
  });
  reportEnd(cli, run);
}
