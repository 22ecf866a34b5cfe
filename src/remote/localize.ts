import { readState } from '../state/read-state.ts';
import type { FieldConflict, RunState } from '../state/types.ts';
import { isObject } from '../util/json.ts';
import type { TimedEvent } from './journals.ts';
import { isWholeFolder, PROJECT_ROOT } from './scrub.ts';

/** Fields with texts that people and agents read. Templates and artifacts resolve the placeholder by themselves. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'workflow',
  'phase',
  'phases',
  'skipped',
  'outputs',
  'failure',
  'status_reason',
  'key_reminders',
  'context',
  'feedback',
  'machine',
]);

/**
 * The state with the paths of this checkout, as if its texts had been written here. When they are sent, the placeholder
 * stands for these paths again, so that the run stays in step.
 */
export function localizedState(state: RunState, root: string): RunState {
  const { sessions, conflicts, ...fields } = state;
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    TEXT_FIELDS.has(key) ? localized(value, root) : value,
  ]);
  const reading = readState(Object.fromEntries(entries), {
    workflow: state.workflow,
    createdAt: () => state.created_at,
  });
  // Only texts were replaced.
  if ('defect' in reading) throw new TypeError(`not a run: ${reading.defect}`);
  return {
    ...reading.state,
    ...(sessions === undefined ? {} : { sessions }),
    ...(conflicts === undefined ? {} : { conflicts: localizedConflicts(conflicts, root) }),
  };
}

export function localizedConflicts<Conflict extends FieldConflict>(
  conflicts: readonly Conflict[],
  root: string,
): Conflict[] {
  return conflicts.map((conflict) => ({
    ...conflict,
    kept: localized(conflict.kept, root),
    other: localized(conflict.other, root),
  }));
}

/** Conflicts stay as they came: by their values they are recognized as known. */
export function localizedEvents(events: readonly TimedEvent[], root: string): TimedEvent[] {
  return events.map((event) => {
    if (event.event === 'conflict') return event;
    const { at, event: name, ...rest } = event;
    const fields = localized(rest, root);
    return { ...(isObject(fields) ? fields : rest), at, event: name };
  });
}

function localized(value: unknown, root: string): unknown {
  if (typeof value === 'string') return withRoot(value, root);
  if (Array.isArray(value)) return value.map((entry) => localized(entry, root));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, localized(member, root)]),
  );
}

/** Only where the path would be recognized as that of the project when it is sent. */
function withRoot(text: string, root: string): string {
  if (!text.includes(PROJECT_ROOT)) return text;
  const [first = '', ...parts] = text.split(PROJECT_ROOT);
  return parts.reduce(
    (result, part) => `${result}${isWholeFolder(part) ? root : PROJECT_ROOT}${part}`,
    first,
  );
}
