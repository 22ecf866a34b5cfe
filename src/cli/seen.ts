import { HoldfastError } from '../errors.ts';
import { currentIdOf } from '../sessions/history.ts';
import { markHolderSeen } from '../state/seen.ts';
import type { Cli } from './context.ts';

/** A session whose agent runs commands is alive, also when no hook fires. */
export function keepSeen(cli: Cli): void {
  if (cli.session === null) return;
  const { runs } = cli.store.list();
  try {
    markHolderSeen(cli.store, runs, currentIdOf(cli.session, runs), cli.now);
  } catch (error) {
    // The command itself is done: what it printed stays true where this cannot be written.
    if (!(error instanceof HoldfastError)) throw error;
    cli.output.warn(error.message);
  }
}
