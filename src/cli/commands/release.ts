import { currentIdOf, letGo, liveHolder } from '../../sessions/history.ts';
import type { Cli } from '../context.ts';
import { changeRun, heldByOther } from '../pick.ts';
import { reportRun } from '../report.ts';

export function release(cli: Cli, name: string | undefined): void {
  const run = changeRun(cli, name, (wanted, tx) => {
    const session = cli.session === null ? null : currentIdOf(cli.session, tx.runs);
    const holder = liveHolder(wanted.state, cli);
    if (session !== null && holder !== null && holder !== session) {
      throw heldByOther(wanted, holder, 'release', cli.now);
    }
    return { state: letGo(wanted.state, session, cli.now), event: { event: 'released' } };
  });
  reportRun(cli, run, [], `Released ${run.runId}: it stays active, and nobody holds it.`);
}
