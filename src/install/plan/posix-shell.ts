import { win32 } from 'node:path';

/** What is known of the machine. */
export interface Machine {
  platform: string;
  environment: Record<string, string | undefined>;
  exists: (path: string) => boolean;
}

/** On Windows the client runs commands in Git Bash if that is installed; the `bash.exe` of Windows itself is not one. */
export function hasPosixShell({ platform, environment, exists }: Machine): boolean {
  if (platform !== 'win32') return true;
  const { CLAUDE_CODE_GIT_BASH_PATH: named, ProgramFiles: programs = 'C:\\Program Files' } =
    environment;
  if (named !== undefined && named !== '') return exists(named);
  const search = (environment['PATH'] ?? environment['Path'] ?? '').split(';');
  const folders = search.filter((folder) => !/system32/i.test(folder) && folder !== '');
  return [
    win32.join(programs, 'Git', 'bin', 'bash.exe'),
    ...folders.map((folder) => win32.join(folder, 'bash.exe')),
  ].some(exists);
}
