import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/** As the system accounts without a home folder have it: nothing is found there, and nothing is written. */
const NO_HOME = '/nonexistent';

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
