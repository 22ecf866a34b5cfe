import { HoldfastError } from '../../errors/holdfast-error.ts';
import { recordPendingReads } from '../../reading/record-pending-reads.ts';
import { renderRestoration } from '../../restore/render-restoration.ts';
import { readSources } from '../../sync/read-sources.ts';
import { environmentOf } from '../../sessions/environment.ts';
import { resolveSession, hold, holderOf, releaseRun, liveHolder } from '../../sessions/holder.ts';
import { recordLoaded } from '../../sessions/context-record.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import type { CommandContext } from '../context.ts';
import { heldByOther, requireActive, withActor, withRun } from '../../operations/with-run.ts';
import { statusReport } from '../output/status-report.ts';

/** The session takes the run and is given its full guidance, as after a compaction. */
export function claim(cli: CommandContext, name: string, options: { force?: boolean }): void {
  const asking = cli.session;
  if (asking === null) throw new HoldfastError({ code: 'no_session', command: 'claim' });
  const { sources } = readSources(cli.root, cli.settings.detect);
  const { run, left, text } = withRun(cli, name, (wanted, tx) => {
    const session = resolveSession(asking, tx.runs);
    requireActive(wanted, 'claim');
    const holder = liveHolder(wanted.state, cli);
    if (holder !== null && holder !== session && options.force !== true) {
      throw heldByOther(wanted, holder, 'claim', cli.now);
    }
    const others = byRecency(tx.runs.filter((other) => other !== wanted && isActive(other)));
    const own = others.filter((other) => holderOf(other.state) === session);
    for (const other of own) {
      tx.write(
        other,
        releaseRun(other.state, session, cli.now),
        withActor(cli, { event: 'released' }),
      );
    }
    const held = hold(
      wanted.state,
      session,
      environmentOf(cli.root, cli.cwd, process.env['CLAUDE_PID']),
      cli.now,
    );
    const taken = { ...wanted, state: held };
    const { guidance } = renderRestoration(
      { kind: 'full', run: taken, takes: true, isOwn: true, others, why: 'it was claimed' },
      { ...cli, sources, source: 'startup' },
    );
    const state = recordLoaded(held, guidance?.inlined ?? [], 'session_start', cli.now);
    const event = withActor(cli, { event: 'claimed', from: holder });
    const claimed = tx.write(wanted, state, event);
    if (cli.settings.reading.enforce !== 'off')
      recordPendingReads(cli, tx, { session, kind: 'full', run: claimed });
    return { run: claimed, left: own, text: guidance?.text ?? '' };
  });
  for (const other of left) cli.output.warn(`let go of ${other.runId}`);
  cli.output.result({ ...statusReport(cli, run, []), guidance: text }, text);
}
