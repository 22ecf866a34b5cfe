import { recordPendingReads, type RestoredRun } from '../restore/record-receipt.ts';
import type { SourceFile } from '../sync/types.ts';
import type { ReadingState } from '../reading/reading-list.ts';
import { readSources } from '../sync/read-sources.ts';
import { environmentOf } from '../sessions/environment.ts';
import { findHandedOverRun, takeOverRun, type NewSession } from '../sessions/hand-over.ts';
import { hold, holderOf, touch, sessionRecord } from '../sessions/holder.ts';
import { isDuplicateCall, recordCall, markRestored } from '../state/store/hook-memory.ts';
import { countCompaction, recordLoaded } from '../sessions/context-record.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Environment, StoredRun } from '../state/types.ts';
import { contextReply, stringField, type Reply } from './protocol.ts';
import {
  prepareRestoration,
  chooseUnderLock,
  type PreparedRestoration,
} from '../restore/prepare-restoration.ts';
import { callKey, detectAndSync, type HookContext } from './context.ts';

export function sessionStart(around: HookContext): Reply {
  const source = stringField(around.input.raw, 'source') ?? 'startup';
  const { runs, sourcesOf } = source === 'compact' ? detected(around) : look(around);
  if (!runs.some(isActive)) return null;
  return around.store.transaction((tx) => {
    const now = around.now.getTime();
    if (isDuplicateCall(tx.hookMemory, callKey(around), now)) return null;
    const { session } = around.input;
    const reply = restore(around, tx, { runs, sourcesOf, source });
    // Last, so that a write that failed leaves the second chance open.
    const memory = recordCall(tx.hookMemory, callKey(around), now);
    tx.keepHookMemory(
      source === 'compact' && session !== null ? markRestored(memory, session, now) : memory,
    );
    return reply;
  });
}

export interface Occasion {
  /** As they were listed before the lock was got. */
  runs: readonly StoredRun[];
  /** What decides which of these runs a session is given. */
  sourcesOf: (runs: readonly StoredRun[]) => readonly SourceFile[];
  source: string;
  /** Long after the compaction, which was noted when it happened. */
  isBelated?: boolean;
}

/** Gives the session what is its due, and records what it was given. */
export function restore(around: HookContext, tx: Transaction, occasion: Occasion): Reply {
  const { input, now, root, settings, environment } = around;
  const { session } = input;
  const { source, sourcesOf } = occasion;
  const surroundings = environmentOf(root, input.cwd ?? root, environment['CLAUDE_PID']);
  const arriving =
    (source === 'clear' || source === 'compact') && session !== null
      ? {
          session,
          claudePid: environment['CLAUDE_PID'],
          parentPid: String(process.ppid),
          now,
          hostname: around.hostname,
          isCleared: source === 'clear',
        }
      : null;
  const prepared = chooseUnderLock(tx, occasion.runs, (listed) =>
    prepareRestoration({
      now,
      hostname: around.hostname,
      root,
      settings,
      runs: arriving === null ? listed : handOver(listed, arriving, surroundings),
      sources: sourcesOf(listed),
      session,
      source,
      isBelated: occasion.isBelated,
      isAttended: environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
    }),
  );
  if (session !== null) {
    const chosen = 'run' in prepared.choice ? prepared.choice.run.runId : null;
    reopen(
      tx,
      occasion.runs.filter(({ runId }) => runId !== chosen),
      session,
      now,
    );
    const held = record(tx, prepared, session, source, surroundings, now);
    if (
      held !== null &&
      settings.reading.enforce !== 'off' &&
      (Object.hasOwn(tx.hookMemory.receipts, session) || leavesReading(prepared))
    )
      recordPendingReads(around, tx, { session, ...held });
  }
  if (prepared.text === null) return null;
  return contextReply(
    input.event,
    prepared.text,
    input.event === 'SessionStart' ? prepared.userLine : null,
  );
}

/** Whether there are files that the text names without giving them, or says to have changed. */
function leavesReading({ reading, guidance }: PreparedRestoration): boolean {
  if (guidance === null) return reading.some(({ state }) => state === 'changed');
  const given = new Set(guidance.inlined.map(({ id }) => id));
  return reading.some(({ path, state }) => READABLE.has(state) && !given.has(path));
}

const READABLE: ReadonlySet<ReadingState> = new Set(['unread', 'changed', 'in_context']);

type Look = Pick<Occasion, 'runs' | 'sourcesOf'>;

function detected(around: HookContext): Look {
  const { runs, sources } = detectAndSync(around);
  return { runs, sourcesOf: () => sources };
}

/** Outside a compaction nothing is detected: only the files that runs come from are looked at. */
function look({ root, store, settings, input }: HookContext): Look {
  const { runs } = store.list();
  return {
    runs,
    sourcesOf: (listed) => {
      // A session that holds a run is given that one, whatever becomes of the others.
      const own = listed.filter(
        (run) => isActive(run) && input.session !== null && holderOf(run.state) === input.session,
      );
      const decisive = own.length > 0 ? own : listed;
      const only = new Set(decisive.flatMap(({ state }) => state.source?.path ?? []));
      return readSources(root, settings.detect, { only, memory: store.memory() }).sources;
    },
  };
}

function handOver(
  runs: readonly StoredRun[],
  arriving: NewSession,
  environment: Environment,
): StoredRun[] {
  const handed = findHandedOverRun(runs, arriving);
  return runs.map((run) =>
    run === handed ? { ...run, state: takeOverRun(run.state, arriving, environment) } : run,
  );
}

function record(
  tx: Transaction,
  { choice, guidance }: PreparedRestoration,
  session: string,
  source: string,
  environment: Environment,
  now: Date,
): Omit<RestoredRun, 'session'> | null {
  if (choice.kind === 'nothing' || choice.kind === 'offer') return null;
  if (choice.kind === 'full' && !choice.takes) return null;
  const held = hold(choice.run.state, session, environment, now);
  const counted = source === 'compact' ? countCompaction(held) : held;
  const trigger = source === 'compact' ? 'compaction' : 'session_start';
  const state =
    choice.kind === 'short' ? held : recordLoaded(counted, guidance?.inlined ?? [], trigger, now);
  const event = { event: 'restored', source, given: choice.kind, session_id: session };
  return { kind: choice.kind, run: tx.write(choice.run, state, event) };
}

/** A conversation from before a /clear that is opened again stands for itself, not for its successor. */
function reopen(tx: Transaction, runs: readonly StoredRun[], session: string, now: Date): void {
  for (const listed of runs) {
    if (sessionRecord(listed.state, session)?.handed_to === undefined) continue;
    const run = tx.reread(listed);
    if (run !== undefined) tx.write(run, touch(run.state, session, now));
  }
}
