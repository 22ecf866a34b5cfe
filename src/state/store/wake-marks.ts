import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { unlessRefused, removeIfThere } from '../../files/read-file.ts';
import { wakeMark } from '../../files/runtime-paths.ts';

/** The events for which bin/hook.sh starts Node only if a mark says that something is due. */
export const MARKED_EVENTS = ['UserPromptSubmit', 'PostToolUse', 'PreToolUse'] as const;
export type MarkedEvent = (typeof MARKED_EVENTS)[number];

/**
 * Files that wake: one, which is empty, for each session and event with something to do. They are outside the projects,
 * so that a session is woken wherever it works. Whoever makes something due writes the mark; the hook that deals with it
 * removes it. A mark that is lost, or cannot be written, delays what is due to the next SessionStart or command.
 */
export class WakeMarks {
  constructor(private readonly config: string) {}

  wake(session: string, events: readonly (MarkedEvent | 'SessionStart')[]): void {
    for (const event of events) {
      const path = wakeMark(this.config, session, event);
      unlessRefused(() => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '');
      });
    }
  }

  remove(session: string, events: readonly (MarkedEvent | 'SessionStart')[]): void {
    for (const event of events)
      unlessRefused(() => removeIfThere(wakeMark(this.config, session, event)));
  }
}
