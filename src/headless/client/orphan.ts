import { adoptClient } from './client-process.ts';
import type { WorkingClient } from './client-session.ts';
import { sessionCost } from './stream-message.ts';
import type { DriveContext } from '../drive-context.ts';
import { isRunningClient } from '../record/running-process.ts';

/** A client of a driver that is gone and that is still at work. */
export interface Orphan {
  pid: number;
  working: WorkingClient;
}

/** Null if no such client is at work. */
export function findOrphan({
  record,
  emit,
  log,
}: Pick<DriveContext, 'record' | 'emit' | 'log'>): Orphan | null {
  const { client } = record.memory;
  if (record.formerPid !== null) emit({ event: 'took_over', pid: record.formerPid });
  if (client === null || !isRunningClient(client)) return null;
  const { pid, session, agent, stream } = client;
  emit({ event: 'waiting_for_client', pid, session });
  const adopted = adoptClient({ pid, stream: log.path(stream) }, () => isRunningClient(client));
  const working: WorkingClient = {
    client: adopted,
    session,
    agent,
    isResumed: true,
    wantsReport: false,
    costBefore: 0,
    hasExited: false,
  };
  // Its stream has all of its turns; only the last one is not accounted for yet.
  let total = 0;
  adopted.listen((message) => {
    // A conversation that it has resumed may have cost something before.
    if (message.kind === 'response') total = sessionCost(message.body) ?? total;
    if (message.kind !== 'result') return;
    working.costBefore = total;
    total = message.result.totalCost ?? total;
  });
  return { pid, working };
}
