import { readTextFile } from '../../files/read-file.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { isWithinLimits } from '../../text/json.ts';
import { readJournal } from '../journal.ts';
import * as paths from '../paths.ts';
import type { JournalEvent, RunState, StoredRun } from '../types.ts';
import { MAX_STATE_BYTES } from './list-runs.ts';

/** Whether a newer version of holdfast wrote this state, which this one would cut down to what it knows. */
export const isNewerFormat = (state: { schema_version?: unknown }): boolean =>
  typeof state.schema_version === 'number' && state.schema_version > 1;

export function requireKnownFormat({ runId, state }: Pick<StoredRun, 'runId' | 'state'>): void {
  if (isNewerFormat(state))
    throw new HoldfastError(
      'newer_format',
      `a newer version of holdfast wrote ${runId}, so this one only reads it`,
      { hint: 'update holdfast here, then try again; nothing was changed' },
    );
}

export const serializeState = (state: RunState): string => `${JSON.stringify(state, null, 2)}\n`;

export function serializeWithinLimits(state: RunState): string {
  const content = serializeState(state);
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_STATE_BYTES && isWithinLimits(content)) return content;
  throw new HoldfastError(
    'run_too_large',
    bytes > MAX_STATE_BYTES
      ? `${state.run_id} would exceed the ${MAX_STATE_BYTES / 1_000_000} MB limit for state files`
      : `${state.run_id} would have too many or too deeply nested values to be read again`,
    { hint: 'nothing was changed; move long texts into files, or set fewer tasks' },
  );
}

/** True if the run's writer was killed after it wrote the archive and before it removed the state file. */
export function isAlreadyArchived(root: string, { runId, path, state }: StoredRun): boolean {
  if (state.status !== 'completed' && state.status !== 'cancelled') return false;
  const record = paths.archivedState(runId);
  const archived = readTextFile(`${root}/${record}`, MAX_STATE_BYTES, 'refused');
  return path !== record && archived.kind === 'text' && archived.text === serializeState(state);
}

const MAX_READ_BYTES = 10_000_000;

export function journalText(root: string, path: string): string | null {
  const file = readTextFile(`${root}/${path}`, MAX_READ_BYTES);
  return file.kind === 'text' ? file.text : null;
}

export const readJournalOf = (root: string, run: StoredRun): (JournalEvent & { at: string })[] =>
  readJournal(journalText(root, paths.journalOf(run)) ?? '');

const MAX_TEXT = 500;

export function journalLine(event: JournalEvent, now: Date): string {
  const short = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
  ]);
  return JSON.stringify({ at: now.toISOString(), ...Object.fromEntries(short) });
}

export function newerHalf(text: string): string {
  const middle = text.indexOf('\n', Math.floor(text.length / 2));
  return middle < 0 ? '' : text.slice(middle + 1);
}
