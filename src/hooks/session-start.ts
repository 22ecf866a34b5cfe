import { restoreSession } from '../guidance/restore/restore-session.ts';
import { isActive } from '../sessions/select-run.ts';
import {
  withoutTold,
  isDuplicateCall,
  markRestored,
  recordCall,
} from '../state/store/hook-state.ts';
import { isAnyOffered } from '../guidance/restore/choose-restoration.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import {
  callKey,
  detectAndSync,
  noteProject,
  type HookContext,
  restoreRequest,
} from './context.ts';
import { settleMarks } from './wake.ts';
import { contextReply, stringField, type Reply } from './protocol.ts';

/** Gives the session the run that it works on, or lists what is in progress. */
export function sessionStart(context: HookContext): Reply {
  const { input, store } = context;
  const { session, event } = input;
  const now = context.now.getTime();
  const source = stringField(input.raw, 'source') ?? 'startup';
  // A workflow that has no run yet gets one at a compaction; until then it is only offered.
  const { runs, ...found } = detectAndSync(context, { creates: source === 'compact' });
  const { undecided, notices, ...hookState } = store.hookState();
  const hasMessages = session !== null && hookState.messages[session] !== undefined;
  const isUndecided = session !== null && undecided[session] !== undefined;
  const request = restoreRequest(context, { source, runs, ...found, isUndecided });
  if (session !== null && source !== 'compact' && runs.length > 0)
    context.registry.recordStart(session, context.root, context.client);
  recordIdentity(context, source, request.arrival?.former ?? null);
  const isIdle = !runs.some(isActive) && !isAnyOffered(request);
  if (isIdle && notices.length === 0 && !hasMessages) return null;
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now)) return null;
    const { choice, text, userLine } = restoreSession(tx, request);
    if ('run' in choice) noteProject(context);
    // Last, so that the next prompt restores the run if a write has failed.
    const { notices: untold, ...rest } = recordCall(tx.hookState, callKey(context), now);
    const { text: messages, memory } = withoutTold({ ...rest, notices: [] }, session, context.now);
    tx.saveHookState(
      source === 'compact' && session !== null ? markRestored(memory, session, now) : memory,
    );
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    const notes = untold.map((notice) => `holdfast: ${sanitizeLine(notice)}`);
    const lines = text === null ? notes : [...notes, userLine];
    const told = [text, messages].filter((part) => part !== null).join('\n\n');
    const line = [...lines, ...(text === null && messages !== null ? [messages] : [])].join('\n');
    return contextReply(event, told || null, line || null);
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
  registry.forgetOldClears();
}
