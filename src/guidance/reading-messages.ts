import type { PendingReading } from './reading/pending-reading.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { ReadingEntry } from './reading/reading-list.ts';
import { pluralize } from '../text/relative-time.ts';

const MAX_NAMED = 8;
const MAX_PATH = 200;

/** Hooks cannot see files that an @ mention added, so the note says that those count as read. */
export function readingReminder(unread: readonly ReadingEntry[]): string {
  return `Required files not read since this workflow was restored: ${named(unread)}. Open them with the Read tool. (Files added with @ cannot be detected here and count as read.)`;
}

/** Why a tool call is refused. */
export function readingRefusal(unread: readonly ReadingEntry[], left: number): string {
  const bound =
    left === 0
      ? 'edits will not be refused again'
      : left === 1
        ? 'edits will be refused once more at most'
        : `edits will be refused at most ${left} more times`;
  return `This workflow was restored, and this project requires its files to be read before changes are made (reading.enforce is "block"). Not opened with the Read tool since then: ${named(unread)}. Read, Glob, Grep and holdfast stay available; ${bound}.`;
}

/** For the output of commands: what hooks will still do about unread files. */
export function pendingReadingText({
  files,
  reminder,
  refusals_left: left,
}: PendingReading): string {
  return [
    `Not read since the run was restored: ${pluralize(files.length, 'required file')}.`,
    ...(reminder ? ['The next prompt will include a reminder.'] : []),
    ...(left > 0
      ? [`Edit, Write and Bash will be refused at most ${pluralize(left, 'more time')}.`]
      : []),
  ].join(' ');
}

function named(entries: readonly ReadingEntry[]): string {
  const shown = entries
    .slice(0, MAX_NAMED)
    .map(({ path }) => truncate(sanitizeLine(path), MAX_PATH));
  const left = entries.length - shown.length;
  return [
    ...shown,
    ...(left > 0 ? [`and ${left} more (\`holdfast status\` lists them)`] : []),
  ].join(', ');
}
