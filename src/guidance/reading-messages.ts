import type { PendingReading } from '../reading/pending-reading.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';
import type { ReadingEntry } from '../reading/reading-list.ts';
import { pluralize } from '../util/relative-time.ts';

const MAX_NAMED = 8;
const MAX_PATH = 200;

/** One short note, worded as facts: a file that came by an @ mention leaves no trace that a hook could see. */
export function readingReminder(
  unread: readonly ReadingEntry[],
  changed: readonly ReadingEntry[],
): string {
  return [
    ...(unread.length === 0
      ? []
      : [
          `Required reading of this workflow that was not seen to be opened since the workflow was restored: ${named(unread)}. The Read tool opens it; what an @ mention brought into the conversation is not seen here and counts as read.`,
        ]),
    ...(changed.length === 0
      ? []
      : [
          `Required reading of this workflow that has changed on disk since this conversation got it: ${named(changed)}.`,
        ]),
  ].join('\n');
}

/** Why a tool has to wait. */
export function readingRefusal(unread: readonly ReadingEntry[], left: number): string {
  const bound =
    left === 0
      ? 'this was the last refusal'
      : left === 1
        ? 'one more refusal may follow'
        : `at most ${left} more refusals follow`;
  return `This workflow was restored, and in this project its required reading comes before changes (reading.enforce is "block"). Not seen to be opened with the Read tool since: ${named(unread)}. Read, Glob, Grep and the holdfast command are not held back; ${bound}.`;
}

/** For people: what hooks will still do about it. */
export function pendingReadingText({
  files,
  reminder,
  refusals_left: left,
}: PendingReading): string {
  const what = [
    ...(reminder ? ['the next prompt brings a note about it'] : []),
    ...(left > 0
      ? [`Edit, Write and Bash wait for it, for at most ${pluralize(left, 'more refusal')}`]
      : []),
  ];
  return `Not read since the run was restored: ${pluralize(files.length, 'required file')}; ${what.join('; ')}.`;
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
