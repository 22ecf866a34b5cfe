import { type Caller, sessionOf } from '../sessions/caller.ts';
import { holderOf } from '../sessions/holder.ts';
import type { Project } from '../sessions/open-project.ts';
import { isActive } from '../state/run.ts';
import { contextActionOf } from '../state/progress.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import type { Transaction } from '../state/store/store.ts';
import { takeContextAction } from '../state/template-run.ts';
import type { Run } from '../state/types.ts';
import { recordToldWait } from '../templates/waits.ts';
import type { Delivery } from './move-run.ts';

type ViewedProject = Pick<Project, 'store' | 'now' | 'registry'>;

/** Showing a run to its holder requests the context action that is due; for anyone else nothing changes. */
export function viewRun(
  project: ViewedProject,
  caller: Caller,
  run: Run,
): Delivery {
  const session = sessionOf(caller);
  const delivery = deliverIfDue(project, session, run);
  recordToldWait(project.registry, session, delivery.run);
  return delivery;
}

function deliverIfDue(
  { store, now }: Pick<Project, 'store' | 'now'>,
  session: string | null,
  run: Run,
): Delivery {
  if (session === null || !isActionDue(run, session))
    return { run, action: null };
  return store.transaction((tx) => {
    const current = tx.reread(run);
    return current !== undefined && isActionDue(current, session)
      ? deliverContextAction(tx, current, now)
      : { run: current ?? run, action: null };
  });
}

function isActionDue(run: Run, session: string): boolean {
  if (holderOf(run.state) !== session || !isActive(run)) return false;
  return !isNewerFormat(run.state) && contextActionOf(run)?.state === 'due';
}

/** Marks a due context action as requested in the same write, so that it is asked for only once. */
export function deliverContextAction(
  tx: Transaction,
  run: Run,
  now: Date,
): Delivery {
  const { run: requested, action } = takeContextAction(run, now.toISOString());
  const saved = action === null ? run : tx.write(requested, requested.state);
  return { run: saved, action };
}
