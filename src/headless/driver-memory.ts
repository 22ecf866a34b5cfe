import { isObject, type JsonObject } from '../text/json.ts';

/** What outlives a driver. */
export interface DriverMemory {
  /** The one that was started for the run; its token is in the environment of everything that it starts. */
  client: {
    pid: number;
    start: string | null;
    token: string;
    session: string;
  } | null;
  /** The conversations of the run. */
  sessions: {
    /** The one that steps without an agent of their own share, until a clear. */
    main: string | null;
    /** That of the step which is under way, if its agent has one of its own. */
    own: { entry: string; agent: string; session: string } | null;
  };
  /** How often the gate of the current entry has failed. */
  gateFailures: { entry: string; count: number } | null;
}

/** What cannot be read counts as unknown: the run then starts a new conversation. */
export function memoryIn(json: JsonObject | null): DriverMemory {
  return {
    client: clientIn(json?.['client']),
    sessions: sessionsIn(json?.['sessions']),
    gateFailures: gateFailuresIn(json?.['gateFailures']),
  };
}

function clientIn(value: unknown): DriverMemory['client'] {
  if (!isObject(value)) return null;
  const { pid, start, token, session } = value;
  if (typeof pid !== 'number' || !isText(token) || !isSession(session))
    return null;
  return { pid, start: isText(start) ? start : null, token, session };
}

function sessionsIn(value: unknown): DriverMemory['sessions'] {
  const { main, own } = isObject(value) ? value : {};
  return { main: isSession(main) ? main : null, own: ownSessionIn(own) };
}

function ownSessionIn(value: unknown): DriverMemory['sessions']['own'] {
  if (!isObject(value)) return null;
  const { entry, agent, session } = value;
  if (!isText(entry) || !isText(agent) || !isSession(session)) return null;
  return { entry, agent, session };
}

function gateFailuresIn(value: unknown): DriverMemory['gateFailures'] {
  if (!isObject(value)) return null;
  const { entry, count } = value;
  return isText(entry) && typeof count === 'number' ? { entry, count } : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** `0f8fad5b-d9cb-469f-a165-70867728950e` */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * As a driver makes them. The record may have come with the project: the client would take a session that begins with `-`
 * for an option, and any word could be in the command of a process, which would then be stopped.
 */
function isSession(value: unknown): value is string {
  return isText(value) && UUID.test(value);
}
