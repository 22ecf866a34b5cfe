import { HoldfastError } from '../errors/holdfast-error.ts';
import { environmentOf } from '../sessions/environment.ts';
import { resolveSession, hold, holderOf, releaseRun } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { slugOf } from '../util/slug.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../workflow/machine/machine-state.ts';
import { takeContextAction } from '../workflow/template-run.ts';
import { deliverContextAction } from './save-run.ts';
import type { OperationContext } from './context.ts';
import { reportSetAside, withActor } from './with-run.ts';

export interface StartedRun {
  run: StoredRun;
  /** False where the session runs this template already: that run is given back. */
  isNew: boolean;
  action: ContextCommand | null;
}

/** `wanted` is what the user asked for, for the words of a refusal; `switches`: the session lets go of its run. */
export function startRun(
  desk: OperationContext,
  state: RunState,
  options: { switches: boolean; wanted: string },
): StartedRun {
  return desk.store.transaction((tx) => {
    reportSetAside(desk, tx);
    const session = desk.session === null ? null : resolveSession(desk.session, tx.runs);
    const held = tx.runs.filter(
      (other) => session !== null && isActive(other) && holderOf(other.state) === session,
    );
    const same = held.find((other) => isOfSameTemplate(other.state, state));
    if (same !== undefined && !options.switches) {
      return { ...deliverContextAction(desk, tx, same), isNew: false };
    }
    if (held[0] !== undefined && !options.switches) {
      const { wanted } = options;
      throw new HoldfastError({ code: 'session_busy', run: held[0].runId, wanted });
    }
    releaseRuns(desk, tx, held, session);
    warnAboutDuplicates(desk, tx, state);
    const { state: asked, action } = takeContextAction(state, desk.now.toISOString());
    const environment = environmentOf(desk.root, desk.cwd, desk.claudePid);
    const bound = session === null ? asked : hold(asked, session, environment, desk.now);
    const run = tx.create(bound, withActor(desk, { event: 'started', phase: state.phase }));
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

function releaseRuns(
  desk: OperationContext,
  tx: Transaction,
  held: StoredRun[],
  session: string | null,
): void {
  for (const other of held) {
    tx.write(
      other,
      releaseRun(other.state, session, desk.now),
      withActor(desk, { event: 'released' }),
    );
    desk.warn(`let go of ${other.runId}`);
  }
}

function warnAboutDuplicates(desk: OperationContext, tx: Transaction, state: RunState): void {
  const slug = slugOf(state.workflow);
  for (const other of tx.runs) {
    if (isActive(other) && slugOf(other.state.workflow) === slug)
      desk.warn(`another run of this workflow is active too: ${other.runId}`);
  }
}
