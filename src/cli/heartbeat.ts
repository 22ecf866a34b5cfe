import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { resolveSession } from '../sessions/holder.ts';
import { touchHolder } from '../sessions/heartbeat.ts';
import type { CommandContext } from './context.ts';

/** A session whose agent runs commands is alive, also when no hook fires. */
export function touchSession(cli: CommandContext): void {
  if (cli.session === null) return;
  const { runs } = cli.store.list();
  try {
    touchHolder(cli.store, runs, resolveSession(cli.session, runs), cli.now);
  } catch (error) {
    // The command itself is done: what it printed stays true where this cannot be written.
    if (!(error instanceof HoldfastError)) throw error;
    cli.output.warn(describe(error.failure).message);
  }
}
