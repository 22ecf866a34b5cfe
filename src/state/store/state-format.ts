import { HoldfastError } from '../../text/holdfast-error.ts';
import { isWithinLimits } from '../../text/json.ts';
import type { Run, RunState } from '../types.ts';

/** Of one run. A hook reads all runs of the project before the host goes on. */
export const MAX_STATE_BYTES = 5_000_000;

/** The version of the format that this version of holdfast writes. */
export const SCHEMA_VERSION = 1 as const;

/** Whether a newer version of holdfast wrote this state, which this one would cut down to what it knows. */
export function isNewerFormat(state: { schema_version?: unknown }): boolean {
  const { schema_version: version } = state;
  return typeof version === 'number' && version > SCHEMA_VERSION;
}

export function requireKnownFormat({
  runId,
  state,
}: Pick<Run, 'runId' | 'state'>): void {
  if (!isNewerFormat(state)) return;
  throw new HoldfastError(
    'newer_format',
    `a newer version of holdfast wrote ${runId}, so this one only reads it`,
    { hint: 'update holdfast here, then try again; nothing was changed' },
  );
}

export function serializeState(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Throws for a state that could not be read again. */
export function serializeWithinLimits(state: RunState): string {
  const content = serializeState(state);
  const isTooLong = Buffer.byteLength(content) > MAX_STATE_BYTES;
  if (!isTooLong && isWithinLimits(content)) return content;
  throw new HoldfastError(
    'run_too_large',
    isTooLong
      ? `${state.run_id} would exceed the ${MAX_STATE_BYTES / 1_000_000} MB limit for state files`
      : `${state.run_id} would have too many or too deeply nested values to be read again`,
    {
      hint: 'nothing was changed; move long texts into files, or set fewer tasks',
    },
  );
}
