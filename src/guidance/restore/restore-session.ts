import type { Guidance } from '../guidance.ts';
import type { ReadingState } from '../reading/reading-list.ts';
import { recordPendingReads } from '../reading/record-pending-reads.ts';
import { countCompaction, loadedDetails, recordLoaded } from '../../sessions/context-record.ts';
import { sessionRecord, touch } from '../../sessions/holder.ts';
import type { Settings } from '../../settings/settings.ts';
import type { NewEvent } from '../../state/journal.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { Environment, StoredRun } from '../../state/types.ts';
import { truncate } from '../../text/sanitize.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type Restoration,
  type RestorationInput,
} from './choose-restoration.ts';
import { decideUnderLock, heldState, letGoOfOthers, type DecisionContext } from './decide-run.ts';
import { renderRestoration, type RenderedRestoration } from './render-restoration.ts';

export interface RestoreRequest
  extends DecisionContext, Omit<RestorationInput, 'session'>, Omit<RecordContext, 'session'> {
  settings: Settings;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
  ownAgent?: string | null;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { session } = request;
  const decision = decideUnderLock(tx, request.runs, request);
  const chosen = chooseRestoration(decision, request);
  const held = session === null ? chosen : holdChosen(chosen, { ...request, session });
  const restoration = withContextActionDone(held, request);
  const rendered = renderRestoration(restoration, request);
  if (session !== null) recordRestoration(tx, rendered, { ...request, session });
  return rendered;
}

interface RecordContext extends Pick<DecisionContext, 'root' | 'now' | 'arrival'> {
  launchFolder: string;
  settings: Settings;
  session: string;
  /** Why the session starts. */
  source: string;
  environment: Environment;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
}

/** The session holds the run that it gets; it does not get a run that it is only offered. */
function holdChosen<T extends Restoration>(choice: T, context: RecordContext): T {
  if (!('run' in choice)) return choice;
  const { run, reason } = choice;
  const state = heldState({ run, rule: reason.rule }, context);
  return { ...choice, run: { ...run, state } };
}

/** Writes the run that the session holds now, with its journal event, and the files that the session still has to read. */
function recordRestoration(
  tx: Transaction,
  rendered: RenderedRestoration,
  context: RecordContext,
): void {
  reopenSession(tx, rendered, context);
  const held = recordHeldRun(tx, rendered, context);
  const { session, settings } = context;
  if (held === null || settings.reading.enforce === 'off') return;
  if (Object.hasOwn(tx.hookState.receipts, session) || leavesFilesToRead(rendered))
    recordPendingReads(context, tx, { session, ...held });
}

/** A conversation from before a /clear that is opened again stands for itself, no longer for its successor. */
function reopenSession(
  tx: Transaction,
  { choice }: RenderedRestoration,
  { runs, session, now }: RecordContext,
): void {
  const chosen = 'run' in choice ? choice.run.runId : null;
  for (const listed of runs) {
    if (listed.runId === chosen) continue;
    if (sessionRecord(listed.state, session)?.handed_to === undefined) continue;
    const run = tx.reread(listed);
    if (run !== undefined) tx.write(run, touch(run.state, session, now));
  }
}

function recordHeldRun(
  tx: Transaction,
  { choice, guidance, text }: RenderedRestoration,
  { session, source, now }: RecordContext,
): { kind: 'full' | 'short' | 'frame'; run: StoredRun } | null {
  if (!('run' in choice)) return null;
  const held = choice.run.state;
  const counted = source === 'compact' ? countCompaction(held) : held;
  const trigger = source === 'compact' ? 'compaction' : 'session_start';
  const state =
    choice.kind === 'short' ? held : recordLoaded(counted, guidance?.inlined ?? [], trigger, now);
  if (choice.reason.rule === 'evidence') letGoOfOthers(tx, choice.run, { session, now });
  const event: NewEvent = {
    event: 'restored',
    source,
    given: choice.kind,
    session_id: session,
    characters: text?.length ?? 0,
    ...loadedDetails(held, state),
    ...(guidance === null ? {} : { sections: sectionSizes(guidance) }),
  };
  return { kind: choice.kind, run: tx.write(choice.run, state, event) };
}

/** Where the text can be cut into its sections again, to show what a session was given. */
function sectionSizes({ sections }: Guidance): [name: string, characters: number][] {
  return sections.map(({ name, text }) => [truncate(name, 60), text.length]);
}

/** Whether the text names files without their content, or reports some as changed. */
function leavesFilesToRead({ reading, guidance }: RenderedRestoration): boolean {
  if (guidance === null) return reading.some(({ state }) => state === 'changed');
  const inlined = new Set(guidance.inlined.map(({ id }) => id));
  return reading.some(({ path, state }) => READABLE.has(state) && !inlined.has(path));
}

const READABLE: ReadonlySet<ReadingState> = new Set(['unread', 'changed', 'in_context']);
