import { join } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { runtimeFolder } from '../io/runtime-paths.ts';
import { isPlainId } from '../util/sanitize.ts';

/** The folder of what is known of sessions outside any project, below the user's configuration folder. */
export function sessionsFolder(config: string): string {
  return join(runtimeFolder(config), 'sessions');
}

/** Where bin/hook.sh finds what hooks recorded about sessions of a project: the name of the folder is its path. */
export function owedFolder(config: string, root: string): string {
  // Git Bash writes C:\work as /c/work.
  const path = root
    .replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`)
    .replaceAll('\\', '/');
  return join(sessionsFolder(config), 'owed', path.replaceAll('/', '%'));
}

/** The file that bin/hook.sh touches at every event of the session. */
export function heartbeatFile(config: string, session: string): string {
  return sessionFile(config, session).replace(/json$/, 'seen');
}

/** There until the session that follows a `/clear` has begun, so that bin/hook.sh knows that one is expected. */
export function clearedFile(config: string, session: string): string {
  return sessionFile(config, session).replace(/json$/, 'cleared');
}

/** All files of a session. */
export function sessionFiles(config: string, session: string): string[] {
  return [sessionFile, heartbeatFile, clearedFile].map((fileOf) => fileOf(config, session));
}

export function sessionFile(config: string, session: string): string {
  const name = isPlainId(session) ? session : `id-${digestOf(session)}`;
  return join(sessionsFolder(config), `${name}.json`);
}
