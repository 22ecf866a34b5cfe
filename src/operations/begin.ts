import { HoldfastError } from '../errors.ts';
import { environmentOf } from '../sessions/environment.ts';
import { currentIdOf, hold, holderOf, letGo } from '../sessions/history.ts';
import { isActive } from '../state/select.ts';
import { slugOf } from '../state/slug.ts';
import type { Transaction } from '../state/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../workflow/machine-state.ts';
import { delivered } from '../workflow/run.ts';
import { deliver } from './deliver.ts';
import type { Desk } from './desk.ts';
import { reportSetAside, signed } from './pick.ts';

export interface Begun {
  run: StoredRun;
  /** False where the session runs this template already: that run is given back. */
  isNew: boolean;
  action: ContextCommand | null;
}

/** `wanted` is what the user asked for, for the words of a refusal; `switches`: the session lets go of its run. */
export function beginRun(
  desk: Desk,
  state: RunState,
  options: { switches: boolean; wanted: string },
): Begun {
  return desk.store.transaction((tx) => {
    reportSetAside(desk, tx);
    const session = desk.session === null ? null : currentIdOf(desk.session, tx.runs);
    const held = tx.runs.filter(
      (other) => session !== null && isActive(other) && holderOf(other.state) === session,
    );
    const same = held.find((other) => isOfSameTemplate(other.state, state));
    if (same !== undefined && !options.switches) {
      return { ...deliver(desk, tx, same), isNew: false };
    }
    if (held[0] !== undefined && !options.switches) {
      const { wanted } = options;
      throw new HoldfastError({ code: 'session_busy', run: held[0].runId, wanted });
    }
    letGoOf(desk, tx, held, session);
    warnAboutTwins(desk, tx, state);
    const { state: asked, action } = delivered(state, desk.now.toISOString());
    const environment = environmentOf(desk.root, desk.cwd, desk.claudePid);
    const bound = session === null ? asked : hold(asked, session, environment, desk.now);
    const run = tx.create(bound, signed(desk, { event: 'started', phase: state.phase }));
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

function letGoOf(desk: Desk, tx: Transaction, held: StoredRun[], session: string | null): void {
  for (const other of held) {
    tx.write(other, letGo(other.state, session, desk.now), signed(desk, { event: 'released' }));
    desk.warn(`let go of ${other.runId}`);
  }
}

function warnAboutTwins(desk: Desk, tx: Transaction, state: RunState): void {
  const slug = slugOf(state.workflow);
  for (const other of tx.runs) {
    if (isActive(other) && slugOf(other.state.workflow) === slug)
      desk.warn(`another run of this workflow is active too: ${other.runId}`);
  }
}
