import { homedir } from 'node:os';
import { join } from 'node:path';
import { configFolder } from '../io/config-folder.ts';
import { homeOf, programFile } from '../install/runtime-places.ts';
import { holdBack } from './hold-back.ts';
import type { Reply } from './protocol.ts';
import type { Surroundings } from './surroundings.ts';

/** Of the file that this is bundled into. */
declare const __dirname: string;

export { noteGiven } from './note-given.ts';
export { noteRead } from './note-read.ts';
export { readingNote } from './reading-note.ts';

export function preToolUse(around: Surroundings): Reply {
  const home = homedir();
  return holdBack(around, {
    root: around.root,
    home,
    programs: [
      programFile(join(__dirname, '..')),
      programFile(homeOf(configFolder(around.environment, home))),
    ],
  });
}
