import type { Failure } from '../../errors/holdfast-error.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { clientFrom } from '../../sessions/client-process.ts';
import { lastSeen, liveHolder, sessionRecord } from '../../sessions/holder.ts';
import type { StoredRun } from '../../state/types.ts';
import { isObject } from '../../util/json.ts';
import { timeAgo } from '../../util/relative-time.ts';
import { isSameRunningProcess } from './running-process.ts';

/** A session that a driver has started may be taken over, unless a person has opened it since. */
export function heldBySession(
  context: OperationContext,
  { runId, state }: StoredRun,
): Failure | null {
  const holder = liveHolder(state, context);
  if (holder === null) return null;
  const record = sessionRecord(state, holder);
  if (isOfDriver(context.root, runId, holder) && !isOpenElsewhere(context.root, runId, record))
    return null;
  const seen = timeAgo(lastSeen(record, context), context.now);
  return { code: 'held_by_session', run: runId, session: holder, seen };
}

function isOfDriver(root: string, runId: string, session: string): boolean {
  const known = readDriverFile(root, runId);
  const sessions = isObject(known?.['sessions']) ? known['sessions'] : {};
  const own = isObject(sessions['own']) ? sessions['own']['session'] : undefined;
  const client = isObject(known?.['client']) ? known['client']['session'] : undefined;
  return [sessions['main'], own, client].includes(session);
}

function isOpenElsewhere(
  root: string,
  runId: string,
  record: ReturnType<typeof sessionRecord>,
): boolean {
  if (record === undefined || record.ended_at !== undefined) return false;
  const client = clientFrom(record.environment);
  if (client === null) return false;
  const known = readDriverFile(root, runId)?.['client'];
  if (isObject(known) && String(known['pid']) === client.pid) return false;
  return isSameRunningProcess({ pid: Number(client.pid), start: client.start }, 'claude');
}
