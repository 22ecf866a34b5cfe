import { isObject, type JsonObject } from '../../util/json.ts';
import { isPlainId } from '../../util/sanitize.ts';
import { NO_SESSIONS, type KnownSessions } from '../step/step-session.ts';

/** A client that was started for the run. */
export interface ClientRecord {
  pid: number;
  start: string | null;
  /** In the environment of the client and of everything that it starts. */
  token: string;
  session: string;
  agent: string | null;
  /** The file with its stream, relative to the folder of the log. */
  stream: string;
}

/** What outlives a driver. */
export interface DriverMemory {
  client: ClientRecord | null;
  sessions: KnownSessions;
  /** How often the gate of the current entry has failed. */
  gateFailures: { entry: string; count: number } | null;
}

const NO_MEMORY: DriverMemory = { client: null, sessions: NO_SESSIONS, gateFailures: null };

/** What cannot be read counts as unknown: the run then starts a new conversation. */
export function memoryIn(json: JsonObject | null): DriverMemory {
  if (json === null) return NO_MEMORY;
  const failures = json['gateFailures'];
  return {
    client: clientIn(json['client']),
    sessions: sessionsIn(json['sessions']),
    gateFailures:
      isObject(failures) &&
      typeof failures['entry'] === 'string' &&
      typeof failures['count'] === 'number'
        ? { entry: failures['entry'], count: failures['count'] }
        : null,
  };
}

function clientIn(json: unknown): ClientRecord | null {
  if (!isObject(json)) return null;
  const { pid, start, token, session, agent, stream } = json;
  if (typeof pid !== 'number' || typeof token !== 'string') return null;
  if (!isSession(session) || typeof stream !== 'string') return null;
  // The name becomes part of a path.
  if (!/^[\p{L}\p{N}._-]+$/u.test(stream)) return null;
  return {
    pid,
    start: typeof start === 'string' ? start : null,
    token,
    session,
    agent: typeof agent === 'string' ? agent : null,
    stream,
  };
}

function sessionsIn(json: unknown): KnownSessions {
  if (!isObject(json)) return NO_SESSIONS;
  const { main, own } = json;
  const hasOwn =
    isObject(own) &&
    typeof own['entry'] === 'string' &&
    typeof own['agent'] === 'string' &&
    isSession(own['session']);
  return {
    main: isSession(main) ? main : null,
    own: hasOwn
      ? {
          entry: String(own['entry']),
          agent: String(own['agent']),
          session: String(own['session']),
        }
      : null,
  };
}

/** The record may have come with the project, and the client would take a session that begins with `-` for an option. */
function isSession(value: unknown): value is string {
  return typeof value === 'string' && isPlainId(value) && !value.startsWith('-');
}
