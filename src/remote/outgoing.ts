import type { OperationContext } from '../operations/open-project.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { openClone, requireOn } from './clone.ts';
import { toSnapshot } from './portable.ts';
import { localRun, storedRuns } from './reconcile.ts';
import type { Snapshot } from './snapshot.ts';

/** What of one run leaves this machine, by field. */
export interface OutgoingRun {
  run_id: string;
  fields: JsonObject;
  /** How many events of its journal. */
  events: number;
}

/** What `sync` keeps here, in the words of the state file. */
export const NEVER_SENT = [
  'facts set with --set-local',
  'whole session ids (their first 8 characters are sent)',
  'host names, process ids, user names, absolute paths of the project and of your home folder',
  'which files a session has read, what it has in context, how often it was compacted',
  'the content of any file of the project, and the todo list',
  'transcripts, settings, trust in templates',
];

/** Of the named runs those that have a state file here. */
export function outgoingRuns(context: OperationContext, runIds: readonly string[]): OutgoingRun[] {
  const { place } = requireOn(openClone(context), context);
  const stored = storedRuns(context);
  return runIds.flatMap((runId) => {
    const run = stored.get(runId);
    if (run === undefined) return [];
    return [outgoing(runId, toSnapshot(localRun(context, run), null, place), place.machine)];
  });
}

function outgoing(runId: string, { state, journals }: Snapshot, machine: string): OutgoingRun {
  return {
    run_id: runId,
    fields: flattened({ ...state }),
    events: (journals[machine] ?? []).length,
  };
}

/** Facts and sessions by their own names, everything else by its field. */
function flattened(state: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(state).flatMap(([key, value]): [string, unknown][] => {
      if (value === undefined) return [];
      const opens = key === 'context' || key === 'artifacts' || key === 'sessions';
      if (!opens || !isObject(value)) return [[key, value]];
      return Object.entries(value).map(([name, member]) => [`${key}.${name}`, member]);
    }),
  );
}
