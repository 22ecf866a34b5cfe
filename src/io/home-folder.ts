import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/** Nothing can be found below it, and nothing can be written there, even by root. */
const NO_HOME = '/dev/null';

/** The user's home folder, also where `HOME` is empty or the user is unknown to the system, as in some containers. */
export function homeFolder(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : NO_HOME;
  } catch {
    // The user has no HOME and no entry in the password file.
    return NO_HOME;
  }
}
