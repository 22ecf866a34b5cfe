import type { RestoreRequest } from '../guidance/restore/restore-session.ts';
import { drivenClient, environmentOf } from '../sessions/client-process.ts';
import type { NewSession } from '../sessions/choose-run.ts';
import type { HookContext } from './context.ts';
import { stringField } from './protocol.ts';

interface RestoreStart extends Pick<
  RestoreRequest,
  'source' | 'runs' | 'sources' | 'isBelated' | 'declared' | 'ended'
> {
  /** PreCompact has not found out whose run it is, and the summary was asked: nothing else decides after that. */
  isUndecided?: boolean;
}

/** What a restore has to know about the call and the session that it comes from. */
export function restoreRequest(
  context: HookContext,
  { isUndecided, ...start }: RestoreStart,
): RestoreRequest {
  const { input, root, client, environment, registry } = context;
  const { session } = input;
  const driven = drivenClient(environment);
  return {
    ...context,
    ...start,
    isDriven: driven !== null,
    ownAgent: driven?.agent ?? null,
    environment: environmentOf(root, input.cwd ?? root, client),
    session,
    began: session === null ? undefined : registry.entry(session)?.startedAt,
    isOtherSeenSince: (time) =>
      session !== null && registry.isOtherSeenSince(time, { session, project: root, client }),
    isAttended: environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
    arrival: newSession(context, start.source),
    mayTakeRun: start.source === 'compact' && isUndecided !== true,
    transcript: stringField(input.raw, 'transcript_path'),
  };
}

/** Only a session that was just cleared or compacted can take over the run of its predecessor. */
function newSession(context: HookContext, source: string): NewSession | null {
  const { input, client, registry, root } = context;
  const { session } = input;
  if (session === null || (source !== 'clear' && source !== 'compact')) return null;
  const isCleared = source === 'clear';
  const former = isCleared ? registry.formerOf({ session, projects: [root], client }) : null;
  return { ...context, session, former, isCleared };
}
