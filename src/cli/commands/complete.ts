import { holderOf, recordCompletedPhase } from '../../sessions/history.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { Cli } from '../context.ts';
import { endRun } from '../../operations/ending.ts';
import { reportEnd } from '../ending.ts';
import { signed, withRun } from '../../operations/pick.ts';

export function complete(cli: Cli, name: string | undefined, options: { purge?: boolean }): void {
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
      signed(cli, { event: 'completed', phase }),
      options.purge === true,
    );
  });
  reportEnd(cli, run);
}
