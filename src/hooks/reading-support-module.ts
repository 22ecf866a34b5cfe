import { homedir } from 'node:os';
import { join } from 'node:path';
import { configFolder } from '../io/config-folder.ts';
import { runtimeFolder, programFile } from '../io/runtime-paths.ts';
import { denyUntilRead } from './deny-until-read.ts';
import type { Reply } from './protocol.ts';
import type { HookContext } from './context.ts';

/** Of the file that this is bundled into. */
declare const __dirname: string;

export { recordPendingReads as noteGiven } from '../restore/record-receipt.ts';
export { recordRead as noteRead } from './record-read.ts';
export { remindOfReading as readingNote } from './reading-reminder.ts';

export function preToolUse(around: HookContext): Reply {
  const home = homedir();
  return denyUntilRead(around, {
    root: around.root,
    home,
    programs: [
      programFile(join(__dirname, '..')),
      programFile(runtimeFolder(configFolder(around.environment, home))),
    ],
  });
}
