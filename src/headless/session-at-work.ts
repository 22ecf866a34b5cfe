import { clientFrom, readDriverFile } from '../sessions/client-process.ts';
import { sessionRecord } from '../sessions/holder.ts';
import { lastSeen } from '../sessions/liveness.ts';
import { liveHolder } from '../sessions/liveness.ts';
import type { Project } from '../sessions/open-project.ts';
import type { SessionRecord, Run } from '../state/types.ts';
import { timeAgo } from '../text/relative-time.ts';
import { memoryIn, type DriverMemory } from './driver-memory.ts';
import { isSameRunningProcess } from './running-process.ts';

/** The live session that holds the run; null for one that a driver has started and that nobody has opened since. */
export function sessionAtWork(
  context: Project,
  { runId, state }: Run,
): { session: string; seen: string } | null {
  const session = liveHolder(state, context);
  if (session === null) return null;
  const record = sessionRecord(state, session);
  const memory = memoryIn(readDriverFile(context.root, runId));
  if (isOfDriver(session, memory) && !isOpenElsewhere(record, memory))
    return null;
  return { session, seen: timeAgo(lastSeen(record, context), context.now) };
}

function isOfDriver(session: string, memory: DriverMemory): boolean {
  const { client, sessions } = memory;
  const own = [sessions.main, sessions.own?.session, client?.session];
  return own.includes(session);
}

/** A person may have opened a session of the driver in another client, to look at it or to go on with it. */
function isOpenElsewhere(
  record: SessionRecord | undefined,
  { client }: DriverMemory,
): boolean {
  if (record?.ended_at !== undefined) return false;
  const opened = clientFrom(record?.environment);
  if (opened === null) return false;
  const { start } = opened;
  const pid = Number(opened.pid);
  return pid !== client?.pid && isSameRunningProcess({ pid, start }, 'claude');
}
