import {
  holderOf,
  isHeldByLiveSession,
  lastSeen,
  machineOfHolder,
  resolveSession,
  sessionRecord,
} from '../../sessions/holder.ts';
import { isArchived } from '../../state/paths.ts';
import type { StoredRun } from '../../state/types.ts';
import { timeAgo } from '../../util/relative-time.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';

/** Who works on a run, and when that session was last seen. */
export function holderText(cli: CommandContext, run: StoredRun): string {
  const { state } = run;
  const holder = isArchived(run) ? null : holderOf(state);
  if (holder === null) return 'nobody';
  if (isThisSession(cli, holder)) return 'this session';
  const seen = timeAgo(lastSeen(sessionRecord(state, holder), cli), cli.now);
  const machine = machineOfHolder(state);
  if (machine !== null)
    return `session ${shortId(holder)} on another machine (${sanitizeLine(machine)}), at the last sync`;
  return isHeldByLiveSession(run, cli)
    ? `session ${shortId(holder)}, seen ${seen}`
    : `nobody (last: session ${shortId(holder)}, ${seen})`;
}

/** After /clear the runs know the successor of a session; they are read only if the ids differ. */
function isThisSession({ session, store }: CommandContext, holder: string): boolean {
  return (
    session !== null &&
    (session === holder || resolveSession(session, store.list().runs) === holder)
  );
}
