import { resolveSession, holderOf, releaseRun, liveHolder } from '../../sessions/holder.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { changeRun, heldByOther, withActor } from '../../operations/with-run.ts';
import { reportRun } from '../output/report-run.ts';
import { statusReport, summaryOf } from '../output/status-report.ts';

export function release(cli: CommandContext, name: string | undefined): void {
  const shown = name === undefined ? shownToSession(cli) : [];
  if (shown.length > 1) {
    letGoOfAll(cli, shown);
    return;
  }
  const run = changeRun(cli, name, (wanted, tx) => {
    const session = cli.session === null ? null : resolveSession(cli.session, tx.runs);
    const holder = liveHolder(wanted.state, cli);
    if (session !== null && holder !== null && holder !== session) {
      throw heldByOther(wanted, holder, 'release', cli.now);
    }
    return { state: releaseRun(wanted.state, session, cli.now), event: { event: 'released' } };
  });
  reportRun(cli, run, [], `Released ${run.runId}: it stays active, and nobody holds it.`);
}

/** A session that holds none may have been shown any of the free runs: it wants none of them. */
function shownToSession(cli: CommandContext): StoredRun[] {
  if (cli.session === null) return [];
  const { runs } = cli.store.list();
  const session = resolveSession(cli.session, runs);
  const active = byRecency(runs.filter(isActive));
  if (active.some(({ state }) => holderOf(state) === session)) return [];
  return active.filter((run) => liveHolder(run.state, cli) === null);
}

function letGoOfAll(cli: CommandContext, shown: StoredRun[]): void {
  const released = cli.store.transaction((tx) =>
    shown.flatMap((listed) => {
      const run = tx.reread(listed);
      if (run === undefined || cli.session === null) return [];
      const session = resolveSession(cli.session, tx.runs);
      return [
        tx.write(
          run,
          releaseRun(run.state, session, cli.now),
          withActor(cli, { event: 'released' }),
        ),
      ];
    }),
  );
  const names = released.map(({ runId }) => runId);
  cli.output.result(
    { ...statusReport(cli, null, []), released: released.map((run) => summaryOf(cli, run)) },
    `This session is not given these again by itself: ${names.join(', ')}.`,
  );
}
