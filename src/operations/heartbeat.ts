import { HoldfastError } from '../errors/holdfast-error.ts';
import { touchHolder } from '../sessions/heartbeat.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';

/** A session whose agent runs commands or calls tools is alive, even while no hook fires. */
export function touchSession(context: OperationContext): void {
  if (context.session === null) return;
  const { store, now, warn } = context;
  const { runs } = store.list();
  const session = callerSession(context, runs);
  if (session === null) return;
  try {
    touchHolder(store, runs, session, now);
  } catch (error) {
    // The operation has succeeded and stays reported as such if only this write fails.
    if (!(error instanceof HoldfastError)) throw error;
    warn({ code: 'not_recorded', failure: error.failure });
  }
}
