import { HoldfastError } from '../errors/holdfast-error.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { slugOf } from '../util/slug.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../workflow/machine/machine-state.ts';
import { takeContextAction } from '../workflow/template-run.ts';
import { deliverContextAction, holdBy } from './move-run.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';
import { transact, withActor, writeReleased } from './with-run.ts';

export const MAX_NAME = 200;

/** A workflow name on one line; null if it is blank or too long. */
export function parseWorkflowName(given: string): string | null {
  const name = given.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return name === '' || name.length > MAX_NAME ? null : name;
}

export interface StartedRun {
  run: StoredRun;
  /** False if the session already runs this template; then that run is returned. */
  isNew: boolean;
  action: ContextCommand | null;
}

/** `wanted` is the command as the user gave it, for the error message; `switches` releases the session's run. */
export function startRun(
  context: OperationContext,
  state: RunState,
  options: { switches: boolean; wanted: string },
): StartedRun {
  return transact(context, (tx) => {
    const session = callerSession(context, tx.runs);
    const held = tx.runs.filter(
      (other) => session !== null && isActive(other) && holderOf(other.state) === session,
    );
    const same = held.find((other) => isOfSameTemplate(other.state, state));
    if (same !== undefined && !options.switches) {
      return { ...deliverContextAction(context, tx, same), isNew: false };
    }
    if (held[0] !== undefined && !options.switches) {
      const { wanted } = options;
      throw new HoldfastError({ code: 'session_busy', run: held[0].runId, wanted });
    }
    for (const other of held) {
      writeReleased(context, tx, other, session);
      context.warn(`released ${other.runId}`);
    }
    warnAboutDuplicates(context, tx, state);
    const { state: requested, action } = takeContextAction(state, context.now.toISOString());
    const initial = session === null ? requested : holdBy(context, session, requested, 'command');
    const run = tx.create(initial, withActor(context, { event: 'started', phase: state.phase }));
    return { run, isNew: true, action };
  });
}

function isOfSameTemplate(running: RunState, wanted: RunState): boolean {
  return (
    running.template !== undefined &&
    wanted.template !== undefined &&
    slugOf(running.workflow) === slugOf(wanted.workflow)
  );
}

function warnAboutDuplicates(context: OperationContext, tx: Transaction, state: RunState): void {
  const slug = slugOf(state.workflow);
  for (const other of tx.runs) {
    if (isActive(other) && slugOf(other.state.workflow) === slug)
      context.warn(`another run of this workflow is also active: ${other.runId}`);
  }
}
