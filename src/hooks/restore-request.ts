import { environmentOf } from '../sessions/environment.ts';
import type { NewSession } from '../sessions/hand-over.ts';
import type { RestoreRequest } from '../restore/restore-session.ts';
import type { HookContext } from './context.ts';

/** What a restore has to know about the call and the session that it comes from. */
export function restoreRequest(
  context: HookContext,
  start: Pick<RestoreRequest, 'source' | 'runs' | 'sources' | 'isBelated'>,
): RestoreRequest {
  const { input, root, launchFolder, settings, now, hostname, environment: variables } = context;
  const environment = environmentOf(root, input.cwd ?? root, variables['CLAUDE_PID']);
  const session = newSession(context, start.source);
  return {
    ...start,
    now,
    hostname,
    root,
    launchFolder,
    settings,
    environment,
    session: input.session,
    isAttended: variables['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
    arrival: session === null ? null : { session, environment },
  };
}

/** Only a session that was just cleared or compacted can take over the run of its predecessor. */
function newSession(
  { input, now, hostname, environment }: HookContext,
  source: string,
): NewSession | null {
  if (input.session === null || (source !== 'clear' && source !== 'compact')) return null;
  return {
    session: input.session,
    claudePid: environment['CLAUDE_PID'],
    parentPid: String(process.ppid),
    now,
    hostname,
    isCleared: source === 'clear',
  };
}
