import { closeSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine } from '../../io/write-in-place.ts';
import { translateFsErrors } from '../../io/fs-errors.ts';
import { errorCode } from '../../io/read-file.ts';
import { logFolder } from '../../state/paths.ts';
import { makeFolder } from '../../state/store/state-folder.ts';
import { slugOf } from '../../util/slug.ts';

/** The folder with the raw streams of the clients of a run, and the events of its drivers. */
export interface RunLog {
  /** Relative to the project root. */
  folder: string;
  /** New files for the next client; `stream` and `errors` are absolute. */
  nextFiles: (step: string) => { name: string; stream: string; errors: string };
  path: (name: string) => string;
  /** Appends an event. A disk that refuses it is remembered, because the run must not fail in the middle of a turn. */
  append: (event: object) => void;
  /** Why the log is incomplete, or soon would be because the disk is full; null if all is well. */
  problem: () => string | null;
}

export function openRunLog(root: string, runId: string): RunLog {
  const folder = logFolder(runId);
  const full = (name: string): string => join(root, folder, name);
  const events = full('events.jsonl');
  translateFsErrors(folder, () => {
    makeFolder(root, folder);
    closeSync(openSync(events, 'a'));
  });
  let number = highestNumber(join(root, folder));
  let problem: string | null = null;
  return {
    folder,
    path: full,
    nextFiles: (step) => {
      number += 1;
      const name = `${String(number).padStart(4, '0')}-${slugOf(step)}`;
      return {
        name: `${name}.jsonl`,
        stream: full(`${name}.jsonl`),
        errors: full(`${name}.err.txt`),
      };
    },
    append: (event) => {
      try {
        appendLine(events, JSON.stringify(event));
      } catch (error) {
        const code = errorCode(error);
        if (code === undefined) throw error;
        problem ??= code;
      }
    },
    problem: () => (problem ??= isDiskFull(join(root, folder)) ? 'ENOSPC' : null),
  };
}

/** The client writes its stream itself, so its driver does not see that this fails. */
function isDiskFull(folder: string): boolean {
  return statfsSync(folder).bavail === 0;
}

/** Files of earlier drivers are kept, so the numbers go on. */
function highestNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) => Number(/^(\d{4,})-/.exec(name)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}
