import { restoreSession } from '../restore/restore-session.ts';
import { isActive } from '../sessions/select-run.ts';
import { isDuplicateCall, markRestored, recordCall } from '../state/store/hook-state.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { callKey, detectAndSync, noteProject, type HookContext } from './context.ts';
import { recordOwed } from './record-owed.ts';
import { contextReply, stringField, type Reply } from './protocol.ts';
import { restoreRequest } from './restore-request.ts';

/** Gives the session the run that it works on, or lists what is in progress. */
export function sessionStart(context: HookContext): Reply {
  const { input, store } = context;
  const { session, event } = input;
  const now = context.now.getTime();
  const source = stringField(input.raw, 'source') ?? 'startup';
  // Workflows are detected at a compaction only; otherwise the sources of known runs are enough.
  const { runs, sources } =
    source === 'compact' ? detectAndSync(context) : { runs: store.list().runs, sources: null };
  const { undecided, notices } = store.hookState();
  const isUndecided = session !== null && undecided[session] !== undefined;
  const request = restoreRequest(context, { source, runs, sources, isUndecided });
  recordIdentity(context, source, request.arrival?.former ?? null);
  if (!runs.some(isActive) && notices.length === 0) return null;
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now)) return null;
    const { choice, text, userLine } = restoreSession(tx, request);
    if ('run' in choice) noteProject(context);
    // Last, so that the next prompt restores the run if a write has failed.
    const { notices: untold, ...rest } = recordCall(tx.hookState, callKey(context), now);
    const memory = { ...rest, notices: [] };
    tx.saveHookState(
      source === 'compact' && session !== null ? markRestored(memory, session, now) : memory,
    );
    // The PostCompact that follows has nothing left to do, unless the summary was asked which run it is.
    if (source === 'compact' && session !== null && 'run' in choice)
      context.owed.writeRestored(session);
    recordOwed(context, tx, runs);
    const notes = untold.map((notice) => `holdfast: ${sanitizeLine(notice)}`);
    const lines = text === null ? notes : [...notes, userLine];
    return contextReply(event, text, lines.length === 0 ? null : lines.join('\n'));
  });
}

/** Outside the project, so that commands and the MCP server know who the session is even where no run was held. */
function recordIdentity(
  { input: { session }, registry }: HookContext,
  source: string,
  former: string | null,
): void {
  if (session === null) return;
  if (former !== null) registry.recordFollower(former, session);
  else if (source === 'resume') registry.recordReturn(session);
  if (source === 'compact') registry.forgetFill(session);
  if (source === 'clear') registry.forgetOldClears();
}
