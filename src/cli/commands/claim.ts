import { HoldfastError } from '../../errors.ts';
import { environmentOf } from '../../sessions/environment.ts';
import { currentIdOf, hold, holderOf, letGo, liveHolder } from '../../sessions/history.ts';
import { isActive } from '../../state/select.ts';
import type { Cli } from '../context.ts';
import { heldByOther, namedRun, reportSetAside, requireActive, signed } from '../pick.ts';
import { reportRun } from '../report.ts';

export function claim(cli: Cli, name: string, options: { force?: boolean }): void {
  const asking = cli.session;
  if (asking === null) throw new HoldfastError({ code: 'no_session', command: 'claim' });
  const { run, left } = cli.store.transaction((tx) => {
    reportSetAside(cli, tx);
    const session = currentIdOf(asking, tx.runs);
    const wanted = namedRun(tx.runs, name);
    requireActive(wanted, 'claim');
    const holder = liveHolder(wanted.state, cli);
    if (holder !== null && holder !== session && options.force !== true) {
      throw heldByOther(wanted, holder, 'claim', cli.now);
    }
    const others = tx.runs.filter(
      (other) => other !== wanted && isActive(other) && holderOf(other.state) === session,
    );
    for (const other of others) {
      tx.write(other, letGo(other.state, session, cli.now), signed(cli, { event: 'released' }));
    }
    const state = hold(wanted.state, session, environmentOf(cli.root, cli.cwd), cli.now);
    return {
      run: tx.write(wanted, state, signed(cli, { event: 'claimed', from: holder })),
      left: others,
    };
  });
  for (const other of left) cli.output.warn(`let go of ${other.runId}`);
  reportRun(cli, run, [], `This session now holds ${run.runId}.`);
}
