import { join } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { runtimeFolder } from '../io/runtime-paths.ts';

/** The folder of what is known of sessions outside any project, below the user's configuration folder. */
export function sessionsFolder(config: string): string {
  return join(runtimeFolder(config), 'sessions');
}

/** The file that bin/hook.sh touches at every event of the session. */
export function heartbeatFile(config: string, session: string): string {
  return sessionFile(config, session).replace(/json$/, 'seen');
}

export function sessionFile(config: string, session: string): string {
  const name = /^[A-Za-z0-9_-]{1,128}$/.test(session) ? session : `id-${digestOf(session)}`;
  return join(sessionsFolder(config), `${name}.json`);
}
