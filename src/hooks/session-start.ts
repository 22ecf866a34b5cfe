import { digestOf } from '../io/digest.ts';
import { readSources } from '../io/sources.ts';
import { environmentOf } from '../sessions/environment.ts';
import { runHandedOver, takeOver, type ClearedSession } from '../sessions/hand-over.ts';
import { hold, markSeen } from '../sessions/history.ts';
import { isRepeated, withCall, withRestored } from '../sessions/hook-memory.ts';
import { isActive } from '../state/select.ts';
import type { Transaction } from '../state/store.ts';
import type { SourceFile } from '../state/sync.ts';
import type { Environment, RunState, StoredRun } from '../state/types.ts';
import { contextReply, textOf, type Reply } from './protocol.ts';
import { prepareRestoration, type PreparedRestoration } from './restoration.ts';
import { callKey, detect, sessionOf, type Surroundings } from './surroundings.ts';

export function sessionStart(around: Surroundings): Reply {
  const source = textOf(around.input.raw, 'source') ?? 'startup';
  const { runs, sources } = source === 'compact' ? detect(around) : look(around);
  if (!runs.some(isActive)) return null;
  return around.store.transaction((tx) => {
    const now = around.now.getTime();
    if (isRepeated(tx.hookMemory, callKey(around), now)) return null;
    const session = sessionOf(around, tx.runs);
    const memory = withCall(tx.hookMemory, callKey(around), now);
    tx.keepHookMemory(
      source === 'compact' && session !== null ? withRestored(memory, session, now) : memory,
    );
    return restore(around, tx, sources, source);
  });
}

/** Gives the session what is its due, and records what it was given. */
export function restore(
  around: Surroundings,
  tx: Transaction,
  sources: readonly SourceFile[],
  source: string,
): Reply {
  const { input, now, root, settings, environment } = around;
  const session = sessionOf(around, tx.runs);
  const surroundings = hostEnvironment(around);
  const runs =
    source === 'clear' && session !== null
      ? handOver(tx.runs, { session, claudePid: environment.CLAUDE_PID, now }, surroundings)
      : tx.runs;
  const prepared = prepareRestoration({
    now,
    hostname: around.hostname,
    root,
    settings,
    runs,
    sources,
    session,
    source,
    isAttended: environment.CLAUDE_CODE_SESSION_ATTENDED !== '0',
  });
  record(tx, prepared, session, source, surroundings, around);
  if (prepared.text === null) return null;
  return contextReply(
    input.event,
    prepared.text,
    input.event === 'SessionStart' ? prepared.userLine : null,
  );
}

/** Outside a compaction nothing is detected: only the files that runs come from are looked at. */
function look({ root, store, settings }: Surroundings): {
  runs: StoredRun[];
  sources: SourceFile[];
} {
  const { runs } = store.list();
  const paths = new Set(runs.flatMap(({ state }) => state.source?.path ?? []));
  return {
    runs,
    sources: runs.length === 0 ? [] : readSources(root, settings.detect, paths).sources,
  };
}

function handOver(
  runs: readonly StoredRun[],
  cleared: ClearedSession,
  environment: Environment,
): StoredRun[] {
  const handed = runHandedOver(runs, cleared);
  return runs.map((run) =>
    run === handed ? { ...run, state: takeOver(run.state, cleared, environment) } : run,
  );
}

function record(
  tx: Transaction,
  { choice, guidance }: PreparedRestoration,
  session: string | null,
  source: string,
  environment: Environment,
  { now }: Surroundings,
): void {
  if (session === null || choice.kind === 'nothing' || choice.kind === 'offer') return;
  const { run } = choice;
  if (choice.kind === 'full' && !choice.takes) return;
  const held = hold(run.state, session, environment, now);
  const state =
    choice.kind === 'short'
      ? markSeen(held, session, now)
      : withLoaded(held, guidance?.inlined ?? [], source, now);
  tx.write(run, state, { event: 'restored', source, given: choice.kind, session_id: session });
}

function withLoaded(
  state: RunState,
  inlined: readonly { path: string; content: string }[],
  source: string,
  now: Date,
): RunState {
  const time = now.toISOString();
  const trigger = source === 'compact' ? 'compaction' : 'session_start';
  const metadata = state.context_metadata ?? {};
  const compactions = (metadata.compaction_count ?? 0) + (source === 'compact' ? 1 : 0);
  return {
    ...state,
    context_metadata: {
      ...metadata,
      compaction_count: compactions,
      ...(inlined.length === 0
        ? {}
        : { last_artifact_reload: time, reload_count: (metadata.reload_count ?? 0) + 1 }),
      artifacts_in_context: inlined.map(({ path, content }) => ({
        artifact_id: path,
        loaded_at: time,
        load_trigger: trigger,
        digest: digestOf(content),
      })),
    },
  };
}

function hostEnvironment({ root, input, environment }: Surroundings): Environment {
  const pid = environment.CLAUDE_PID;
  return {
    ...environmentOf(root, input.cwd ?? root),
    ...(pid === undefined || pid === '' ? {} : { claude_pid: pid }),
  };
}
