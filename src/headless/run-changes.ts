import { join } from 'node:path';
import fse from 'fs-extra';
import { appendLine } from '../files/atomic-write.ts';
import { withoutRequest } from '../runs/advance.ts';
import { holdBy, transact, withActor, withRun } from '../runs/change-run.ts';
import {
  findRunAnywhere,
  findTargetRun,
  previewTarget,
  requireActive,
  storeIfDetected,
} from '../runs/which-run.ts';
import { holderOf, releaseRun } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { journalLine } from '../state/store/state-writer.ts';
import { archivedJournal } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionHappened } from '../templates/run-view.ts';
import { HoldfastError } from '../text/holdfast-error.ts';

/** The run to drive; a finished one is found as well if it is named. A dry run stores nothing. */
export function runToDrive(
  context: OperationContext,
  name: string | undefined,
  { isDryRun }: { isDryRun: boolean },
): StoredRun {
  const previewed = isDryRun ? previewTarget(context, name) : null;
  if (previewed !== null) return previewed;
  if (name === undefined) return findTargetRun(context, name);
  storeIfDetected(context, name);
  return findRunAnywhere(context, name);
}

export function heldByLiveSession(run: string, session: string, seen: string): HoldfastError {
  return new HoldfastError(
    'held_by_session',
    `${run} belongs to the live session ${session}, seen ${seen}`,
    {
      hint: `end that session, or let go of the run there with \`holdfast release ${run}\``,
    },
  );
}

/** A driven session takes the run before its client starts. A fresh one is a clear. */
export function holdForClient(
  context: OperationContext,
  runId: string,
  client: { session: string; heldBy: string | null; isFresh: boolean; agent: string | null },
): StoredRun {
  const { session, heldBy, isFresh, agent } = client;
  return withRun(context, runId, (run, tx, log) => {
    requireActive(run, 'run');
    const holder = holderOf(run.state);
    // Another session has taken the run from the one that the driver gave it to before.
    if (heldBy !== null && holder !== null && ![heldBy, session].includes(holder))
      throw heldByLiveSession(runId, holder, 'now');
    const held = holdBy(context, session, run.state, { by: 'command', own: true });
    const at = context.now.toISOString();
    const state = isFresh ? contextActionHappened(held, 'clear', at) : held;
    const event: NewEvent = {
      event: 'driven',
      session_id: session,
      fresh: isFresh,
      ...(agent === null ? {} : { agent }),
    };
    return tx.write(run, state, { ...log(event), session_id: session });
  });
}

/** The client proved a compaction, and no hook has recorded it. */
export function recordCompaction(context: OperationContext, runId: string): StoredRun {
  return withRun(context, runId, (run, tx, log) => {
    const state = contextActionHappened(run.state, 'compact', context.now.toISOString());
    if (state === run.state) return run;
    return tx.write(run, state, log({ event: 'context', performed: '/compact' }));
  });
}

/** The gate of a step has failed, so the agent has to ask again. */
export function dropRequest(context: OperationContext, runId: string, event: NewEvent): StoredRun {
  return withRun(context, runId, (run, tx, log) =>
    tx.write(run, withoutRequest(run.state), log(event)),
  );
}

/** For the journal of the run, wherever that is by now. */
export function recordDrivenEvent(context: OperationContext, runId: string, event: NewEvent): void {
  transact(context, (tx) => {
    const run = tx.runs.find((candidate) => candidate.runId === runId);
    if (run !== undefined) {
      tx.write(run, run.state, withActor(context, event));
      return;
    }
    // The agent has ended the run with its last step.
    const path = join(context.root, archivedJournal(runId));
    if (fse.existsSync(path)) appendLine(path, journalLine(withActor(context, event), context.now));
  });
}

/** The driver stops: another session may take the run. */
export function releaseFromDriver(context: OperationContext, runId: string, session: string): void {
  transact(context, (tx) => {
    const run = tx.runs.find((candidate) => candidate.runId === runId);
    if (run === undefined || run.state.sessions?.current_session_id !== session) return;
    const state = releaseRun(run.state, session, context.now);
    tx.write(run, state, withActor(context, { event: 'released' }));
  });
}
