import { recordPendingReads } from '../reading/pending-reads.ts';
import { isReadable } from '../reading/reading-list.ts';
import { countCompaction, loadedDetails, recordLoaded } from '../../sessions/context-record.ts';
import { sessionRecord, touch } from '../../sessions/holder.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { Environment } from '../../state/types.ts';
import { truncate } from '../../text/sanitize.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type Restoration,
  type RestorationInput,
} from './choose-restoration.ts';
import { decideUnderLock, heldState, letGoOfOthers, type DecisionContext } from './decide-run.ts';
import {
  renderRestoration,
  type RenderContext,
  type RenderedRestoration,
} from './render-restoration.ts';

/** `runs` are as they were listed before the lock was acquired. */
export interface RestoreRequest extends DecisionContext, RestorationInput, RenderContext {
  settings: RenderContext['settings'];
  environment: Environment;
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { session } = request;
  const chosen = chooseRestoration(decideUnderLock(tx, request.runs, request), request);
  const held = session === null ? chosen : heldBy(session, chosen, request);
  const rendered = renderRestoration(withContextActionDone(held, request), request);
  if (session !== null) {
    reopenSession(tx, rendered.choice, session, request);
    record(tx, rendered, session, request);
  }
  return rendered;
}

/** The session holds the run that it gets; it does not get a run that it is only offered. */
function heldBy(session: string, choice: Restoration, request: RestoreRequest): Restoration {
  if (!('run' in choice)) return choice;
  const state = heldState(choice.run, choice.reason.rule, session, request);
  return { ...choice, run: { ...choice.run, state } };
}

/** A conversation from before a /clear that is opened again stands for itself, no longer for its successor. */
function reopenSession(
  tx: Transaction,
  choice: Restoration,
  session: string,
  { runs, now }: RestoreRequest,
): void {
  const chosen = 'run' in choice ? choice.run.runId : null;
  for (const listed of runs) {
    if (listed.runId === chosen) continue;
    if (sessionRecord(listed.state, session)?.handed_to === undefined) continue;
    const run = tx.reread(listed);
    if (run !== undefined) tx.write(run, touch(run.state, session, now));
  }
}

/** Writes the run that the session holds now, with its journal event, and the files that the session still has to read. */
function record(
  tx: Transaction,
  { choice, guidance, text, reading }: RenderedRestoration,
  session: string,
  request: RestoreRequest,
): void {
  if (!('run' in choice)) return;
  const { source, now, settings } = request;
  const isCompaction = source === 'compact';
  const held = choice.run.state;
  const inlined = guidance?.inlined ?? [];
  const state =
    choice.kind === 'short'
      ? held
      : recordLoaded(
          isCompaction ? countCompaction(held) : held,
          inlined,
          isCompaction ? 'compaction' : 'session_start',
          now,
        );
  if (choice.reason.rule === 'evidence') letGoOfOthers(tx, choice.run, session, now);
  const run = tx.write(choice.run, state, {
    event: 'restored',
    source,
    given: choice.kind,
    session_id: session,
    characters: text?.length ?? 0,
    ...loadedDetails(held, state),
    // Where the text can be cut into its sections again, to show what a session was given.
    ...(guidance && {
      sections: guidance.sections.map((part) => [truncate(part.name, 60), part.text.length]),
    }),
  });
  if (guidance === null || settings.reading.enforce === 'off') return;
  const given = new Set(inlined.map(({ id }) => id));
  const isAnyLeft = reading.some((entry) => isReadable(entry) && !given.has(entry.path));
  if (isAnyLeft || Object.hasOwn(tx.hookState.receipts, session))
    recordPendingReads(request, tx, session, run);
}
