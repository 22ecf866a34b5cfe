import { isObject, parseJsonObject } from '../util/json.ts';
import type { ClientProcess } from './client-process.ts';

/**
 * What is known of a session outside any project, one small file each: an idle project is never written to, yet the
 * session that follows a `/clear` there must be recognised by hooks, commands and the MCP server alike.
 */
export interface SessionEntry {
  session: string;
  /** The project root in which the session holds a run, or was cleared. */
  project?: string;
  client?: ClientProcess;
  clearedAt?: number;
  /** The session that `/clear` began in the same client process. */
  followedBy?: string;
  /** How full the context was when it last passed a threshold, until the session has been told. */
  fill?: Fill;
  /** The module that the client has loaded for the session. */
  module?: LoadedModule;
}

export interface LoadedModule {
  version: string;
  project: string;
  /** When it last asked, at most an hour before its last question. */
  at: number;
}

export interface Fill {
  /** Of the automatic-compaction threshold. */
  percent: number;
  /** The thresholds that were passed since the last compaction. */
  passed: number[];
  isTold: boolean;
}

/** Null if the text is not an entry, or is that of another session than the expected one. */
export function parseEntry(text: string, expected?: string): SessionEntry | null {
  const { session, project, client, clearedAt, followedBy, fill, module } = parseJsonObject(text);
  if (typeof session !== 'string') return null;
  if (expected !== undefined && session !== expected) return null;
  return {
    session,
    ...(typeof project === 'string' ? { project } : {}),
    ...(isClient(client) ? { client } : {}),
    ...(typeof clearedAt === 'number' ? { clearedAt } : {}),
    ...(typeof followedBy === 'string' && followedBy !== '' ? { followedBy } : {}),
    ...(isFill(fill) ? { fill } : {}),
    ...(isLoadedModule(module) ? { module } : {}),
  };
}

function isLoadedModule(value: unknown): value is LoadedModule {
  return (
    isObject(value) &&
    typeof value['version'] === 'string' &&
    typeof value['project'] === 'string' &&
    typeof value['at'] === 'number'
  );
}

function isFill(value: unknown): value is Fill {
  return (
    isObject(value) &&
    typeof value['percent'] === 'number' &&
    typeof value['isTold'] === 'boolean' &&
    Array.isArray(value['passed']) &&
    value['passed'].every((threshold) => typeof threshold === 'number')
  );
}

function isClient(value: unknown): value is ClientProcess {
  return (
    isObject(value) &&
    typeof value['pid'] === 'string' &&
    (value['start'] === null || typeof value['start'] === 'string')
  );
}
