import { HoldfastError } from '../../errors/holdfast-error.ts';
import { environmentOf } from '../../sessions/environment.ts';
import { resolveSession, hold, holderOf, sessionRecord } from '../../sessions/holder.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { machineOf, withMachine } from '../../workflow/template-run.ts';
import type { CommandContext } from '../context.ts';
import { namedRun, reportSetAside, withActor } from '../../operations/with-run.ts';
import { reportRun } from '../output/report-run.ts';

export function resume(cli: CommandContext, name: string | undefined): void {
  const sessionIn = (runs: readonly StoredRun[]): string | null =>
    cli.session === null ? null : resolveSession(cli.session, runs);
  const pick = (runs: readonly StoredRun[]): StoredRun =>
    name === undefined ? pausedRun(runs, sessionIn(runs)) : namedRun(runs, name);
  pick(cli.store.list().runs);
  const run = cli.store.transaction((tx) => {
    reportSetAside(cli, tx);
    const session = sessionIn(tx.runs);
    const wanted = pick(tx.runs);
    const { status } = wanted.state;
    if (status !== 'paused' && status !== 'failed') {
      throw new HoldfastError({
        code: 'not_paused',
        run: wanted.runId,
        status: status ?? 'in_progress',
      });
    }
    const { status_reason: _reason, ...rest } = reopened(wanted.state);
    const going: RunState = { ...rest, status: 'in_progress', adopted: true };
    const isBusy = tx.runs.some((other) => isActive(other) && holderOf(other.state) === session);
    const state =
      session === null || isBusy
        ? going
        : hold(
            going,
            session,
            environmentOf(cli.root, cli.cwd, process.env['CLAUDE_PID']),
            cli.now,
          );
    return tx.write(wanted, state, withActor(cli, { event: 'resumed' }));
  });
  reportRun(cli, run, [], `Resumed ${run.runId}.`);
}

/** A run whose step failed goes on at that step. */
function reopened(state: RunState): RunState {
  const machine = machineOf(state);
  if (machine === null || machine.state.status !== 'failed') return state;
  machine.reopen();
  return withMachine(state, machine);
}

/** The one that this session worked on, else the only one. */
function pausedRun(runs: readonly StoredRun[], session: string | null): StoredRun {
  const paused = byRecency(
    runs.filter(({ state }) => state.status === 'paused' || state.status === 'failed'),
  );
  const own = paused.filter(
    ({ state }) => session !== null && sessionRecord(state, session) !== undefined,
  );
  const candidates = own.length > 0 ? own : paused;
  const [first, second] = candidates;
  if (first === undefined) throw new HoldfastError({ code: 'nothing_paused' });
  if (second !== undefined) {
    throw new HoldfastError({
      code: 'ambiguous_run',
      name: null,
      runs: candidates.map(({ runId }) => runId),
    });
  }
  return first;
}
